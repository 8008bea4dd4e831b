"""Runs from the browser: each in its own process, which can be killed and continues, and stops when a lead says so."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.llm.client.servers import ModelServer as Listed
from app.llm.judges.judge_runs import begin_run
from app.llm.judges.judge_settings import JudgeSettings
from app.llm.runs.queued_runs import QueuedRuns
from app.llm.runs.runs import RunRow, get_run, is_worked_on, record_queued, record_stop
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of
from tests.kit.models_server import KEY, ModelServer, first_offer, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

SECONDS = 120.0


def until(is_so: Callable[[], bool], runs: QueuedRuns, engine: Engine) -> None:
    """Look for queued runs until something is so."""
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        runs.look(engine.begin)
        time.sleep(0.05)


def queued(engine: Engine, server: ModelServer, name: str, *, n_items: int) -> RunRow:
    """A judge that waits in the queue."""
    with engine.begin() as db:
        study = get_study(db, "study")
        if study is None:
            build_study(db, protocol_of(), n_items=n_items)
            study = get_study(db, "study")
        assert study
        endpoint = listed(server).endpoint("m")
        run, _ = begin_run(db, study, endpoint, JudgeSettings(), name)
        record_queued(db, run, "Local", 10**6)
    return run


def listed(server: ModelServer) -> Listed:
    """The list's entry of a server."""
    return Listed(name="Local", base_url=server.address, models=("m",), max_tokens=10**6, key=KEY, at_once=2)


@pytest.mark.long
def test_a_killed_run_starts_again_and_a_stop_ends_it(engine: Engine) -> None:
    with serving(ModelServer(first_offer, delay_s=0.05)) as server:
        runs = QueuedRuns(engine.url.render_as_string(hide_password=False), [listed(server)])
        first = queued(engine, server, "first", n_items=15)

        def state() -> RunRow:
            with engine.connect() as db:
                found = get_run(db, first.study_id, "judge", "first")
            assert found
            return found

        until(lambda: len(server.seen) > 4, runs, engine)
        with engine.connect() as db:
            assert is_worked_on(db, first)
        for pid in runs.pids:
            os.kill(pid, signal.SIGKILL)
        assert state().is_queued
        until(lambda: not state().is_queued, runs, engine)
        assert set(server.keys) == {f"Bearer {KEY}"}
        with engine.connect() as db:
            assert db.execute(text("SELECT count(*) FROM ratings")).scalar_one() == 3 * 30
            assert not is_worked_on(db, first)
        assert len(server.by_id) == 30
        n_seen = len(server.seen)
        second = queued(engine, server, "second", n_items=0)
        until(lambda: len(server.seen) > n_seen + 2, runs, engine)
        with engine.begin() as db:
            record_stop(db, second, "Stopped by a lead.")
        runs.wait()
        with engine.connect() as db:
            ended = get_run(db, second.study_id, "judge", "second")
        assert ended
        assert (ended.is_queued, ended.stop_reason) == (False, "Stopped by a lead.")
        assert len(server.seen) < n_seen + 30


def test_a_run_whose_server_left_the_list_ends_with_the_reason(engine: Engine) -> None:
    with serving(ModelServer(first_offer)) as server:
        run = queued(engine, server, "first", n_items=1)
        QueuedRuns("", []).look(engine.begin)
    with engine.connect() as db:
        ended = get_run(db, run.study_id, "judge", "first")
    assert ended
    assert (ended.is_queued, ended.is_stopped) == (False, True)
    assert ended.stop_reason == "The server of this run is no longer in the list of servers."
