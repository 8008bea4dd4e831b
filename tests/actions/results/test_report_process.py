from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, NoReturn

import pytest

from app.actions.results.report_process import ReportProcess
from app.actions.side_process import SideProcessError
from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.exchange.folder.read import read_folder
from tests.processes import IN_PROC, all_end, is_running
from tests.real_data.pandalm import write_pandalm

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.analysis.data.frames import Frames
    from app.design.protocol.study import Protocol


@pytest.fixture
def process() -> Iterator[ReportProcess]:
    process = ReportProcess()
    yield process
    process.stop()


@pytest.fixture
def job(tmp_path: Path, shared: Path) -> tuple[Frames, Protocol]:
    folder = read_folder(write_pandalm(tmp_path, shared))
    return frames_of(folder), folder.protocol


def test_a_report_from_over_there_is_the_one_from_here(process: ReportProcess, job: tuple[Frames, Protocol]) -> None:
    assert process.analyze(*job).as_document() == analyze(*job).as_document()


def test_what_goes_wrong_over_there_is_raised_here_and_the_next_report_is_made(
    process: ReportProcess, job: tuple[Frames, Protocol]
) -> None:
    with pytest.raises(AttributeError):
        process.analyze(None, job[1])  # type: ignore[arg-type]
    assert process.analyze(*job).estimates


def test_a_process_that_was_killed_is_replaced(process: ReportProcess, job: tuple[Frames, Protocol]) -> None:
    process.analyze(*job)
    assert process.pid
    os.kill(process.pid, signal.SIGKILL)
    assert process.analyze(*job).estimates


def test_a_process_that_dies_at_work_is_told_of(job: tuple[Frames, Protocol]) -> None:
    process = ReportProcess(_die_at_work)
    with pytest.raises(SideProcessError):
        process.analyze(*job)


def _die_at_work(_: object) -> NoReturn:
    os._exit(9)


@pytest.mark.skipif(not IN_PROC, reason="finds the process in /proc")
def test_the_process_ends_with_a_parent_that_is_killed() -> None:
    start = (
        "import time; from app.actions.results.report_process import ReportProcess; p = ReportProcess();"
        "exec('try: p.analyze(None, None)\\nexcept AttributeError: pass'); print(p.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.kill()
    assert all_end([pid])
