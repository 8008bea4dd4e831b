"""The whole stored study, with its estimates, events and plan: as a folder or as a zip file of it."""

from pathlib import Path

from sqlalchemy import Connection

from app.base.database.frame_copy import Progress
from app.llm.runs.requests_file import request_lines
from app.results.blinding import refuse_if_blinded
from app.results.making.task import Task
from app.results.registration.preregister import registration_text
from app.results.reports.outcomes import ESTIMATING, READING, WRITING
from app.results.reports.report_input import report_of_folder
from app.studies.export import study_events, study_folder, study_rating_sessions
from app.studies.folder.write import write_folder, write_zip
from app.studies.studies import StudyRow


def write_study_folder(db: Connection, study: StudyRow, out: Path, *, spreadsheet: bool, progress: Progress) -> None:
    """Write the whole study with its estimates to a folder that can be loaded again.

    Raises:
        FolderExistsError: the folder exists and is not empty.
        BlindedError: the study's estimates are hidden until it closes.
    """
    # Read in one transaction, so that estimates and answers agree even while raters continue.
    folder = study_folder(db, study.id)
    refuse_if_blinded(study, folder.protocol)
    estimates = report_of_folder(folder).estimates
    write_folder(
        out,
        folder,
        events=study_events(db, study.id),
        rating_sessions=study_rating_sessions(db, study.id),
        estimates=estimates,
        registration=registration_text(db, study),
        requests=request_lines(db, study.id),
        spreadsheet=spreadsheet,
        progress=progress,
    )


def write_study_zip(task: Task) -> None:
    """Write the study folder with its estimates and events."""
    task.tell(READING)
    # Read in one transaction, so that estimates and answers agree even while raters continue.
    with task.reading() as db:
        folder, events = study_folder(db, task.study.id), study_events(db, task.study.id)
        rating_sessions = study_rating_sessions(db, task.study.id)
        plan = registration_text(db, task.study)
        requests = [*request_lines(db, task.study.id)]
    task.tell(ESTIMATING)
    estimates = report_of_folder(folder).estimates
    task.tell(WRITING)
    with task.path.open("wb") as file:
        write_zip(
            file,
            folder,
            events=events,
            rating_sessions=rating_sessions,
            estimates=estimates,
            registration=plan,
            requests=requests,
        )
