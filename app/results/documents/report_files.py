"""The report of a study as files for a paper: one document in every format, its charts, references and records."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

from app.analysis.document.findings import PlacedFigure
from app.analysis.document.study_report import study_report
from app.analysis.estimate import Estimate
from app.analysis.findings.findings_document import findings_document
from app.analysis.findings.main_contrasts import caption_of
from app.analysis.model_code.scripts import scripts_of
from app.analysis.report.report import Report
from app.analysis.report.report_tables import estimates_csvs, report_json
from app.base.documents.blocks import CHARTS, Document, Figure
from app.base.documents.docx_file import docx_document
from app.base.documents.html import html_document
from app.base.documents.latex import bibtex, latex_document, latex_tables
from app.base.documents.markdown import markdown_document
from app.base.documents.reference import Reference
from app.base.documents.typst_source import pdf_of, typst_document
from app.base.numbers import number_style
from app.protocol.study import Protocol
from app.results.charts.chart import Chart, about_responses, charts_of
from app.results.charts.render import Format as Picture
from app.results.charts.render import render
from app.results.documents.document_formats import Format, ReportJob

# which picture each format holds or stands beside
PICTURES: dict[Format, Picture] = {"html": "svg", "pdf": "pdf", "docx": "png", "md": "png", "tex": "pdf"}
MAX_CHARTS = 24
# Of the marks of a chart in print, in CSS pixels: an A4 page also holds its axis, its legend and its caption.
MAX_HEIGHT = 780


def report_files(job: ReportJob) -> dict[str, bytes]:
    """The files by their path: `report.*` and, where one of them needs it, `charts/*` and `tables.tex`.

    `results.bib` holds the references, `models*` the models as code, and `report.json` every
    estimate, also those that the document does not show.
    """
    files, references = report_documents(job)
    files["results.bib"] = bibtex(references).encode()
    files |= {one.name: one.text.encode() for one in scripts_of(job.report, job.protocol)}
    files["report.json"] = report_json(job.report, findings_document(job.report, job.protocol)).encode()
    return files


def report_documents(job: ReportJob) -> tuple[dict[str, bytes], list[Reference]]:
    """The documents with what stands beside them, and the publications that they cite."""
    with number_style(job.numbers):
        charts = _charts(job.report, job.protocol)
        placed = [PlacedFigure(one.part, one.place, _figure(one, job.protocol)) for one in charts]
        document, references = study_report(job.report, job.protocol, placed, job.about)
        shown = {figure.key for figure in document.figures}
        drawn = _drawn([chart for chart in charts if chart.key in shown], job.formats)
    return document_files(document, drawn, job.formats, name="report"), references


def _figure(chart: Chart, protocol: Protocol) -> Figure:
    """The chart with a caption that stands alone: what it shows, the kind of interval, and from how many answers."""
    is_known, items = protocol.raters.identity == "known", protocol.labels.items
    caption = caption_of(chart.caption, chart.estimates, items, are_raters_known=is_known)
    return Figure(chart.key, caption, chart.description)


def _charts(report: Report, protocol: Protocol) -> list[Chart]:
    found = [chart for chart in charts_of(report, protocol) if chart.place != "nowhere"]
    charts = (part for chart in about_responses(found, protocol) for part in on_pages(chart))
    return list(islice((chart for chart in charts if chart.is_drawn), MAX_CHARTS))


def on_pages(chart: Chart) -> list[Chart]:
    """The chart, or parts of it where it is taller than a page, which would cut it: whole questions if these fit."""
    parts = [part for of in _cut(chart, _question) for part in _cut(of, _question_and_scope)]
    if len(parts) == 1:
        return parts
    return [
        replace(part, key=f"{chart.key}-{n}", title=f"{chart.title} ({n} of {len(parts)})")
        for n, part in enumerate(parts, start=1)
    ]


def _cut(chart: Chart, unit: Callable[[Estimate], object]) -> list[Chart]:
    """The chart in the fewest equal parts that fit on a page; estimates of the same unit stay together."""
    together: dict[object, list[Estimate]] = {}
    for one in chart.estimates:
        together.setdefault(unit(one), []).append(one)
    units, parts = [*together.values()], [chart]
    while len(parts) < len(units) and any(map(_is_tall, parts)):
        ends = [len(units) * n // (len(parts) + 1) for n in range(len(parts) + 2)]
        parts = [
            replace(chart, estimates=tuple(one for each in units[start:end] for one in each))
            for start, end in pairwise(ends)
        ]
    return parts


def _is_tall(chart: Chart) -> bool:
    height = (chart.in_print or {}).get("height")
    return isinstance(height, (int, float)) and height > MAX_HEIGHT


def _question(estimate: Estimate) -> object:
    return estimate.measured


def _question_and_scope(estimate: Estimate) -> object:
    return estimate.measured, str(estimate.scope)


def _drawn(charts: Sequence[Chart], formats: Sequence[Format]) -> dict[str, bytes]:
    """Every picture that the formats need, by its path."""
    pictures = dict.fromkeys(PICTURES[one] for one in formats)
    # the caption says what the title would
    specs = {one.key: {**spec, "title": None} for one in charts if (spec := one.in_print) is not None}
    return {f"{CHARTS}/{key}.{picture}": render(spec, picture) for key, spec in specs.items() for picture in pictures}


def document_files(
    document: Document, drawn: Mapping[str, bytes], formats: Sequence[Format], *, name: str
) -> dict[str, bytes]:
    """The document in these formats, with the pictures that stand beside it; HTML, PDF and DOCX hold theirs."""
    files: dict[str, bytes] = {}
    for one in formats:
        files[f"{name}.{one}"] = _written(document, drawn, one)
        if one == "tex":
            files["tables.tex"] = latex_tables(document).encode()
        if one in {"md", "tex"}:
            files |= {path: content for path, content in drawn.items() if path.endswith(PICTURES[one])}
    return files


def _written(document: Document, drawn: Mapping[str, bytes], one: Format) -> bytes:
    ending = f".{PICTURES[one]}"
    mine = {path: content for path, content in drawn.items() if path.endswith(ending)}
    by_key = {path.removeprefix(f"{CHARTS}/").removesuffix(ending): content for path, content in mine.items()}
    match one:
        case "html":
            return html_document(document, by_key).encode()
        case "docx":
            return docx_document(document, by_key)
        case "pdf":
            return pdf_of(typst_document(document), mine)
        case "md":
            return markdown_document(document).encode()
        case "tex":
            return latex_document(document).encode()


# A report written to files, with its charts.


def write_report(report: Report, protocol: Protocol, out: Path) -> list[Path]:
    """Write report.json, agreement.csv, comparisons.csv and a Vega-Lite specification per chart.

    Returns:
        Paths of the written files, in that order. Existing files of these names are replaced.
    """
    charts = {f"{CHARTS}/{chart.key}.vl.json": chart.spec() for chart in charts_of(report, protocol)}
    texts = {
        "report.json": report_json(report, findings_document(report, protocol)),
        **estimates_csvs(report.estimates),
        **{name: json.dumps(spec, ensure_ascii=False, indent=1) + "\n" for name, spec in charts.items() if spec},
    }
    (out / "charts").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="")
    return [out / name for name in texts]
