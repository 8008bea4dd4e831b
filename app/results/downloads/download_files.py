"""Files of a whole study, as the process for downloads reads and writes them."""

from __future__ import annotations

from pathlib import Path

from app.analysis.data.study_folder import StudyFolder
from app.base.database.engine import Begin
from app.base.files.csv_cells import write_csv
from app.llm.runs.requests_file import request_lines, write_requests
from app.results.downloads.files import write_download
from app.results.downloads.names import DownloadName
from app.results.registration.registered_plan import registration_text
from app.results.reports.report import report_of_folder
from app.studies.export import study_events, study_folder, study_rating_sessions
from app.studies.folder.write import write_zip
from app.studies.folder.written_tables import tables_of
from app.studies.studies import StudyRow


def write_one(begin: Begin, study: StudyRow, path: Path, name: DownloadName) -> None:
    """Write one of the files of *Downloads*.

    Raises:
        TooManyRowsError: the study does not fit into a workbook.
    """
    if name == "requests.jsonl":
        with begin() as db:
            write_requests(db, study.id, path)
    else:
        write_download(path, name, _whole(begin, study))


def write_ratings_for_spreadsheets(begin: Begin, study: StudyRow, path: Path) -> None:
    """Write the answers with a byte order mark, and no cell that would run as a formula."""
    write_csv(path, tables_of(_whole(begin, study))["ratings"], spreadsheet=True)


def write_study_zip(begin: Begin, study: StudyRow, path: Path) -> None:
    """Write the study folder with its estimates and events."""
    # Read in one transaction, so that estimates and answers agree even while raters continue.
    with begin() as db:
        folder, events = study_folder(db, study.id), study_events(db, study.id)
        rating_sessions = study_rating_sessions(db, study.id)
        plan = registration_text(db, study)
        requests = [*request_lines(db, study.id)]
    estimates = report_of_folder(folder).estimates
    with path.open("wb") as file:
        write_zip(
            file,
            folder,
            events=events,
            rating_sessions=rating_sessions,
            estimates=estimates,
            registration=plan,
            requests=requests,
        )


def _whole(begin: Begin, study: StudyRow) -> StudyFolder:
    with begin() as db:
        return study_folder(db, study.id)
