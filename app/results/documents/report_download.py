"""The report for a paper as jobs write it: charts and a PDF hold the interpreter, and raters would wait."""

import base64
import hashlib
import zlib
from typing import Any

from app.analysis.data.filter_options import filtered_protocol
from app.analysis.report.stored_report import read_stored, stored_text
from app.base.numbers import NumberStyle
from app.results.documents.document_formats import FORMATS, ReportJob, zipped
from app.results.documents.report_context import report_context_of
from app.results.making.making import Wanted
from app.results.making.task import Task
from app.results.reports.outcomes import LiveReport
from app.studies.protocols import get_protocol


def wanted_report(
    made: LiveReport, version: int, ending: str, name: str, *, numbers: NumberStyle, n_deleted: int | None
) -> Wanted:
    """The files of this report in one format, or of all formats in an archive, with numbers in this style.

    `version` is that of the protocol by which the report was made. The job is given the report itself: its page may
    show an earlier one than the last.
    """
    content = zlib.compress(stored_text(made.report).encode())
    given: dict[str, Any] = {"report": base64.b64encode(content).decode(), "version": version, "ending": ending}
    given["numbers"] = numbers
    part = f"report-{hashlib.sha256(content).hexdigest()[:32]}-{version}-{numbers}.{ending}"
    return Wanted("report", part, given, name, n_deleted=n_deleted)


def write_report(task: Task, report: str, version: int, ending: str, numbers: NumberStyle) -> None:
    """Write them, in the process of the job, which alone loads the libraries of charts and documents."""
    from app.results.documents.report_files import report_documents, report_files

    found = read_stored(zlib.decompress(base64.b64decode(report)).decode())
    with task.begin() as db:
        protocol = filtered_protocol(get_protocol(db, task.study.id, version), found.filters)
        about = report_context_of(db, task.study, version)
    formats = FORMATS if ending == "zip" else tuple(one for one in FORMATS if one == ending)
    job = ReportJob(found, protocol, about, formats, numbers)
    task.path.write_bytes(
        zipped(report_files(job)) if ending == "zip" else report_documents(job)[0][f"report.{ending}"]
    )
