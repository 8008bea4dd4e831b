from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NoReturn

import pytest

from app.analysis import analyze
from app.analysis.data.report_filters import ALL
from app.base.processes.side_process import SideProcessError
from app.results.reports.computing import COUNTING, ESTIMATING, READING, LiveReport
from app.results.reports.report_process import ReportBounds, ReportProcess, ReportWork
from app.studies.folder.read import read_folder
from app.studies.load import load_study
from app.studies.studies import get_study
from tests.analysis.golden import HERE
from tests.kit.frames import FIVE, frames, protocol
from tests.kit.processes import IN_PROC, all_end, is_running
from tests.kit.study_report import report_of_study

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Engine

    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.protocol.study import Protocol
    from app.results.reports.computing import Computing


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
    report: Report = process.ask(analyze, *job, n_ratings=18)
    assert report.as_document() == analyze(*job).as_document()


def test_report_process_raises_error_and_continues(process: ReportProcess, job: tuple[Frames, Protocol]) -> None:
    with pytest.raises(AttributeError):
        process.ask(analyze, job[0], None, n_ratings=18)
    assert process.ask(analyze, *job, n_ratings=18).estimates


def test_killed_report_process_is_replaced(process: ReportProcess, job: tuple[Frames, Protocol]) -> None:
    process.ask(analyze, *job, n_ratings=18)
    for pid in process.pids:
        os.kill(pid, signal.SIGKILL)
    assert process.ask(analyze, *job, n_ratings=18).estimates


def test_a_report_that_takes_too_much_says_so_and_one_that_dies_raises() -> None:
    process = ReportProcess(ReportBounds(seconds=2, memory_mb=300, quick_seconds=1))
    for work, words in (
        (_work_for_ever, "more than 2 seconds of processor time"),
        (_take_memory, "more than 300 MB"),
        (_die_at_work, SideProcessError.words),
    ):
        with pytest.raises(SideProcessError, match=words):
            process.ask(work, n_ratings=1)
    process.stop()


def _die_at_work() -> NoReturn:
    os._exit(9)


def test_a_small_report_and_counts_do_not_wait_for_a_large_report() -> None:
    process = ReportProcess(ReportBounds(quick_ratings=10))
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(process.ask, time.sleep, 60, n_ratings=11)
        assert process.ask(sum, (1, 2), n_ratings=10) == 3
        assert process.ask_quickly(sum, (1, 2)) == 3
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


def test_report_is_read_and_computed_in_the_processes_with_its_progress(engine: Engine, process: ReportProcess) -> None:
    with engine.begin() as db:
        load_study(db, read_folder(HERE / "epitome"))
        study = get_study(db, "epitome")
        expected = report_of_study(db, study)[0] if study else None
    assert study
    assert expected
    url = engine.url.render_as_string(hide_password=False)
    prepared = ReportWork(process, lambda: url, url).prepare(engine.begin, study, ALL)
    told: list[Computing] = []
    assert prepared.count(None, told.append).results
    made = prepared.report(None, (), told.append)
    assert isinstance(made, LiveReport)
    assert made.report.as_document() == expected.as_document()
    assert [one.step for one in told[:3]] == [COUNTING.step, READING.step, ESTIMATING.step]
    assert [one.share for one in told] == sorted(one.share for one in told)
    assert prepared.report(None, [made.name], told.append) == made.name


@pytest.mark.skipif(not IN_PROC, reason="finds the process in /proc")
def test_report_process_ends_with_killed_parent() -> None:
    start = (
        "import time; from app.results.reports.report_process import ReportProcess;"
        "p = ReportProcess(); p.ask(sum, (1, 2), n_ratings=1); print(*p.pids, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    assert all_end([pid])
