"""A report written to files, with its charts."""

from __future__ import annotations

import json
from pathlib import Path

from app.analysis.findings.findings_document import findings_document
from app.analysis.report.report import Report
from app.analysis.report.report_tables import report_csvs, report_json
from app.protocol.study import Protocol
from app.results.charts.chart import charts_of


def write_report(report: Report, protocol: Protocol, out: Path) -> list[Path]:
    """Write report.json, agreement.csv, comparisons.csv and a Vega-Lite specification per chart.

    Returns:
        Paths of the written files, in that order. Existing files of these names are replaced.
    """
    charts = {f"charts/{chart.key}.vl.json": chart.spec() for chart in charts_of(report, protocol)}
    texts = {
        "report.json": report_json(report, findings_document(report, protocol)),
        **report_csvs(report),
        **{name: json.dumps(spec, ensure_ascii=False, indent=1) + "\n" for name, spec in charts.items() if spec},
    }
    (out / "charts").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="")
    return [out / name for name in texts]
