"""Runs from the browser: each in its own process, which can be killed and continues, and stops when a lead says so."""

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from random import Random

import pytest
from sqlalchemy import Engine, text

from app.base.jobs.worker import Work, Worker
from app.base.processes.side_process import SideProcess, SideProcessError
from app.llm.client.budget import Prices
from app.llm.client.endpoint import BatchPace
from app.llm.client.servers import ModelServer as Listed
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.runs import queued_runs
from app.llm.runs.queued_runs import MAX_DEATHS, QueuedRuns
from app.llm.runs.requests import get_progress
from app.llm.runs.runs import RUNNING, RunRow, get_run, is_worked_on, record_queued, record_stop
from app.studies.studies import delete_study, get_study
from tests.kit.batch_server import BatchServer, serving_batches
from tests.kit.builder import build_study, protocol_of
from tests.kit.models_server import KEY, ModelServer, Prompt, fail_with, first_offer, serving

SECONDS = 120.0


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def working(engine: Engine, servers: Sequence[Listed]) -> Iterator[QueuedRuns]:
    """A worker for runs."""
    url = engine.url.render_as_string(hide_password=False)
    runs = QueuedRuns(url, servers)
    worker = Worker(url, [Work(RUNNING, partial(runs.work, engine.begin), wait_s=0)], stop_children=runs.stop).start()
    try:
        yield runs
    finally:
        worker.stop()


def pids(runs: QueuedRuns) -> list[int]:
    """The IDs of the processes that work."""
    return [process.pid for process in [*runs._processes.values()] if process.pid is not None]


def queued(engine: Engine, server: ModelServer, name: str, *, n_items: int, batch: bool = False) -> RunRow:
    """A judge that waits in the queue."""
    with engine.begin() as db:
        study = get_study(db, "study")
        if study is None:
            build_study(db, protocol_of(), n_items=n_items)
            study = get_study(db, "study")
        assert study
        endpoint = listed(server).endpoint("m")
        run, _ = begin_run(db, study, endpoint, JudgeSettings(), name)
        record_queued(db, run, "Local", 10**6, batch=batch)
    return run


def listed(server: ModelServer) -> Listed:
    """The list's entry of a server."""
    return Listed(name="Local", base_url=server.address, models=("m",), max_tokens=10**6, key=KEY, at_once=2)


@pytest.mark.slow
@pytest.mark.long
def test_a_killed_run_starts_again_and_a_stop_ends_it(engine: Engine) -> None:
    with (
        serving(ModelServer(first_offer, delay_s=0.05)) as server,
        working(engine, [listed(server)]) as runs,
    ):
        first = queued(engine, server, "first", n_items=15)

        def state(name: str = "first") -> RunRow:
            with engine.connect() as db:
                found = get_run(db, first.study_id, "judge", name)
            assert found
            return found

        until(lambda: len(server.seen) > 4)
        with engine.connect() as db:
            assert is_worked_on(db, first)
        for pid in pids(runs):
            os.kill(pid, signal.SIGKILL)
        assert state().is_queued
        until(lambda: not state().is_queued)
        assert set(server.keys) == {f"Bearer {KEY}"}
        with engine.connect() as db:
            assert db.execute(text("SELECT count(*) FROM ratings")).scalar_one() == 3 * 30
            assert not is_worked_on(db, first)
        assert len(server.by_id) == 30
        n_seen = len(server.seen)
        second = queued(engine, server, "second", n_items=0)
        until(lambda: len(server.seen) > n_seen + 2)
        with engine.begin() as db:
            record_stop(db, second, "Stopped by a lead.")
        until(lambda: not state("second").is_queued)
        assert state("second").stop_reason == "Stopped by a lead."
        assert len(server.seen) < n_seen + 30


@pytest.mark.slow
@pytest.mark.long
def test_a_run_under_way_when_its_worker_stops_continues_with_the_next(engine: Engine) -> None:
    with serving(ModelServer(first_offer, delay_s=0.05)) as server:
        run = queued(engine, server, "first", n_items=15)
        with working(engine, [listed(server)]):
            until(lambda: len(server.seen) > 4)

        def is_queued() -> bool:
            with engine.connect() as db:
                found = get_run(db, run.study_id, "judge", "first")
            return bool(found and found.is_queued)

        assert is_queued()
        with working(engine, [listed(server)]):
            until(lambda: not is_queued())
        assert len(server.by_id) == 30


def test_a_run_whose_server_left_the_list_ends_with_the_reason(engine: Engine) -> None:
    with serving(ModelServer(first_offer)) as server:
        run = queued(engine, server, "first", n_items=1)
    QueuedRuns("", []).work(engine.begin, run.study_id, run.id)
    with engine.connect() as db:
        ended = get_run(db, run.study_id, "judge", "first")
    assert ended
    assert ended.is_stopped
    assert ended.stop_reason == "The server of this run is no longer in the list of servers."


def test_a_run_whose_study_was_deleted_meanwhile_is_no_error(engine: Engine) -> None:
    with serving(ModelServer(first_offer)) as server:
        run = queued(engine, server, "first", n_items=1)
        with engine.begin() as db:
            delete_study(db, run.study_id)
        QueuedRuns("", [listed(server)]).work(engine.begin, run.study_id, run.id)
        assert server.seen == []


def test_a_run_whose_processes_record_nothing_is_stopped(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ModelServer(first_offer)) as server:
        run = queued(engine, server, "first", n_items=1)
        runs = QueuedRuns(engine.url.render_as_string(hide_password=False), [listed(server)])
        deaths = []

        def die(_self: object, _job: object) -> None:
            deaths.append(1)
            raise SideProcessError

        monkeypatch.setattr(SideProcess, "ask", die)
        for _ in range(5):
            runs.work(engine.begin, run.study_id, run.id)
    with engine.connect() as db:
        ended = get_run(db, run.study_id, "judge", "first")
    assert ended
    assert len(deaths) == MAX_DEATHS
    assert ended.stop_reason
    assert ended.stop_reason.startswith("The process of this run ended 3 times without recording an answer")


@pytest.mark.long
def test_a_run_in_batches_keeps_no_process_while_it_waits(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queued_runs, "BATCH_PACE", BatchPace(quiet_s=0.1, poll_s=0.05, patience_s=0.2))
    monkeypatch.setattr(queued_runs, "UNTIL_BATCH", timedelta(seconds=3))
    with serving_batches(BatchServer(first_offer)) as server:
        own = listed(server).model_copy(update={"batches": True, "price_in": 2.0, "price_out": 4.0})

        def now() -> tuple[bool, bool]:
            with engine.connect() as db:
                found = get_run(db, run.study_id, "judge", "first")
                assert found
                return found.is_queued, is_worked_on(db, run)

        with working(engine, [own]) as runs:
            run = queued(engine, server, "first", n_items=4, batch=True)
            until(lambda: bool(server.made) and now() == (True, False) and not pids(runs))
            server.is_open.set()
            until(lambda: now() == (False, False))
        assert len(server.made) == 1
    with engine.connect() as db:
        assert get_progress(db, run).by_outcome == {"answered": 8}
        cost = db.execute(text("SELECT sum(cost) FROM model_requests")).scalar_one()
    assert cost == pytest.approx(8 * Prices(1.0, 2.0).cost(100, 20))


@pytest.mark.slow
@pytest.mark.long
def test_costs_are_those_that_the_server_counts_through_kills_retries_and_repairs(engine: Engine) -> None:
    """A server charges a request once, however often it is sent with the same key."""

    def behave(prompt: Prompt, rng: Random) -> object:
        is_repaired = "cannot be used" in str(prompt.body["messages"][-1])
        return first_offer(prompt, rng) if is_repaired or rng.random() > 0.3 else "I would say four."

    server = ModelServer(behave, delay_s=0.02, usage=(1_234, 56))
    server.troubles = lambda number: fail_with(503, Retry_After="0") if number % 7 == 0 else None
    with serving(server):
        own = listed(server).model_copy(update={"price_in": 2.5, "price_out": 10.0})
        with working(engine, [own]) as runs:
            run = queued(engine, server, "first", n_items=30)
            for n_kills in range(1, 4):
                until(lambda n=n_kills: len(server.seen) > 15 * n)  # type: ignore[misc]  # a default, not an argument
                for pid in pids(runs):
                    os.kill(pid, signal.SIGKILL)

            def is_done() -> bool:
                with engine.connect() as db:
                    found = get_run(db, run.study_id, "judge", "first")
                return bool(found and not found.is_queued)

            until(is_done)
    with engine.connect() as db:
        progress = get_progress(db, run)
        cost = db.execute(text("SELECT sum(cost) FROM model_requests")).scalar_one()
        n_tries = db.execute(text("SELECT sum(n_tries) FROM model_requests")).scalar_one()
    n_charged = len(server.by_id)
    assert progress.by_outcome == {"answered": 60}
    assert progress.n_repairs > 5
    assert n_charged == 60 + progress.n_repairs
    # The tries of the processes that were killed count too: at most two were under way at each of three kills.
    assert n_tries > n_charged
    assert abs(len(server.seen) - n_tries) <= 3 * 2
    assert (progress.tokens_in, progress.tokens_out) == (1_234 * n_charged, 56 * n_charged)
    assert round(cost, 2) == round(Prices(2.5, 10.0).cost(1_234 * n_charged, 56 * n_charged), 2)
