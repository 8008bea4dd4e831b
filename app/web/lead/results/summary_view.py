"""The context of the summary template: cards or rows, the robustness table, and agreement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.analysis.findings.agreement_summary import FIELD_HIGH, FIELD_LOW, MODELS, columns_of
from app.analysis.findings.main_contrasts import counts_words, effect_cell, interval_words
from app.analysis.findings.summary import summary_of
from app.analysis.report.sentences import primary_answers
from app.analysis.report.wording import number
from app.web.lead.results.plots import alpha_mark, card_plot, row_marks

if TYPE_CHECKING:
    from app.actions.results.live_report import LiveReport
    from app.analysis.estimate import Estimate
    from app.analysis.findings.main_contrasts import MainContrast
    from app.analysis.findings.summary import Summary
    from app.analysis.report.report import Report
    from app.analysis.report.sentences import Sentence
    from app.design.protocol.study import Protocol
    from app.web.lead.results.plots import Mark, Plot

MAX_CARDS, MAX_ROWS, MAX_COLUMNS = 3, 6, 3
# A study without contrasts has room for more rows.
MAX_AGREEMENT = 9
MAX_ANSWERS = 2
FIELD = (FIELD_LOW, FIELD_HIGH)


@dataclass(frozen=True, slots=True)
class Card:
    """One main contrast as a card or a row."""

    contrast: MainContrast
    scale: str
    interval: str
    counts: str
    reading: str
    plot: Plot | None
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """One question's alphas as cells, with marks for people and for model judges."""

    label: str
    cells: tuple[str, ...]
    people: Mark | None
    models: Mark | None


def summary_context(report: Report, made: LiveReport) -> dict[str, Any]:
    """The template's context; `report` is the report of `made`, `labelled`."""
    protocol = made.protocol
    summary = summary_of(report, protocol)
    cards = _cards(summary, report, protocol)
    columns, lines = _agreement(summary)
    n_lines = MAX_ROWS if summary.contrasts else MAX_AGREEMENT
    return {
        "summary": summary,
        "answers": _answers(made, summary),
        "cards": cards if len(cards) <= MAX_CARDS else [],
        "rows": cards[:MAX_ROWS] if len(cards) > MAX_CARDS else [],
        "n_more_rows": max(0, len(cards) - MAX_ROWS),
        "changes": _changes(summary),
        "has_flagged": any(contrast.without_flagged for contrast in summary.contrasts),
        "agreement_columns": columns,
        "agreement": lines[:n_lines],
        "n_more_agreement": max(0, len(lines) - n_lines),
        "judges": [
            (one, number(one.judge, "coefficient"), number(one.ceiling, "coefficient")) for one in summary.judges
        ],
        "field": FIELD,
    }


def _answers(made: LiveReport, summary: Summary) -> list[Sentence]:
    """Findings for the primary contrasts that are not shown in cards or rows, up to the maximum number."""
    found = [one for answer in primary_answers(made.report, made.protocol) for one in answer.sentences]
    shown = {(one.estimate.question, one.estimate.statistic) for one in summary.contrasts}
    return [one for one in found if (one.estimate.question, one.estimate.statistic) not in shown][:MAX_ANSWERS]


def _cards(summary: Summary, report: Report, protocol: Protocol) -> list[Card]:
    marks = row_marks(summary.contrasts)
    return [
        Card(
            contrast,
            _scale(contrast, protocol),
            interval_words(contrast.estimate),
            counts_words(contrast.estimate, are_raters_known=protocol.raters.identity == "known"),
            _reading(contrast),
            card_plot(contrast, report, protocol),
            mark,
        )
        for contrast, mark in zip(summary.contrasts, marks, strict=True)
    ]


def _scale(contrast: MainContrast, protocol: Protocol) -> str:
    """The ends of the scale in words, or the text of the question."""
    question = protocol.question(contrast.key)
    scale = getattr(question, "scale", None)
    points = list(getattr(scale, "points", ()))
    if not points:
        return contrast.text
    ends = (f"{point.value:g} {point.words}".strip() for point in (points[0], points[-1]))
    return " to ".join(ends)


def _reading(contrast: MainContrast) -> str:
    said = []
    if contrast.is_reversed:
        said.append("High values are undesirable.")
    if contrast.estimate.ci_low is not None and not contrast.is_clear:
        said.append("Not statistically clear.")
    return " ".join(said)


def _changes(summary: Summary) -> list[tuple[MainContrast, str, str, str]]:
    """As observed, at equal length and without flagged raters; only contrasts with at least one of the latter two."""
    known = [one for one in summary.contrasts if _value(one.at_equal_length) or _value(one.without_flagged)]
    return [
        (one, effect_cell(one.estimate), effect_cell(one.at_equal_length), effect_cell(one.without_flagged))
        for one in known[:MAX_ROWS]
    ]


def _value(estimate: Estimate | None) -> bool:
    return estimate is not None and estimate.estimate is not None


def _agreement(summary: Summary) -> tuple[list[str], list[AgreementLine]]:
    """Columns after the pooled alpha: sources and pools if there are few enough; judges always."""
    columns = columns_of(summary.agreement)
    shown = columns if len(columns) <= MAX_COLUMNS else []
    shown += [MODELS] if any(MODELS in row.parts for row in summary.agreement) else []
    lines = [
        AgreementLine(
            row.label,
            (effect_cell(row.pooled), *(_alpha(row.parts.get(name)) for name in shown)),
            alpha_mark(row.pooled, "source"),
            alpha_mark(row.parts.get(MODELS), "reference"),
        )
        for row in summary.agreement
    ]
    return shown, lines


def _alpha(estimate: Estimate | None) -> str:
    return "–" if estimate is None or estimate.estimate is None else number(estimate.estimate, "coefficient")
