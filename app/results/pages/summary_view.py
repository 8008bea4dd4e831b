"""The context of the summary template: cards or rows, the robustness table, and agreement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from app.analysis.data.earlier_words import earlier_sentences
from app.analysis.data.simulated import ARE_SIMULATED
from app.analysis.document.bibliography import REFERENCES
from app.analysis.estimate import Estimate
from app.analysis.findings.agreement_summary import MODELS, AgreementRow, columns_of
from app.analysis.findings.answers import in_short, named_notes
from app.analysis.findings.main_contrasts import MainContrast, counts_words, effect_cell, interval_words
from app.analysis.findings.means import by_columns, means_beside
from app.analysis.findings.robustness import LOWEST, robustness_sentence
from app.analysis.findings.summary import Summary, length_words, summary_of, wording_words
from app.analysis.report.explored import Explored, explored
from app.analysis.report.report import Report
from app.analysis.report.sentences import p_words, published_line
from app.analysis.report.verdicts import UNDESIRABLE, decisive_p, verdict_sentence
from app.analysis.statistic import declared
from app.analysis.wording.formatting import REASONS, number
from app.base.numbers import p_text, with_minus
from app.base.words import counted, isolated, left_to_right
from app.protocol.study import Protocol
from app.results.pages.plots import Mark, Plot, alpha_mark, card_plot, row_marks
from app.results.pages.sections.parts import part_of
from app.results.reports.outcomes import LiveReport

# What fits a screen of 1280 x 900; a journey checks it for every template.
MAX_CARDS, MAX_ROWS, MAX_COLUMNS, MAX_COLUMN_NAME = 3, 6, 2, 12
# A study without contrasts has room for more rows.
MAX_AGREEMENT, MAX_AGREEMENT_BESIDE, MAX_AGREEMENT_WITH_NEED = 9, 4, 3
MAX_ANSWERS, MAX_NOTES = 2, 4
# The page of comparisons has all means.
MAX_MEANS, MAX_MEANS_COLUMNS = 4, 4
# Means of so many sources have room in half of the width.
BESIDE = 2
# Two lines beside the table of agreement; the page of agreement has all of it.
MAX_NEEDED = 140
# Other analyses are folded too: those of the first primary differences.
MAX_WAYS = 40
# Exploratory comparisons are folded; a page of a thousand rows is not read.
MAX_EXPLORATORY = 40


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
        """The p-value that decides, which is adjusted where it is one of several."""
        return p_text(decisive_p(self.contrast.answer))

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
    """One question's alphas, or for rankings Kendall's W, as cells, with marks for people and for model judges."""

    label: str
    coefficient: str
    cells: tuple[str, ...]
    people: Mark | None
    models: Mark | None


def summary_context(report: Report, made: LiveReport) -> dict[str, Any]:
    """The template's context; `report` is the report of `made`, `labelled`."""
    protocol = made.protocol
    summary = summary_of(report, protocol)
    exploratory = [one for one in summary.contrasts if not one.primary]
    answered = _answered(summary, report, protocol)
    cards, are_rows = answered.cards, answered.are_rows
    means = _means(answered, made.report, protocol)
    beside = [one for one in means if summary.contrasts and len(one.columns) <= BESIDE]
    changes = [] if are_rows else [one for one in cards if one.has_changes]
    judges = [(one, "" if one.answered is None else number(one.answered, "share")) for one in summary.judges]
    # A banner says already that all ratings are simulated, a line above the answer what was asked otherwise, and what
    # was explored stands beside its table.
    found = explored(made.report.estimates)
    others = tuple(found.sentences)
    above = {*earlier_sentences(report.sample.by_version, protocol.labels), *others}
    noted = [note for note in report.notes if not note.endswith(ARE_SIMULATED) and note not in above]
    notes = [*named_notes(report, protocol), *noted]
    return {
        "summary": summary,
        "answered": answered,
        "means": [one for one in means if one not in beside],
        "means_beside": beside,
        "published": published_line(made.report, protocol),
        "exploratory": _table(_cards(exploratory[:MAX_EXPLORATORY], report, protocol)) if exploratory else None,
        "n_more_exploratory": max(0, len(exploratory) - MAX_EXPLORATORY),
        "exploratory_part": part_of(exploratory[0].estimate) if exploratory else "",
        "families": _families(exploratory) or _others(found),
        "others": others,
        "changes": changes,
        "changes_words": _changes_words(report, summary, changes) if changes else " ".join(summary.warnings),
        "robust": robustness_sentence(summary.ways, is_named=False),
        "other_ways": [(one, effect_cell(one.estimate)) for one in summary.ways[:MAX_WAYS]],
        "about_ways": LOWEST,
        "robust_part": part_of(summary.ways[0].contrast.estimate) if summary.ways else "",
        "has_flagged": any(one.unflagged != "–" for one in cards),
        **_agreement(summary, is_short=are_rows),
        "judges": judges,
        "objections": [(one, REFERENCES[one.cites].in_text) for one in summary.objections],
        "notes": notes[:MAX_NOTES],
        "more_notes": notes[MAX_NOTES:],
    }


@dataclass(frozen=True, slots=True)
class Means:
    """A table of the means that are compared: its columns, and its rows of cells with their names.

    `n_more` rows do not fit.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    n_more: int


def _means(answered: Answered, report: Report, protocol: Protocol) -> list[Means]:
    """Tables of the means that are compared; none where cards or rows of sources answer, which fill the screen."""
    if not answered.answers:
        return []
    return [
        Means(
            columns,
            tuple((row.name, tuple(effect_cell(row.cells[name]) for name in columns)) for row in rows[:MAX_MEANS]),
            len(rows[MAX_MEANS:]),
        )
        for columns, rows in by_columns(means_beside(report, protocol)).items()
        if len(columns) <= MAX_MEANS_COLUMNS
    ]


@dataclass(frozen=True, slots=True)
class Answered:
    """What answers the question of the study: in short, in sentences, and as cards or rows.

    `n_more_answers` sentences and `n_more` differences, in the section `more_part`, do not fit.
    """

    question: str
    in_short: str
    answers: tuple[str, ...]
    n_more_answers: int
    cards: tuple[Card, ...]
    are_rows: bool
    n_more: int
    more_part: str

    @property
    def rows(self) -> Rows | None:
        """The rows of a table; None if there are cards, or nothing."""
        return _table(self.cards) if self.are_rows and self.cards else None


def answered_of(report: Report, protocol: Protocol) -> Answered | None:
    """Return what answers the question, None if nothing does; the report of the primary contrasts is `labelled`."""
    found = _answered(summary_of(report, protocol), report, protocol)
    return found if found.answers or found.cards else None


def _answered(summary: Summary, report: Report, protocol: Protocol) -> Answered:
    answers = [one.english for one in summary.answers if not one.is_between_sources]
    primary = [one for one in summary.contrasts if one.primary]
    are_rows = bool(answers) or len(primary) > MAX_CARDS
    n = MAX_ROWS if are_rows else MAX_CARDS
    return Answered(
        question=summary.question,
        in_short=" ".join(in_short(summary.answers, protocol)),
        answers=tuple(answers[:MAX_ANSWERS]),
        n_more_answers=max(0, len(answers) - MAX_ANSWERS),
        cards=tuple(_cards(primary[:n], report, protocol)),
        are_rows=are_rows,
        n_more=len(primary[n:]),
        more_part=part_of(primary[n].estimate) if primary[n:] else "",
    )


def _changes_words(report: Report, summary: Summary, changes: Sequence[Card]) -> str:
    """What the table of changes does not say itself."""
    is_overturned = any(one.contrast.is_overturned for one in changes)
    bold = "Bold: no longer clear." if is_overturned else ""
    return " ".join(filter(None, (*length_words(report, summary.contrasts), bold, *wording_words(summary.ways))))


@dataclass(frozen=True, slots=True)
class Rows:
    """Contrasts as rows of a table; `counts` are those of all of them, empty where they differ."""

    rows: tuple[Card, ...]
    counts: str

    @property
    def reference(self) -> str:
        """The source that all of them are compared with; empty if there are several."""
        return self.rows[0].contrast.reference if len({one.contrast.reference for one in self.rows}) == 1 else ""

    @property
    def has_p(self) -> bool:
        """Whether there is a p-value."""
        return any(one.adjusted_p for one in self.rows)

    @property
    def are_adjusted(self) -> bool:
        """Whether the p-values are adjusted for several tests."""
        return any(one.contrast.answer.p_adjusted is not None for one in self.rows)

    @property
    def has_equal(self) -> bool:
        """Whether a difference is known at equal length."""
        return any(one.at_equal != "–" for one in self.rows)

    @property
    def has_flagged(self) -> bool:
        """Whether a difference is known without flagged raters."""
        return any(one.unflagged != "–" for one in self.rows)


def _table(cards: Sequence[Card]) -> Rows:
    counts = cards[0].counts if len({one.counts for one in cards}) == 1 else ""
    return Rows(tuple(_named_once(cards)), counts)


def _named_once(cards: Sequence[Card]) -> list[Card]:
    """Rows of one question that follow each other have its name once."""
    runs = [[*run] for _, run in groupby(cards, key=lambda one: one.contrast.label)]
    return [replace(one, n_named=0 if place else len(run)) for run in runs for place, one in enumerate(run)]


# what a family of exploratory comparisons is about, by statistic
FAMILIES = {
    "mean_difference": ("comparison of ratings", "comparisons of ratings"),
    "share_preferred": ("comparison by choice or rank", "comparisons by choice or rank"),
    "category_difference": ("comparison of codes", "comparisons of codes"),
}


def _families(exploratory: Sequence[MainContrast]) -> str:
    """Count the comparisons that are no primary ones by family, and those whose adjusted p-value is below .05."""
    parts = []
    for statistic, (one, several) in FAMILIES.items():
        found = [each for each in exploratory if each.estimate.statistic == statistic]
        n_clear = sum(each.is_clear for each in found)
        if found:
            said = f"{len(found)} exploratory {one if len(found) == 1 else several}"
            if all(each.answer.verdict is None for each in found):
                parts.append(f"{said}: {REASONS['too_few']}")
                continue
            adjusted = "adjusted p" if any(each.estimate.p_adjusted is not None for each in found) else "p"
            parts.append(f"{said}, {n_clear or 'none'}{' of them' if len(found) > 1 else ''} with {adjusted} < .05")
    return "; ".join(parts)


def _others(found: Explored) -> str:
    """Count the comparisons of a report that has none between sources."""
    if not found.first:
        few = f"{counted(found.n_few, 'other comparison')}: {REASONS['too_few']}"
        return few if found.n_few else "Other comparisons"
    of_several = len(found.first) > 1
    which = (
        f"{found.n_clear or 'none'}{' of them' if of_several else ''} with {'adjusted ' if of_several else ''}p < .05"
    )
    return f"{counted(len(found.first), 'other comparison')}, {which}"


def _cards(contrasts: Sequence[MainContrast], report: Report, protocol: Protocol) -> list[Card]:
    marks = row_marks(contrasts, protocol)
    return [
        Card(
            contrast,
            _scale(contrast, protocol),
            _interval(contrast),
            counts_words(
                contrast.estimate, protocol.labels.items, are_raters_known=protocol.raters.identity == "known"
            ),
            _reading(contrast),
            p_words(contrast.primary) if contrast.primary else "",
            _with_interval(contrast.at_equal_length),
            effect_cell(contrast.without_flagged),
            card_plot(contrast, report, protocol),
            mark,
        )
        for contrast, mark in zip(contrasts, marks, strict=True)
    ]


def _interval(contrast: MainContrast) -> str:
    """The interval; beside an adjusted p-value, that it is not."""
    words = interval_words(contrast.estimate)
    is_beside = contrast.primary is not None and contrast.primary.p_adjusted is not None
    return f"{words} (not adjusted)" if is_beside and contrast.estimate.ci_low is not None else words


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
    ends = (f"{with_minus(f'{point.value:g}')} {isolated(point.words)}".strip() for point in (points[0], points[-1]))
    return left_to_right(" to ".join(ends))


def _reading(contrast: MainContrast) -> str:
    undesirable = UNDESIRABLE if contrast.is_reversed else ""
    said = verdict_sentence(contrast.answer, contrast.estimate) or (_why_clear(contrast) if contrast.is_clear else "")
    return f"{undesirable} {said}".strip()


def _why_clear(contrast: MainContrast) -> str:
    """The rule by which a difference is highlighted."""
    if contrast.answer.p_value is None:
        return "Clear: the interval is on one side of no difference."
    return f"Clear: {'adjusted p' if contrast.answer.p_adjusted is not None else 'p'} < .05."


def _coefficient(row: AgreementRow) -> str:
    """The name of a row's coefficient."""
    main = declared((row.pooled or next(iter(row.parts.values()))).statistic)
    return "Alpha" if main.is_alpha else main.name.removesuffix(" within items")


def _agreement(summary: Summary, *, is_short: bool) -> dict[str, Any]:
    """Return the lines, with columns for sources and pools after the pooled alpha if they fit; judges always."""
    columns = columns_of(summary.agreement)
    do_fit = len(columns) <= MAX_COLUMNS and all(len(name) <= MAX_COLUMN_NAME for name in columns)
    shown = columns if do_fit else []
    shown += [MODELS] if any(MODELS in row.parts for row in summary.agreement) else []
    lines = [
        AgreementLine(
            row.label,
            _coefficient(row),
            (effect_cell(row.pooled), *(_alpha(row.parts.get(name)) for name in shown)),
            alpha_mark(row.pooled, "estimate"),
            alpha_mark(row.parts.get(MODELS), "source"),
        )
        for row in summary.agreement
    ]
    most = MAX_AGREEMENT_BESIDE if summary.contrasts else MAX_AGREEMENT
    n_lines = most if len(lines) <= most else most - 1
    has_room = len(lines) <= MAX_AGREEMENT_WITH_NEED and not is_short
    return {
        "coefficients": sorted({line.coefficient for line in lines}),
        "agreement_columns": shown,
        "agreement": lines[:n_lines] if any(line.people or line.models for line in lines) else [],
        "n_more_agreement": max(0, len(lines) - n_lines),
        "needed": summary.needed if has_room and len(summary.needed) <= MAX_NEEDED else "",
    }


def _alpha(estimate: Estimate | None) -> str:
    return "–" if estimate is None or estimate.estimate is None else number(estimate.estimate, "coefficient")
