"""Report files are written in a process of their own: charts and a PDF hold the interpreter, and raters would wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from app.base.database.engine import Begin
from app.base.processes.side_process import SideProcess
from app.results.documents.circumstances import circumstances_of
from app.results.documents.document_formats import FORMATS, ReportJob, zipped
from app.results.reports.outcomes import LiveReport
from app.studies.studies import StudyRow

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


def report_download(
    begin: Begin, study: StudyRow, made: LiveReport, version: int, ending: Literal["html", "pdf", "docx", "zip"]
) -> tuple[str, bytes]:
    """The media type and the bytes of the report in a format, or of all formats in an archive.

    `version` is that of the protocol by which the report was made.

    Raises:
        SideProcessError: the process that writes the files is gone, or took too long.
    """
    with begin() as db:
        about = circumstances_of(db, study, version)
    if ending == "zip":
        files = REPORT_FILES_PROCESS.write(ReportJob(made.report, made.protocol, about, tuple(FORMATS)))
        return "application/zip", zipped(files)
    files = REPORT_FILES_PROCESS.write(ReportJob(made.report, made.protocol, about, (ending,)))
    return FORMATS[ending], files[f"report.{ending}"]
