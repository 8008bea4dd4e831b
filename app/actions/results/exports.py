"""Downloads for the lead: the answers as one CSV file, or the whole study as a zipped folder."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from app.actions.results.blinding import refuse_if_blinded
from app.exchange.downloads.files import write_download
from app.exchange.downloads.workbook import TooManyRowsError
from app.exchange.folder.write import write_zip
from app.exchange.folder.written_tables import tables_of
from app.exchange.tabular.csv_cells import write_csv
from app.storage.results.ratings_export import copy_ratings_csv
from app.storage.studies.export import study_events, study_folder
from app.storage.studies.export_sessions import study_rating_sessions
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.actions.results.live_report import LiveReports
    from app.exchange.downloads.files import DownloadName
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow

__all__ = ["TooManyRowsError", "download_file", "ratings_file", "study_zip_file"]


def ratings_file(begin: Begin, study: StudyRow, *, spreadsheet: bool = False) -> Path:
    """ratings.csv in a temporary file, to be deleted by the caller."""
    with begin() as db:
        protocol = get_protocol(db, study.id, study.protocol_version)
    refuse_if_blinded(study, protocol)
    with _temporary(".csv") as path:
        if spreadsheet:
            with begin() as db:
                folder = study_folder(db, study.id)
            write_csv(path, tables_of(folder)["ratings"], spreadsheet=True)
        else:
            with begin() as db, path.open("wb") as file:
                copy_ratings_csv(db, study.id, protocol, file)
    return path


def download_file(begin: Begin, study: StudyRow, name: DownloadName) -> Path:
    """One of the other downloads in a temporary file, to be deleted by the caller."""
    with begin() as db:
        folder = study_folder(db, study.id)
    refuse_if_blinded(study, folder.protocol)
    with _temporary(Path(name).suffix) as path:
        write_download(path, name, folder)
    return path


def study_zip_file(begin: Begin, study: StudyRow, reports: LiveReports) -> Path:
    """Write the study folder, with its estimates and events, to a temporary zip file, which the caller deletes."""
    # Read in one transaction, so that estimates and answers agree even while raters continue.
    with begin() as db:
        folder, events = study_folder(db, study.id), study_events(db, study.id)
        rating_sessions = study_rating_sessions(db, study.id)
    refuse_if_blinded(study, folder.protocol)
    with _temporary(".zip") as path, path.open("wb") as file:
        write_zip(
            file, folder, events=events, rating_sessions=rating_sessions, estimates=reports.of_folder(folder).estimates
        )
    return path


@contextmanager
def _temporary(suffix: str) -> Iterator[Path]:
    """A temporary file to be written; it is deleted if that fails, because nobody else would."""
    with tempfile.NamedTemporaryFile(prefix="attune-", suffix=suffix, delete=False) as file:
        path = Path(file.name)
    try:
        yield path
    except BaseException:
        path.unlink(missing_ok=True)
        raise
