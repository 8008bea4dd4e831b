"""What a lead takes away: the answers as one CSV, or the whole study as a folder in a zip."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from app.storage.studies import StudyRow


def ratings_file(db: Connection, study: StudyRow, *, spreadsheet: bool = False) -> Path:
    """ratings.csv in a temporary file, which the caller removes."""
    from app.exchange.cells import write_csv
    from app.exchange.tables import tables_of
    from app.storage.export import study_folder

    path = _temporary(".csv")
    write_csv(path, tables_of(study_folder(db, study.id))["ratings"], spreadsheet=spreadsheet)
    return path


def study_zip_file(db: Connection, study: StudyRow) -> Path:
    """The study folder, with its figures and events, zipped into a temporary file, which the caller removes."""
    from app.actions.report import report_of_folder
    from app.exchange import write_zip
    from app.storage.export import study_events, study_folder

    # One read: the figures are those of the answers beside them, also while raters go on.
    folder = study_folder(db, study.id)
    figures = report_of_folder(folder).figures
    path = _temporary(".zip")
    with path.open("wb") as file:
        write_zip(file, folder, events=study_events(db, study.id), figures=figures)
    return path


def _temporary(suffix: str) -> Path:
    with tempfile.NamedTemporaryFile(prefix="attune-", suffix=suffix, delete=False) as file:
        return Path(file.name)
