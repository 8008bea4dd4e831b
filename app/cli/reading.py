"""Read a study folder or a spreadsheet for a command, within limits that are four times those of an upload."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import typer

from app.analysis.data.study_folder import StudyFolder
from app.base.files.encoding import text_of
from app.base.limits import Limits
from app.base.processes.side_process import bounded
from app.base.progress import Progress, quiet
from app.settings import settings
from app.studies.folder.read import read_folder
from app.studies.imports.column_meanings import named_columns

FACTOR = 4
Job = TypeVar("Job")
Found = TypeVar("Found")


def read_study_folder(path: Path, progress: Progress | None = None) -> StudyFolder:
    """Read the study in a folder.

    Raises:
        InvalidInputError: with every problem, or because a limit was exceeded.
    """
    with reading():
        return read_folder(path, progress or quiet, settings().upload_bounds.times(FACTOR).limits)


def read_words(path: Path) -> str:
    """The text of a file, with the line endings of this program.

    Raises:
        InvalidInputError: it is not text.
    """
    return text_of(path.read_bytes(), path.name).replace("\r\n", "\n").replace("\r", "\n")


def read_sheet(read: Callable[[Job, Limits], Found], job: Job) -> Found:
    """Read a spreadsheet inside `reading`.

    Raises:
        InvalidInputError: with every problem, or because a limit was exceeded.
    """
    return read(job, settings().upload_bounds.times(FACTOR).limits)


@contextmanager
def reading() -> Iterator[None]:
    """Limit the time and memory that a command may use to read its input."""
    with bounded(settings().upload_bounds.times(FACTOR)):
        yield


def read_pairs(named: Iterable[str], option: str, form: str) -> dict[str, str]:
    """The parts of what an option names in a form such as KEY=COLUMN.

    Raises:
        typer.BadParameter: a pair of another form, or a second one of the same key.
    """
    try:
        return named_columns(named, form)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None
