"""The whole stored study, with its estimates, events and plan: as a folder or as a zip file of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin
from app.base.progress import Progress
from app.llm.runs.requests_file import request_lines
from app.results.blinding import readable
from app.results.making.task import Task
from app.results.registration.preregister import registration_text
from app.results.reports.outcomes import ESTIMATING, READING, WRITING, Tell
from app.results.reports.report_input import report_of_folder
from app.studies.export import study_events, study_folder, study_rating_sessions
from app.studies.folder.write import write_folder, write_zip
from app.studies.studies import StudyRow


def write_study_folder(begin: Begin, study: StudyRow, out: Path, *, spreadsheet: bool, progress: Progress) -> None:
    """Write the whole study with its estimates to a folder that can be loaded again.

    Raises:
        FolderExistsError: the folder exists and is not empty.
        BlindedError: the study's estimates are hidden until it closes.
    """
    readable(begin, study)
    with _whole(begin, study, lambda _: None) as (folder, parts):
        write_folder(out, folder, **parts, spreadsheet=spreadsheet, progress=progress)


def write_study_zip(task: Task) -> None:
    """Write the study folder with its estimates and events."""
    with _whole(task.reading, task.study, task.tell) as (folder, parts), task.path.open("wb") as file:
        write_zip(file, folder, **parts)


@contextmanager
def _whole(begin: Begin, study: StudyRow, tell: Tell) -> Iterator[tuple[StudyFolder, dict[str, Any]]]:
    """The study, and its other parts as `write_folder` takes them. Requests may be larger than memory."""
    with TemporaryFile("w+", encoding="utf-8", newline="\n") as requests:
        tell(READING)
        # Read in one transaction, so that estimates and answers agree even while raters continue. It ends before the
        # estimates are computed, because the database ends one that waits for long.
        with begin() as db:
            folder = study_folder(db, study.id)
            parts = {
                "events": study_events(db, study.id),
                "rating_sessions": study_rating_sessions(db, study.id),
                "registration": registration_text(db, study),
            }
            requests.writelines(request_lines(db, study.id))
        requests.seek(0)
        tell(ESTIMATING)
        estimates = report_of_folder(folder).estimates
        tell(WRITING)
        yield folder, {**parts, "estimates": estimates, "requests": requests}
