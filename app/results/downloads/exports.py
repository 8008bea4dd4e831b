"""Downloads for the lead: the answers as one CSV file, or the whole study as a zipped folder."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.base.database.engine import Begin
from app.protocol.study import Protocol
from app.results.blinding import refuse_if_blinded
from app.results.downloads.download_process import DownloadWriter
from app.results.downloads.names import DownloadName, TooManyRowsError
from app.results.downloads.ratings_export import copy_ratings_csv
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

__all__ = ["TooManyRowsError", "download_file", "ratings_file", "spreadsheet_file", "study_zip_file"]


def ratings_file(begin: Begin, study: StudyRow) -> Path:
    """ratings.csv in a temporary file, to be deleted by the caller."""
    protocol = _readable(begin, study)
    with _temporary(".csv") as path, begin() as db, path.open("wb") as file:
        copy_ratings_csv(db, study.id, protocol, file)
    return path


def spreadsheet_file(begin: Begin, study: StudyRow, writer: DownloadWriter) -> Path:
    """ratings.csv for spreadsheets in a temporary file, to be deleted by the caller.

    Raises:
        SideProcessError: the file could not be written, for the reason in its message.
    """
    _readable(begin, study)
    with _temporary(".csv") as path:
        writer.write_for_spreadsheets(study, path)
    return path


def download_file(begin: Begin, study: StudyRow, name: DownloadName, writer: DownloadWriter) -> Path:
    """One of the other downloads in a temporary file, to be deleted by the caller.

    Raises:
        TooManyRowsError: the study does not fit into a workbook.
        SideProcessError: the file could not be written, for the reason in its message.
    """
    _readable(begin, study)
    with _temporary(Path(name).suffix) as path:
        writer.write(study, path, name)
    return path


def study_zip_file(begin: Begin, study: StudyRow, writer: DownloadWriter) -> Path:
    """Write the study folder, with its estimates and events, to a temporary zip file, which the caller deletes.

    Raises:
        SideProcessError: the report or the file could not be made, for the reason in its message.
    """
    _readable(begin, study)
    with _temporary(".zip") as path:
        writer.write_study(study, path)
    return path


def _readable(begin: Begin, study: StudyRow) -> Protocol:
    """The protocol of a study whose answers may be downloaded.

    Raises:
        BlindedError: they are hidden until the study closes.
    """
    with begin() as db:
        protocol = get_protocol(db, study.id, study.protocol_version)
    refuse_if_blinded(study, protocol)
    return protocol


@contextmanager
def _temporary(suffix: str) -> Iterator[Path]:
    """Yield a temporary file to write to; it is deleted if writing fails."""
    with tempfile.NamedTemporaryFile(prefix="attune-", suffix=suffix, delete=False) as file:
        path = Path(file.name)
    try:
        yield path
    except BaseException:
        path.unlink(missing_ok=True)
        raise
