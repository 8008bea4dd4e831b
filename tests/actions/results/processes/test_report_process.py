from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import pandas as pd
import pytest

from app.actions.results.processes.report_process import ReportBounds, ReportProcess
from app.actions.side_process import SideProcessError
from app.analysis import analyze
from tests.analysis.builders import FIVE, frames, protocol
from tests.processes import IN_PROC, all_end, is_running

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.frames import Frames
    from app.design.protocol.study import Protocol


@pytest.fixture(scope="session")
def process() -> Iterator[ReportProcess]:
    """The processes for all tests here: each takes two seconds to start."""
    process = ReportProcess()
    yield process
    process.stop()


@pytest.fixture
def job() -> tuple[Frames, Protocol]:
    """Ratings of a few raters: the report is not what takes the time here."""
    study = protocol(FIVE)
    rows = [
        {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
        for value, rater in enumerate("abc", 1)
        for item in ("i", "j", "k")
        for source in ("human", "model")
    ]
    return frames(study, rows), study


def test_report_process_returns_same_report(process: ReportProcess, job: tuple[Frames, Protocol]) -> None:
    assert process.analyze(*job).as_document() == analyze(*job).as_document()


def test_report_process_raises_error_and_continues(process: ReportProcess, job: tuple[Frames, Protocol]) -> None:
    with pytest.raises(AttributeError):
        process.analyze(job[0], None)  # type: ignore[arg-type]
    assert process.analyze(*job).estimates


def test_killed_report_process_is_replaced(process: ReportProcess, job: tuple[Frames, Protocol]) -> None:
    process.analyze(*job)
    for pid in process.pids:
        os.kill(pid, signal.SIGKILL)
    assert process.analyze(*job).estimates


def test_a_report_that_takes_too_much_says_so_and_one_that_dies_raises(job: tuple[Frames, Protocol]) -> None:
    process = ReportProcess(_call, ReportBounds(seconds=2, memory_mb=300, quick_seconds=1))
    for work, words in (
        (_work_for_ever, "more than 2 seconds of processor time"),
        (_take_memory, "more than 300 MB"),
        (_die_at_work, SideProcessError.words),
    ):
        given: Any = work
        with pytest.raises(SideProcessError, match=words):
            process.analyze(job[0], given)
    process.stop()


def _call(_frames: Frames, work: Any, _filters: object) -> Any:  # noqa: ANN401 - one of the functions below
    return work()


def _die_at_work() -> NoReturn:
    os._exit(9)


def test_a_small_report_does_not_wait_for_a_large_one(job: tuple[Frames, Protocol]) -> None:
    frames, protocol = job
    work: Any = _wait_if_large
    process = ReportProcess(work, ReportBounds(quick_ratings=len(frames.ratings)))
    large = replace(frames, ratings=pd.concat([frames.ratings, frames.ratings.head(1)]))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(process.analyze, large, protocol)
        small: object = process.analyze(frames, protocol)
        assert small == len(frames.ratings)
        assert not waiting.done()
        for pid in process.pids:
            os.kill(pid, signal.SIGKILL)
        with pytest.raises(SideProcessError):
            waiting.result()


def _work_for_ever() -> NoReturn:
    while True:
        sum(range(1000))


def _take_memory() -> NoReturn:
    taken = []
    while True:
        taken.append(bytearray(10_000_000))


def _wait_if_large(frames: Frames, *_: object) -> int:
    if frames.ratings.index.has_duplicates:
        time.sleep(60)
    return len(frames.ratings)


@pytest.mark.skipif(not IN_PROC, reason="finds the process in /proc")
def test_report_process_ends_with_killed_parent() -> None:
    start = (
        "import time; import pandas as pd; from app.actions.results.processes.report_process import ReportProcess;"
        "from app.analysis.data.frames import Frames; p = ReportProcess(); empty = Frames(*[pd.DataFrame()] * 4);"
        "exec('try: p.analyze(empty, None)\\nexcept AttributeError: pass'); print(*p.pids, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    assert all_end([pid])
