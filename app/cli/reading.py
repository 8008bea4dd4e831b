"""Read a study folder or a spreadsheet for a command, within limits that are four times those of an upload."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from app.actions.studies.creation.reading_bounds import bounded
from app.actions.studies.creation.upload_process import UploadReader
from app.exchange.folder.read import read_folder
from app.exchange.tabular.records import quiet
from app.exchange.tabular.spreadsheet import is_parquet
from app.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.analysis.data.study_folder import StudyFolder
    from app.design.limits import Limits

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
