"""A report written to files, with its charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

from app.analysis.report.report import Report
from app.analysis.report.report_tables import report_csvs, report_json
from app.base.database.engine import Begin
from app.protocol.study import Protocol
from app.results.charts.chart import charts_of
from app.results.documents.circumstances import circumstances_of
from app.results.documents.document_formats import FORMATS, ReportJob, zipped
from app.results.documents.report_files_process import REPORT_FILES_PROCESS
from app.results.reports.live_report import LiveReport
from app.studies.studies import StudyRow


def write_report(report: Report, protocol: Protocol, out: Path) -> list[Path]:
    """Write report.json, agreement.csv, comparisons.csv and a Vega-Lite specification per chart.

    Returns:
        Paths of the written files, in that order. Existing files of these names are replaced.
    """
    charts = {f"charts/{chart.key}.vl.json": chart.spec() for chart in charts_of(report, protocol)}
    texts = {
        "report.json": report_json(report),
        **report_csvs(report),
        **{name: json.dumps(spec, ensure_ascii=False, indent=1) + "\n" for name, spec in charts.items() if spec},
    }
    (out / "charts").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="")
    return [out / name for name in texts]


# The report of a study as one download.


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
