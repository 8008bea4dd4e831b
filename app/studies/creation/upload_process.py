"""Uploads are read in a separate process with limits: no file can exhaust the web server's memory or time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from app.base.limits import Bounds, Limits
from app.base.problem import InvalidInputError, Problem
from app.base.processes.side_process import SideProcess, SideProcessError, SideProcessTimeoutError, bounded

if TYPE_CHECKING:
    from app.analysis.data.study_folder import StudyFolder

Read = Callable[[Any, Limits], Any]


# Waiting for earlier uploads, and what a process that does not stop itself is given beyond its time.
TURN_S, SPARE_S, REST_S = 30, 15, 120
# A table with a wrong scale has a problem in every row; pages show fewer than this.
MAX_PROBLEMS = 1_000


def read_within(job: tuple[Read, object, Bounds]) -> Any:  # noqa: ANN401 - what the job's function returns
    """Read one upload, in the process.

    Raises:
        InvalidInputError: the upload has problems, or took more than allowed.
    """
    read, upload, bounds = job
    try:
        with bounded(bounds):
            return read(upload, bounds.limits)
    except InvalidInputError as error:
        raise InvalidInputError(_first(error.problems)) from None


def _first(problems: list[Problem]) -> list[Problem]:
    n_more = len(problems) - MAX_PROBLEMS
    if n_more <= 0:
        return problems
    more = Problem(
        "the input", None, None, f"{n_more:,} more problems", "no problems; correct the first ones and try again"
    )
    return [*problems[:MAX_PROBLEMS], more]


class FairLock:
    """Like `threading.Lock`, but first come, first served; `threading.Lock` may go to any waiting thread."""

    def __init__(self) -> None:
        """Create a lock that is free."""
        self._guard, self._is_taken = Lock(), False
        self._waiting: deque[Event] = deque()

    def acquire(self, timeout_s: float | None = None) -> bool:
        """Take the lock; False if it was not free in time."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Event()
            self._waiting.append(mine)
        if mine.wait(timeout_s):
            return True
        with self._guard:
            if mine.is_set():  # granted just as the wait timed out
                return True
            self._waiting.remove(mine)
            return False

    def release(self) -> None:
        """Pass the lock to the thread that has waited longest, if any."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


# One for each web process, which reads one upload at a time.
UPLOAD_PROCESS, TURN = SideProcess(read_within, name="attune-upload", rest_s=REST_S), FairLock()


class UploadReader:
    """Reads uploads from browsers, one at a time, outside of any transaction."""

    def __init__(self, bounds: Bounds, process: SideProcess = UPLOAD_PROCESS) -> None:
        """Create the object; the process starts when it is needed."""
        self._bounds, self._process = bounds, process

    def read_files(self, files: Mapping[str, Path]) -> StudyFolder:
        """The study in the files of a study folder, or in a zip of them, by the file names from the browser.

        Raises:
            InvalidInputError: every problem, or the upload took more than allowed.
        """
        from app.studies.creation.read_new_study import read_uploaded_files

        found: StudyFolder = self.read(read_uploaded_files, files)
        return found

    def read(self, read: Read, upload: object) -> Any:  # noqa: ANN401 - what `read` returns
        """The result of `read` for an upload.

        Raises:
            InvalidInputError: every problem, or the upload took more than allowed.
        """
        if not TURN.acquire(TURN_S):
            raise self._bounds.too_busy()
        try:
            # The process stops itself after so long on the clock, unless it is in a library that cannot be interrupted.
            patience_s = self._bounds.clock_s + SPARE_S
            return self._process.ask((read, upload, self._bounds), timeout_s=patience_s)
        except SideProcessTimeoutError:
            raise self._bounds.too_slow() from None
        except SideProcessError:
            raise self._bounds.too_large() from None
        finally:
            TURN.release()
