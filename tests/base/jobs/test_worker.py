"""Jobs are done, whatever happens to their workers and to the database."""

import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Engine, QueuePool, text

from app.base.jobs import worker as worker_module
from app.base.jobs.queue import Kind, defer, get_job
from app.base.jobs.worker import Work, Worker
from app.base.processes.side_process import SideProcessError
from tests.kit.jobs import run_due

NOTE = Kind("note", "short")
PATIENCE_S = 15


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are gone are noticed within a second or two."""
    for name, seconds in (("BEAT_S", 0.3), ("SILENT_S", 1.5), ("LOOK_S", 0.3), ("OUTAGE_S", 0.3), ("FIRST_S", 0)):
        monkeypatch.setattr(worker_module, name, seconds)


def url_of(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


@contextmanager
def working(engine: Engine, *works: Work) -> Iterator[Worker]:
    made = Worker(url_of(engine), works).start()
    try:
        yield made
    finally:
        made.stop()


def adding(done: list[Any]) -> Callable[..., None]:
    """Work that adds its only argument to a list."""

    def add(**given: Any) -> None:  # noqa: ANN401 - as `defer`
        done.extend(given.values())

    return add


def ask(engine: Engine, of: str = "1", kind: Kind = NOTE, **args: Any) -> None:  # noqa: ANN401 - as `defer`
    with engine.begin() as db:
        defer(db, kind, of, **args)


def count_jobs(engine: Engine, status: str = "%") -> int:
    counting = text("SELECT count(*) FROM procrastinate_jobs WHERE CAST(status AS text) LIKE :status")
    with engine.begin() as db:
        return int(db.execute(counting, {"status": status}).scalar_one())


def becomes(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def test_job_begins_soon_after_its_transaction_and_not_before(engine: Engine) -> None:
    done: list[int] = []
    with working(engine, Work(NOTE, adding(done))):
        assert becomes(lambda: count_workers(engine) == 1)
        with engine.begin() as db:
            defer(db, NOTE, "1", number=7)
            time.sleep(0.3)
            assert done == []
        assert becomes(lambda: done == [7])
        assert becomes(lambda: count_jobs(engine) == 0)
        with engine.connect() as db:
            defer(db, NOTE, "1", number=8)
            db.rollback()
    assert done == [7]


def count_workers(engine: Engine) -> int:
    with engine.begin() as db:
        return int(db.execute(text("SELECT count(*) FROM procrastinate_workers")).scalar_one())


def test_of_each_key_one_job_waits_and_takes_the_earliest_time(engine: Engine) -> None:
    done: list[str] = []
    work = Work(NOTE, adding(done))
    ask(engine, "a", name="a", wait=timedelta(hours=1))
    ask(engine, "b", name="b")
    ask(engine, "b", name="b", wait=timedelta(hours=1))
    assert count_jobs(engine) == 2
    run_due(Worker(url_of(engine), [work]))
    assert done == ["b"]
    with working(engine, work):
        ask(engine, "a", name="a")
        assert becomes(lambda: done == ["b", "a"])


def test_job_that_runs_may_be_asked_for_again_and_never_runs_twice_at_once(engine: Engine) -> None:
    began, go_on, n_at_once = Event(), Event(), Counter[str]()

    def slow() -> None:
        n_at_once["now"] += 1
        n_at_once["most"] = max(n_at_once["most"], n_at_once["now"])
        n_at_once["all"] += 1
        began.set()
        go_on.wait(PATIENCE_S)
        n_at_once["now"] -= 1

    with working(engine, Work(NOTE, slow)), working(engine, Work(NOTE, slow)):
        ask(engine)
        assert began.wait(PATIENCE_S)
        for _ in range(3):
            ask(engine)
        with engine.begin() as db:
            assert get_job(db, NOTE, "1")
        time.sleep(1)
        go_on.set()
        assert becomes(lambda: count_jobs(engine) == 0)
    assert (n_at_once["all"], n_at_once["most"]) == (2, 1)


def test_two_workers_share_a_long_queue_and_do_every_job_once(engine: Engine) -> None:
    done = Counter[int]()
    work = Work(NOTE, lambda number: done.update([number]))
    n_due, n_later = 300, 10_000
    with engine.begin() as db:
        db.execute(
            text("""
            INSERT INTO procrastinate_jobs (queue_name, task_name, args, scheduled_at)
            SELECT 'short', 'note', jsonb_build_object('number', i),
                   CASE WHEN i > :later THEN NULL ELSE now() + interval '1 day' END
            FROM generate_series(1, :all) i
            """),
            {"later": n_later, "all": n_later + n_due},
        )
    with working(engine, work), working(engine, work):
        assert becomes(lambda: count_jobs(engine) == n_later)
    assert len(done) == n_due
    assert set(done.values()) == {1}


def test_job_that_fails_is_repeated_and_at_last_given_up(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    n_calls = Counter[str]()

    def fail(name: str) -> None:
        n_calls[name] += 1
        raise ZeroDivisionError if name == "bug" else SideProcessError

    work = Work(NOTE, fail, wait_s=0)
    ask(engine, "1", name="bug")
    ask(engine, "2", name="killed")
    for _ in range(worker_module.MAX_ATTEMPTS + 1):
        run_due(Worker(url_of(engine), [work]))
    assert n_calls == {"bug": worker_module.MAX_ATTEMPTS, "killed": worker_module.MAX_ATTEMPTS}
    assert count_jobs(engine) == 0
    assert "the job note failed unexpectedly" in caplog.text
    assert "the job note failed: The computation ended before it was done" in caplog.text
    assert "the job note is given up after 5 attempts" in caplog.text


def hang(url: str, began: Any) -> None:  # noqa: ANN401 - an Event of multiprocessing
    def work() -> None:
        began.set()
        time.sleep(PATIENCE_S)

    Worker(url, [Work(NOTE, work)]).run()


@pytest.mark.slow
def test_job_of_a_killed_worker_is_done_by_another(engine: Engine) -> None:
    context = multiprocessing.get_context("spawn")
    began, done = context.Event(), Event()
    process = context.Process(target=hang, args=(url_of(engine), began))
    ask(engine)
    process.start()
    assert began.wait(PATIENCE_S)
    process.kill()
    process.join()
    with working(engine, Work(NOTE, done.set)):
        assert done.wait(PATIENCE_S)
        assert becomes(lambda: count_jobs(engine) == 0)


def test_killed_job_that_was_asked_for_again_is_done_once(engine: Engine) -> None:
    ask(engine)
    with engine.begin() as db:
        db.execute(text("UPDATE procrastinate_jobs SET status = 'doing'"))
    ask(engine)
    done: list[None] = []
    with working(engine, Work(NOTE, lambda: done.append(None))):
        assert becomes(lambda: count_jobs(engine) == 0)
    assert done == [None]


def test_job_under_way_when_its_worker_stops_is_done_after_the_next_start(engine: Engine) -> None:
    began, done = Event(), Event()

    def first() -> None:
        began.set()
        time.sleep(PATIENCE_S)

    with working(engine, Work(NOTE, first)):
        ask(engine)
        assert began.wait(PATIENCE_S)
        start = time.monotonic()
    assert time.monotonic() - start < 2 * worker_module.STOP_S
    with working(engine, Work(NOTE, done.set)):
        assert done.wait(PATIENCE_S)


def test_database_that_goes_away_during_a_job_neither_loses_nor_repeats_it_nor_stops_the_worker(
    engine: Engine,
) -> None:
    began, go_on, n_done = Event(), Event(), Counter[int]()

    def work(number: int) -> None:
        began.set()
        go_on.wait(PATIENCE_S)
        n_done.update([number])

    with working(engine, Work(NOTE, work)):
        ask(engine, number=1)
        assert began.wait(PATIENCE_S)
        close_connections(engine)
        go_on.set()
        assert becomes(lambda: count_jobs(engine) == 0)
        ask(engine, number=2)
        assert becomes(lambda: n_done[2] == 1)
    assert n_done == {1: 1, 2: 1}


def close_connections(engine: Engine) -> None:
    """As if the database were started again."""
    closing = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with engine.begin() as db:
        db.execute(text(f"{closing} AND pid <> pg_backend_pid()"))


def test_worker_that_stops_waits_for_jobs_that_end_soon(engine: Engine) -> None:
    """The connection of such a job was left open, and whatever test was running when it was found failed."""
    began = Event()

    def work() -> None:
        with engine.begin() as db:
            began.set()
            db.execute(text("SELECT pg_sleep(0.2)"))

    with working(engine, Work(NOTE, work)):
        ask(engine)
        assert began.wait(PATIENCE_S)
    assert isinstance(engine.pool, QueuePool)
    assert engine.pool.checkedout() == 0


def test_job_planned_by_a_clock_that_was_ahead_is_done(engine: Engine) -> None:
    done = Event()
    ask(engine, wait=timedelta(days=30))
    with working(engine, Work(NOTE, done.set)):
        assert done.wait(PATIENCE_S)


def test_run_of_a_model_waits_for_a_worker_that_has_servers(engine: Engine) -> None:
    run = Kind("model run", "models")
    ask(engine, kind=run)
    with working(engine, Work(NOTE, lambda: None)):
        ask(engine)
        assert becomes(lambda: count_jobs(engine) == 1)
        time.sleep(0.5)
        with engine.begin() as db:
            assert get_job(db, run, "1")


def test_daily_work_is_done_once_by_all_workers_together(engine: Engine) -> None:
    done: list[None] = []
    work = Work(NOTE, lambda: done.append(None), cron="*/5 * * * *")
    with working(engine, work), working(engine, work):
        assert becomes(lambda: done == [None])
        time.sleep(1)
    assert len(done) <= 2  # the clock may pass one of its times meanwhile


def test_worker_that_stops_before_its_first_daily_work_leaves_it_in_the_queue(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It was held until the worker was gone, and the log of the next start said that it had been lost."""
    monkeypatch.setattr(worker_module, "FIRST_S", PATIENCE_S)
    with working(engine, Work(NOTE, lambda: None, cron="*/5 * * * *")):
        assert becomes(lambda: count_jobs(engine, "doing") == 1)
        start = time.monotonic()
    assert time.monotonic() - start < worker_module.STOP_S
    assert (count_jobs(engine), count_jobs(engine, "doing")) == (1, 0)
    done = Event()
    monkeypatch.setattr(worker_module, "FIRST_S", 0)
    with working(engine, Work(NOTE, done.set, cron="*/5 * * * *")):
        assert done.wait(PATIENCE_S)
    assert not caplog.messages
