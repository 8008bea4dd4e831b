"""Downloads that need a whole study are read and written in processes of their own, within limits.

A study of a million answers takes seconds to read into tables, in which the web process would answer raters late.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.base.database.engine import on_database
from app.base.processes.side_process import SideProcess, within_bounds
from app.results.downloads.names import DownloadName
from app.results.reports.report_job import ReportBounds
from app.studies.studies import StudyRow

REST_S = 120
DOWNLOAD_PROCESS = SideProcess(within_bounds, name="attune-downloads", rest_s=REST_S)
# The archive holds all estimates: other downloads do not wait for their computation.
ARCHIVE_PROCESS = SideProcess(within_bounds, name="attune-archive", rest_s=REST_S)


def write_there(url: str, work: Callable[..., None], given: tuple[Any, ...]) -> None:
    """Call `work` with a function that opens transactions on this database, and with what is given."""
    with on_database(url) as begin:
        work(begin, *given)


class DownloadWriter:
    """Writes one file at a time. Every method raises a SideProcessError that says why if it took too much."""

    def __init__(self, bounds: ReportBounds, url: Callable[[], str]) -> None:
        """Create the object; a process starts when it is needed.

        Args:
            bounds: what one file may take.
            url: gives the address of the database to read from.
        """
        self._bounds, self._url = bounds, url

    def write(self, study: StudyRow, path: Path, name: DownloadName) -> None:
        """Write one of the files of *Downloads*.

        Raises:
            TooManyRowsError: the study does not fit into a workbook.
        """
        from app.results.downloads.download_files import write_one

        self._ask(DOWNLOAD_PROCESS, write_one, study, path, name)

    def write_for_spreadsheets(self, study: StudyRow, path: Path) -> None:
        """Write ratings.csv with formulas disabled."""
        from app.results.downloads.download_files import write_ratings_for_spreadsheets

        self._ask(DOWNLOAD_PROCESS, write_ratings_for_spreadsheets, study, path)

    def write_study(self, study: StudyRow, path: Path) -> None:
        """Write the whole study as a zip file."""
        from app.results.downloads.download_files import write_study_zip

        self._ask(ARCHIVE_PROCESS, write_study_zip, study, path)

    def _ask(self, process: SideProcess, work: Callable[..., None], *given: object) -> None:
        bounds, job = self._bounds, (self._url(), work, given)
        process.ask((write_there, job, bounds.seconds, bounds.memory_mb), timeout_s=bounds.hanging_s, waits=True)
