"""A process beside this one, from start to end."""

from __future__ import annotations

import os
import time
from multiprocessing.util import Finalize
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from app.base.processes.side_process import SideProcess, SideProcessError, SideProcessTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

REST_S, LINGER_S = 0.1, 3


def linger(_: object) -> int:
    """Do a job, and take a while to exit, like a process that has something to write."""
    Finalize(None, time.sleep, args=(LINGER_S,), exitpriority=1)
    return os.getpid()


def die(_: object) -> None:
    """Take the job, then kill the process."""
    os._exit(1)


def wait_for(folder: object) -> None:
    """Say in the folder that the job has begun, and work until the file `end` is in it."""
    assert isinstance(folder, Path)
    (folder / "begun").touch()
    while not (folder / "end").exists():
        time.sleep(REST_S / 10)


@pytest.fixture
def started() -> Iterator[Callable[[Callable[[object], object]], SideProcess]]:
    made: list[SideProcess] = []

    def start(work: Callable[[object], object]) -> SideProcess:
        made.append(SideProcess(work, name="attune-test", rest_s=REST_S))
        return made[-1]

    yield start
    for process in made:
        process.stop()


def test_job_meeting_an_ending_process_runs_in_the_next(
    started: Callable[[Callable[[object], object]], SideProcess],
) -> None:
    process = started(linger)
    first = process.ask(None)
    time.sleep(10 * REST_S)
    assert process.pid == first, "it has to be there still, without listening, for this test to show anything"
    assert process.ask(None) != first


def test_job_that_kills_its_process_is_not_retried(
    started: Callable[[Callable[[object], object]], SideProcess],
) -> None:
    process = started(die)
    with pytest.raises(SideProcessError):
        process.ask(None)
    assert process.pid is None


def test_waiting_for_an_earlier_job_is_limited_by_timeout(
    started: Callable[[Callable[[object], object]], SideProcess], tmp_path: Path
) -> None:
    process = started(wait_for)
    earlier = Thread(target=process.ask, args=(tmp_path,))
    earlier.start()
    while not (tmp_path / "begun").exists():
        assert earlier.is_alive()
        time.sleep(REST_S / 10)
    with pytest.raises(SideProcessTimeoutError):
        process.ask(tmp_path, timeout_s=0.2)
    assert earlier.is_alive(), "it did not wait for the earlier job to end"
    (tmp_path / "end").touch()
    earlier.join()
    process.ask(tmp_path)
