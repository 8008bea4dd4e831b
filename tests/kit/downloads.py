"""Downloads written in the test's own process, on its own transaction, which no other process could read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.results.downloads.download_process import DownloadWriter
from app.results.reports.report_job import ReportBounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.base.database.engine import Begin
    from app.base.processes.side_process import SideProcess


class WriterHere(DownloadWriter):
    """Calls in this process what the processes for downloads would call."""

    def __init__(self, begin: Begin) -> None:
        super().__init__(ReportBounds(), lambda: "")
        self._begin = begin

    def _ask(self, _process: SideProcess, work: Callable[..., None], *given: object) -> None:
        work(self._begin, *given)
