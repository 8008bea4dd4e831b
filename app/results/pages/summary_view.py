"""The context of the summary template: cards or rows, the robustness table, and agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from app.analysis.data.simulated import ARE_SIMULATED
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import MODELS, columns_of
from app.analysis.findings.answers import in_short
from app.analysis.findings.main_contrasts import MainContrast, counts_words, effect_cell, interval_words
from app.analysis.findings.summary import Summary, summary_of
from app.analysis.report.report import Report
from app.analysis.report.sentences import p_words, primary_answers, published_line
from app.analysis.report.verdict_words import UNDESIRABLE, verdict_sentence
from app.analysis.report.verdicts import decisive_p
from app.analysis.wording.formatting import number, p_text
from app.protocol.study import Protocol
from app.results.pages.plots import Mark, Plot, alpha_mark, card_plot, row_marks
from app.results.pages.sections.parts import part_of
from app.results.reports.outcomes import LiveReport

# What fits a screen of 1280 x 900; a journey checks it for every template.
MAX_CARDS, MAX_ROWS, MAX_COLUMNS, MAX_COLUMN_NAME = 3, 6, 2, 12
# A study without contrasts has room for more rows.
MAX_AGREEMENT, MAX_AGREEMENT_BESIDE, MAX_AGREEMENT_WITH_NEED = 9, 4, 3
MAX_ANSWERS, MAX_NOTES = 2, 4


@dataclass(frozen=True, slots=True)
class Card:
    """One main contrast as a card or a row.

    `n_named` is how many rows the name of its question stands for: 0 if it stands in a row above.
    """

    contrast: MainContrast
    scale: str
    interval: str
    counts: str
    reading: str
    p: str
    at_equal: str
    unflagged: str
    plot: Plot | None
    mark: Mark | None
    n_named: int = 1

    @property
    def adjusted_p(self) -> str:
        """The p-value of a primary contrast, adjusted where it is one of several."""
        one = self.contrast.primary
        return "" if one is None else p_text(decisive_p(one))

    @property
    def n_ratings(self) -> str:
        """How many ratings or choices."""
        return self.counts.partition(", ")[0]

    @property
    def observed(self) -> str:
        """The estimate with its interval, for a cell."""
        return effect_cell(self.contrast.estimate)

    @property
    def has_changes(self) -> bool:
        """Whether the difference is known under another condition too."""
        others = (self.contrast.at_equal_length, self.contrast.without_flagged)
        return any(one is not None and one.estimate is not None for one in others)


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
    answers = [one.english for one in summary.answers if not one.is_between_sources]
    is_declared = bool(protocol.analysis.primary)
    n_primary = sum(contrast.primary is not None for contrast in summary.contrasts)
    n_cards = max(MAX_CARDS, n_primary) if is_declared else len(summary.contrasts)
    are_rows = bool(answers) or min(n_cards, len(summary.contrasts)) > MAX_CARDS
    shown = summary.contrasts[: MAX_ROWS if are_rows else MAX_CARDS]
    cards = _cards(shown, report, protocol)
    judges = [(one, "" if one.answered is None else number(one.answered, "share")) for one in summary.judges]
    hidden = summary.contrasts[len(shown) :]
    # A banner says already that all ratings are simulated.
    notes = [note for note in report.notes if not note.endswith(ARE_SIMULATED)]
    return {
        "summary": summary,
        "in_short": " ".join(in_short(summary.answers, protocol)),
        "answers": answers[:MAX_ANSWERS],
        "published": published_line(primary_answers(made.report, protocol)),
        "n_more_answers": max(0, len(answers) - MAX_ANSWERS),
        "cards": [] if are_rows else cards,
        "rows": _named_once(cards) if are_rows else [],
        "rows_title": _rows_title(shown, is_declared=is_declared),
        "counts": cards[0].counts if len({one.counts for one in cards}) == 1 else "",
        "n_more": len(hidden),
        "more_part": part_of(hidden[0].estimate) if hidden else "",
        "has_p": any(one.adjusted_p for one in cards),
        "changes": [] if are_rows else [one for one in cards if one.has_changes],
        "has_equal": any(one.at_equal != "–" for one in cards),
        "has_flagged": any(one.unflagged != "–" for one in cards),
        **_agreement(summary, is_short=are_rows),
        "judges": judges,
        "notes": notes[:MAX_NOTES],
        "more_notes": notes[MAX_NOTES:],
    }


def _named_once(cards: Sequence[Card]) -> list[Card]:
    """Rows of one question that follow each other have its name once, unless only some of them are primary."""
    runs = [[*run] for _, run in groupby(cards, key=lambda one: (one.contrast.label, one.contrast.primary is None))]
    if len(runs) > len({one.contrast.label for one in cards}):
        return [*cards]
    return [replace(one, n_named=0 if place else len(run)) for run in runs for place, one in enumerate(run)]


def _rows_title(shown: Sequence[MainContrast], *, is_declared: bool) -> str:
    """Say whether the study was designed for these differences; a primary one among others is marked in its row."""
    if all(contrast.primary for contrast in shown):
        return "Primary differences"
    return "Exploratory differences" if is_declared and not any(one.primary for one in shown) else "Differences"


def _cards(contrasts: Sequence[MainContrast], report: Report, protocol: Protocol) -> list[Card]:
    marks = row_marks(contrasts, protocol)
    return [
        Card(
            contrast,
            _scale(contrast, protocol),
            interval_words(contrast.estimate),
            counts_words(contrast.estimate, are_raters_known=protocol.raters.identity == "known"),
            _reading(contrast),
            p_words(contrast.primary) if contrast.primary else "",
            _with_interval(contrast.at_equal_length),
            effect_cell(contrast.without_flagged),
            card_plot(contrast, report, protocol),
            mark,
        )
        for contrast, mark in zip(contrasts, marks, strict=True)
    ]


def _with_interval(estimate: Estimate | None) -> str:
    """The estimate, a dash without an interval: at equal length, few items give any number."""
    return effect_cell(estimate if estimate is not None and estimate.ci_low is not None else None)


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
    undesirable = UNDESIRABLE if contrast.is_reversed else ""
    return f"{undesirable} {verdict_sentence(contrast.answer, contrast.estimate)}".strip()


def _agreement(summary: Summary, *, is_short: bool) -> dict[str, Any]:
    """Return the lines, with columns for sources and pools after the pooled alpha if they fit; judges always."""
    columns = columns_of(summary.agreement)
    do_fit = len(columns) <= MAX_COLUMNS and all(len(name) <= MAX_COLUMN_NAME for name in columns)
    shown = columns if do_fit else []
    shown += [MODELS] if any(MODELS in row.parts for row in summary.agreement) else []
    lines = [
        AgreementLine(
            row.label,
            (effect_cell(row.pooled), *(_alpha(row.parts.get(name)) for name in shown)),
            alpha_mark(row.pooled, "estimate"),
            alpha_mark(row.parts.get(MODELS), "source"),
        )
        for row in summary.agreement
    ]
    most = MAX_AGREEMENT_BESIDE if summary.contrasts else MAX_AGREEMENT
    n_lines = most if len(lines) <= most else most - 1
    return {
        "agreement_columns": shown,
        "agreement": lines[:n_lines] if any(line.people or line.models for line in lines) else [],
        "n_more_agreement": max(0, len(lines) - n_lines),
        "needed": summary.needed if len(lines) <= MAX_AGREEMENT_WITH_NEED and not is_short else "",
    }


def _alpha(estimate: Estimate | None) -> str:
    return "–" if estimate is None or estimate.estimate is None else number(estimate.estimate, "coefficient")
