"""Tasks that the serving process looks after do not stop each other."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

from app.cli.daily_tasks import DailyTasks, run

if TYPE_CHECKING:
    import pytest


def test_a_task_that_fails_unexpectedly_stops_no_other_task(caplog: pytest.LogCaptureFixture) -> None:
    has_run = Event()

    def fail() -> None:
        raise ZeroDivisionError

    tasks = DailyTasks([fail, has_run.set], first_s=0)
    try:
        assert has_run.wait(10)
    finally:
        tasks.stop()
    assert "a daily task failed unexpectedly" in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_an_expected_failure_is_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise OSError("no space left")

    assert not run(fail)
    assert [record.getMessage() for record in caplog.records] == ["a daily task failed: no space left"]
    assert caplog.records[0].exc_info is None
