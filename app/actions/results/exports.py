"""Downloads for the lead: the answers as one CSV file, or the whole study as a zipped folder."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from app.exchange.folder.write import write_zip
from app.exchange.folder.written_tables import tables_of
from app.exchange.tabular.csv_cells import write_csv
from app.storage.studies.export import study_events, study_folder
from app.storage.studies.export_sessions import study_rating_sessions

if TYPE_CHECKING:
    from app.actions.results.live_report import LiveReports
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow


def ratings_file(begin: Begin, study: StudyRow, *, spreadsheet: bool = False) -> Path:
    """Write ratings.csv to a temporary file, which the caller deletes."""
    with begin() as db:
        folder = study_folder(db, study.id)
    path = _temporary(".csv")
    write_csv(path, tables_of(folder)["ratings"], spreadsheet=spreadsheet)
    return path


def study_zip_file(begin: Begin, study: StudyRow, reports: LiveReports) -> Path:
    """Write the study folder, with its estimates and events, to a temporary zip file, which the caller deletes."""
    # Read in one transaction, so that estimates and answers agree even while raters continue.
    with begin() as db:
        folder, events = study_folder(db, study.id), study_events(db, study.id)
        rating_sessions = study_rating_sessions(db, study.id)
    path = _temporary(".zip")
    with path.open("wb") as file:
        write_zip(
            file, folder, events=events, rating_sessions=rating_sessions, estimates=reports.of_folder(folder).estimates
        )
    return path


def _temporary(suffix: str) -> Path:
    with tempfile.NamedTemporaryFile(prefix="attune-", suffix=suffix, delete=False) as file:
        return Path(file.name)
