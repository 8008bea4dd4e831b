"""Downloads that are made from a whole study are written in a process of their own, within limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.side_process import SideProcess, within_bounds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from app.actions.results.processes.report_process import ReportBounds
    from app.analysis.data.study_folder import StudyFolder
    from app.analysis.estimate import Estimate
    from app.exchange.downloads.files import DownloadName

REST_S = 120
DOWNLOAD_PROCESS = SideProcess(within_bounds, name="attune-downloads", rest_s=REST_S)


class DownloadWriter:
    """Writes one file at a time. Every method raises a SideProcessError that says why if it took too much."""

    def __init__(self, bounds: ReportBounds, process: SideProcess = DOWNLOAD_PROCESS) -> None:
        """Create the object; the process starts when it is needed."""
        self._bounds, self._process = bounds, process

    def write(self, path: Path, name: DownloadName, folder: StudyFolder) -> None:
        """Write one of the files of *Downloads*.

        Raises:
            TooManyRowsError: the study does not fit into a workbook.
        """
        from app.exchange.downloads.files import write_download

        self._ask(write_download, path, name, folder)

    def write_for_spreadsheets(self, path: Path, folder: StudyFolder) -> None:
        """Write ratings.csv with formulas disabled."""
        from app.actions.results.download_files import write_ratings_for_spreadsheets

        self._ask(write_ratings_for_spreadsheets, path, folder)

    def write_study(
        self,
        path: Path,
        folder: StudyFolder,
        events: pd.DataFrame,
        rating_sessions: Mapping[str, pd.DataFrame],
        estimates: Sequence[Estimate],
        registration: str | None = None,
    ) -> None:
        """Write the whole study as a zip file."""
        from app.actions.results.download_files import write_study_zip

        self._ask(write_study_zip, path, folder, events, rating_sessions, estimates, registration)

    def _ask(self, work: object, *given: object) -> None:
        bounds = self._bounds
        self._process.ask((work, given, bounds.seconds, bounds.memory_mb), timeout_s=bounds.hanging_s, waits=True)
