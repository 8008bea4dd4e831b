"""Report files are written in a process of their own: charts and a PDF hold the interpreter, and raters would wait."""

from __future__ import annotations

from collections.abc import Callable

from app.base.processes.side_process import SideProcess
from app.results.documents.document_formats import ReportJob

REST_S = 300
# two dozen charts in three formats take half a minute on a slow machine
TIMEOUT_S = 180


def write_files(job: ReportJob) -> dict[str, bytes]:
    """Run `report_files` in the process, which alone loads the libraries of charts and documents."""
    from app.results.documents.report_files import report_files

    return report_files(job)


class ReportFilesProcess(SideProcess):
    """The process that writes the files of one report at a time."""

    def __init__(self, work: Callable[[ReportJob], dict[str, bytes]] = write_files) -> None:
        """Nothing starts yet."""
        super().__init__(work, name="attune-report-files", rest_s=REST_S)

    def write(self, job: ReportJob) -> dict[str, bytes]:
        """`report_files`, over there.

        Raises:
            SideProcessError: the process is gone, or took too long.
        """
        files: dict[str, bytes] = self.ask(job, timeout_s=TIMEOUT_S)
        return files


# One for each web process.
REPORT_FILES_PROCESS = ReportFilesProcess()
