"""The report of a study as a document for a paper: summary, methods, results, limits, recipes, references."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import __version__
from app.analysis.data.simulated import SIMULATED_ONLY, SIMULATED_ONLY_SENTENCE
from app.analysis.document.bibliography import REFERENCES, references_of
from app.analysis.document.blocks import Bullets, Document, Paragraph, Section
from app.analysis.document.deviations import deviations_section
from app.analysis.document.findings import primary_bullets, results_section
from app.analysis.document.limits import limits_section
from app.analysis.document.methods import methods_section
from app.analysis.document.monitoring_words import monitoring_keys
from app.analysis.document.numbered import Numbered
from app.analysis.document.reproduction import reproduction_section
from app.analysis.findings.summary import summary_of
from app.analysis.report.labelled import labelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.document.circumstances import Circumstances
    from app.analysis.document.findings import PlacedFigure
    from app.analysis.document.reference import Reference
    from app.analysis.findings.summary import Summary
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol

ALWAYS_CITED = ("holm1979", "benjamini1995")


def study_report(
    report: Report, protocol: Protocol, figures: Sequence[PlacedFigure], about: Circumstances
) -> tuple[Document, list[Reference]]:
    """The document with the publications that it cites. The report is not `labelled`."""
    numbers = Numbered(protocol.labels)
    summary = summary_of(labelled(report, protocol.labels), protocol)
    first = _summary(report, protocol, summary, numbers)
    results = results_section(report, protocol, summary, figures, numbers)
    shown = list(numbers.shown.values())
    references = _cited(references_of(shown), monitoring_keys(protocol))
    sections = (
        first,
        methods_section(report, protocol, shown, about),
        results,
        limits_section(report, protocol, summary),
        deviations_section(about.registration, report, protocol, about.version),
        reproduction_section(report, numbers),
        Section("References", (Bullets(tuple(one.in_list for one in references)),)),
    )
    warning, mark = (SIMULATED_ONLY_SENTENCE, SIMULATED_ONLY) if report.is_simulated else ("", "")
    return Document(protocol.title, _lines(report, about), sections, warning, mark), references


def _summary(report: Report, protocol: Protocol, summary: Summary, numbers: Numbered) -> Section:
    said = [*summary.warnings, *([summary.agreement_words] if summary.agreement else [])]
    blocks = (Paragraph(summary.question), primary_bullets(report, protocol, numbers), Paragraph(" ".join(said)))
    return Section("Summary", blocks if said else blocks[:2])


def _lines(report: Report, about: Circumstances) -> tuple[str, ...]:
    made = f"Report of the study {report.study}, made by Attune {__version__} on {about.made_on}."
    return (*filter(None, (made, about.status)), f"Data hash {report.data_hash}.")


def _cited(found: list[Reference], more: Sequence[str]) -> list[Reference]:
    keys = {reference.key for reference in found} | {*ALWAYS_CITED, *more}
    return [reference for key, reference in REFERENCES.items() if key in keys]
