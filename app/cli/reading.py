"""Read a study folder for a command, within limits that are four times those of an upload."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.actions.studies.creation.reading_bounds import bounded
from app.exchange.folder.read import read_folder
from app.exchange.tabular.records import quiet
from app.settings import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.analysis.data.study_folder import StudyFolder

FACTOR = 4


def read_study_folder(path: Path, progress: Callable[[str, int, int], None] | None = None) -> StudyFolder:
    """Read the study in a folder.

    Raises:
        InvalidInputError: with every problem, or because a limit was exceeded.
    """
    with reading():
        return read_folder(path, progress or quiet, settings().upload_bounds.times(FACTOR).limits)


@contextmanager
def reading() -> Iterator[None]:
    """Limit the time and memory that a command may use to read its input."""
    with bounded(settings().upload_bounds.times(FACTOR)):
        yield
