"""Read a study folder or a spreadsheet for a command, within limits that are four times those of an upload."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from app.analysis.data.study_folder import StudyFolder
from app.base.files.records import quiet
from app.base.files.spreadsheet import is_parquet
from app.base.limits import Limits
from app.base.processes.reading_bounds import bounded
from app.settings import settings
from app.studies.creation.upload_process import UploadReader
from app.studies.folder.read import read_folder

FACTOR = 4
Job = TypeVar("Job")
Found = TypeVar("Found")


def read_study_folder(path: Path, progress: Callable[[str, int, int], None] | None = None) -> StudyFolder:
    """Read the study in a folder.

    Raises:
        InvalidInputError: with every problem, or because a limit was exceeded.
    """
    with reading():
        return read_folder(path, progress or quiet, settings().upload_bounds.times(FACTOR).limits)


def read_sheet(read: Callable[[Job, Limits], Found], job: Job, file: Path) -> Found:
    """Read a spreadsheet inside `reading`. A damaged Parquet file can end the process that decodes it: it gets its own.

    Raises:
        InvalidInputError: with every problem, or because a limit was exceeded or the process ended.
    """
    bounds = settings().upload_bounds.times(FACTOR)
    if not is_parquet(file):
        return read(job, bounds.limits)
    found: Found = UploadReader(bounds).read(read, job)
    return found


@contextmanager
def reading() -> Iterator[None]:
    """Limit the time and memory that a command may use to read its input."""
    with bounded(settings().upload_bounds.times(FACTOR)):
        yield
