"""Limits on time and memory for reading, in this process and in the upload process."""

import pickle
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest

from app.analysis.data.study_folder import StudyFolder
from app.base.limits import Bounds, Limits
from app.base.problem import InvalidInputError, Problem
from app.base.processes.side_process import SideProcess, TimeIsUp, bounded
from app.studies.creation import upload_process
from app.studies.creation.upload_process import MAX_PROBLEMS, UploadReader, read_within
from tests.kit.bad_work import die, do_nothing, sleep_for_ever, take_memory, work_for_ever
from tests.kit.small import read_small, small

SHORT = Bounds(seconds=1, memory_mb=300)


@pytest.fixture(scope="session")
def process() -> Iterator[SideProcess]:
    """One process for all tests here, which replace it: starting it takes most of their time."""
    made = SideProcess(read_within, name="attune-test", rest_s=60)
    yield made
    made.stop()


def raise_time_is_up(_: object) -> NoReturn:
    raise TimeIsUp


def find_many_problems(_: object, __: Limits) -> StudyFolder:
    raise InvalidInputError([Problem("a.csv", row, None, "x", "y") for row in range(MAX_PROBLEMS + 5)])


def test_reader_exceeding_limits_is_ended_and_replaced(process: SideProcess) -> None:
    reader = UploadReader(SHORT, process)
    for work, found in (
        (work_for_ever, "more than 1 second of processor time"),
        (take_memory, "more than 300 MB of memory"),
        (die, "more than 300 MB of memory"),
    ):
        with pytest.raises(InvalidInputError, match=found):
            reader.read(work, {})
        assert reader.read(do_nothing, {}) is None


def test_reader_that_waits_is_ended_after_its_time_on_the_clock(process: SideProcess) -> None:
    begun = time.monotonic()
    with pytest.raises(InvalidInputError, match=r"or 2 seconds on the clock, to read it.*try a smaller file"):
        UploadReader(SHORT, process).read(sleep_for_ever, {})
    # The process says so itself, and is used again.
    assert time.monotonic() - begun < SHORT.clock_s + 10
    pid = process.pid
    with pytest.raises(InvalidInputError, match="no file"):
        UploadReader(SHORT, process).read_files({})
    assert process.pid == pid


def raise_both_signals() -> None:
    both = {signal.SIGALRM, signal.SIGXCPU}
    signal.pthread_sigmask(signal.SIG_BLOCK, both)
    for one in both:  # to this thread: another would let them through at once
        signal.pthread_kill(threading.get_ident(), one)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, both)


def swallow_the_first_end() -> None:
    with suppress(TimeIsUp):
        work_for_ever()
    work_for_ever()


@pytest.mark.parametrize(
    ("work", "found"),
    [(raise_both_signals, "2 seconds on the clock"), (swallow_the_first_end, "1 second of processor time")],
)
def test_end_is_told_once_and_until_it_is_heard(work: Callable[[], None], found: str) -> None:
    with pytest.raises(InvalidInputError, match=found), bounded(SHORT):
        work()


def test_time_that_is_up_outside_of_the_work_is_reported() -> None:
    end_now = SideProcess(raise_time_is_up, name="attune-test", rest_s=60)
    try:
        with pytest.raises(InvalidInputError, match="on the clock"):
            UploadReader(SHORT, end_now).read(die, {})
    finally:
        end_now.stop()


def test_upload_behind_a_long_one_is_told_to_come_again(process: SideProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_process, "TURN_S", 0.1)
    with ThreadPoolExecutor(1) as others:
        first = others.submit(UploadReader(SHORT, process).read, sleep_for_ever, {})
        time.sleep(0.5)
        with pytest.raises(InvalidInputError, match=r"reads other uploads.*Try again in a few minutes"):
            UploadReader(SHORT, process).read_files({})
        with pytest.raises(InvalidInputError, match="on the clock"):
            first.result(60)


def test_number_of_problems_from_reader_process_is_limited(process: SideProcess) -> None:
    with pytest.raises(InvalidInputError) as caught:
        UploadReader(Bounds(), process).read(find_many_problems, {})
    assert len(caught.value.problems) == MAX_PROBLEMS + 1
    assert caught.value.problems[-1].found == "5 more problems"


def test_limits_of_this_process_are_restored() -> None:
    before = resource.getrlimit(resource.RLIMIT_CPU), resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(InvalidInputError, match="1 second of processor time"), bounded(SHORT):
        work_for_ever(None, Limits())
    with bounded(SHORT):
        assert resource.getrlimit(resource.RLIMIT_CPU) != before[0]
    assert (resource.getrlimit(resource.RLIMIT_CPU), resource.getrlimit(resource.RLIMIT_DATA)) == before


def test_problems_survive_pickling() -> None:
    error = InvalidInputError([Problem("a.csv", 1, None, "x", "y")])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - what was pickled here
    assert again.problems == error.problems
    assert str(again) == str(error)


def test_upload_is_read_from_file_path(process: SideProcess, tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,text\n1,\n")
    with pytest.raises(InvalidInputError) as caught:
        UploadReader(Bounds(), process).read_files({"my/items.csv": Path(tmp_path / "items.csv")})
    assert {problem.file for problem in caught.value.problems} == {"study.yaml", "items.csv"}


def test_study_comes_back_from_the_process_as_it_is_read_here(process: SideProcess, tmp_path: Path) -> None:
    for name, content in small().items():
        (tmp_path / name).write_bytes(content)
    read = UploadReader(Bounds(), process).read_files({name: tmp_path / name for name in small()})
    assert read.protocol == read_small().protocol
    assert read.ratings.equals(read_small().ratings)
