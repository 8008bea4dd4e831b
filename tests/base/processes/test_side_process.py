"""A process beside this one, from start to end."""

import os
import time
from collections.abc import Callable, Iterator
from multiprocessing.util import Finalize

import pytest

from app.base.processes.side_process import SideProcess, SideProcessError

REST_S, LINGER_S = 0.1, 3


def linger(_: object) -> int:
    """Do a job, and take a while to exit, like a process that has something to write."""
    Finalize(None, time.sleep, args=(LINGER_S,), exitpriority=1)
    return os.getpid()


def die(_: object) -> None:
    """Take the job, then kill the process."""
    os._exit(1)


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
