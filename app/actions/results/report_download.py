"""The report of a study as one download."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from app.actions.results.documents.circumstances import circumstances_of
from app.actions.results.documents.document_formats import FORMATS, ReportJob, zipped
from app.actions.results.processes.report_files_process import REPORT_FILES_PROCESS

if TYPE_CHECKING:
    from app.actions.results.live_report import LiveReport
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow


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
