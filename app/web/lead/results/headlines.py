"""A report in plain sentences: the claim, what it rests on, and how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.analysis.report.statistics_registry import STATISTICS
from app.analysis.report.wording import REASONS, interval_text, number, why_text
from app.design.protocol.scale import number_text
from app.design.questions.models import ChoiceQuestion, RatingQuestion, SliderQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.report.estimate import Figure
    from app.analysis.report.report import Report
    from app.design.questions.models import Question

LOW_IS_A_FINDING = "A low alpha is a finding, not an error: studies of empathy usually find .1 to .7."
# Krippendorff, Content Analysis (2004), chapter 11: rely on variables above .800, tentative conclusions from .667.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True, slots=True)
class Headline:
    """What a reader should take, of persons only. `claim` stands alone; `basis` names interval, unit and counts.

    `reading` helps, or is empty; `short` and `interval` are for a list of many.
    """

    claim: str
    basis: str
    reading: str = ""
    interval: str = ""
    short: str = ""


def comparisons(report: Report, question: Question) -> Iterator[Headline]:
    """Each source against the reference."""
    if isinstance(question, ChoiceQuestion):
        shares = [f for f in report.of("choice", question.key) if f.statistic == "share_preferred"]
        pairs = [figure for figure in _first_of_scope(shares) if "reference" in figure.scope]
        met = [figure for figure in pairs if figure.n_ratings]  # a design need not show every two together
        yield from (_preference(figure) for figure in met or pairs)
    else:
        gaps = [f for f in report.of("comparison", question.key) if f.statistic == "mean_difference"]
        yield from (_difference(figure, question) for figure in _first_of_scope(gaps))


def _first_of_scope(figures: Sequence[Figure]) -> list[Figure]:
    """The headline record of each scope of all persons: the first one."""
    firsts: dict[str, Figure] = {}
    for figure in figures:
        if not {"pool", "rater_kind"} & figure.scope.keys():
            firsts.setdefault(str(figure.scope), figure)
    return list(firsts.values())


def _preference(figure: Figure) -> Headline:
    answers = "choices"
    source, reference = figure.scope["source"], figure.scope["reference"]
    if figure.estimate is None:
        return Headline(f"{source} against {reference}: {_why(figure)}.", _counts(figure, answers))
    share = number(figure.estimate, "share")
    claim = f"{source} was preferred over {reference} in {share} of choices."
    even = _covers(figure, 0.5)
    reading = "The interval includes an even split: these data do not tell the two apart." if even else ""
    return Headline(claim, f"Ties count as half. {_basis(figure, answers)}", reading, interval_text(figure))


def _difference(figure: Figure, question: Question) -> Headline:
    answers = "ratings"
    source, reference = figure.scope["source"], figure.scope["reference"]
    if figure.estimate is None:
        return Headline(f"{source} against {reference}: {_why(figure)}.", _counts(figure, answers))
    if figure.estimate == 0:
        claim = f"{source} and {reference} are rated the same on average."
    else:
        way = "higher" if figure.estimate > 0 else "lower"
        size = number(abs(figure.estimate), "points")
        claim = f"{source} is rated {size} points {way} than {reference}, {_scale(question)}."
    readings = []
    if getattr(question, "reversed", False):
        readings.append("A high value is undesirable here.")
    if _covers(figure, 0):
        readings.append("The interval includes no difference: these data do not tell the two apart.")
    return Headline(claim, _basis(figure, answers), " ".join(readings), interval_text(figure))


def _scale(question: Question) -> str:
    if isinstance(question, RatingQuestion | SliderQuestion):
        low, high = question.values[0], question.values[-1]
        return f"on a scale from {number_text(low)} to {number_text(high)}"
    return ""


def agreement(report: Report, question: Question) -> Iterator[Headline]:
    """How far raters agree."""
    alphas = [f for f in report.of("agreement", question.key) if f.statistic.startswith("krippendorff_alpha")]
    firsts = _first_of_scope(alphas)
    if not firsts:
        return
    pooled, *of_source = firsts
    answers = "choices" if isinstance(question, ChoiceQuestion) else "ratings"
    if pooled.estimate is None:
        yield Headline(
            f"How far raters agree is {_why(pooled)}.", _counts(pooled, answers), short=f"alpha {_why(pooled)}"
        )
        return
    within = [
        f"{f.scope['source']} {number(f.estimate, 'coefficient')}"
        for f in of_source
        if f.estimate is not None and f.scope.keys() == {"source"}
    ]
    apart = f" Within one source: {', '.join(within)}; a difference between sources raises the pooled value."
    words = STATISTICS[pooled.statistic].words
    yield Headline(
        f"Raters agree with an alpha of {number(pooled.estimate, 'coefficient')}.",
        f"{words}. {_basis(pooled, answers)}{apart if within else ''}",
        alpha_reading(pooled.estimate),
        interval_text(pooled),
        f"alpha {number(pooled.estimate, 'coefficient')}",
    )


def alpha_reading(alpha: float) -> str:
    """What an alpha allows, in a sentence.

    >>> alpha_reading(0.85)
    'Raters largely agree: conclusions about single responses can be relied on.'
    """
    if alpha >= RELIABLE:
        return "Raters largely agree: conclusions about single responses can be relied on."
    if alpha >= TENTATIVE:
        return "Raters agree well enough for tentative conclusions about single responses."
    if alpha > 0:
        return (
            "Raters differ: a single rating says little about a response, averages over raters and items say more. "
            + LOW_IS_A_FINDING
        )
    return "Raters agree no more than by chance. " + LOW_IS_A_FINDING


def _covers(figure: Figure, value: float) -> bool:
    return figure.ci_low is not None and figure.ci_high is not None and figure.ci_low <= value <= figure.ci_high


def _why(figure: Figure) -> str:
    return why_text(figure).removesuffix(".")


def _basis(figure: Figure, answers: str) -> str:
    kind = STATISTICS[figure.statistic].kind
    if figure.ci_low is None or figure.ci_high is None:
        reason = f": {REASONS[figure.ci_reason]}" if figure.ci_reason else ""
        return f"No interval{reason}. {_counts(figure, answers)}"
    low, high = number(figure.ci_low, kind), number(figure.ci_high, kind)
    level = f"{100 * (figure.ci_level or 0.95):.0f} % interval"
    return f"{level} {low.removesuffix(' %')} to {high}, {_for_whom(figure)}. {_counts(figure, answers)}"


def _for_whom(figure: Figure) -> str:
    return "for new items and new raters" if figure.method.startswith("two_way") else "for new items"


def _counts(figure: Figure, answers: str) -> str:
    parts = [(figure.n_ratings, answers), (figure.n_items, "items"), (figure.n_raters, "raters")]
    return ", ".join(f"{n:,} {word if n != 1 else word[:-1]}" for n, word in parts if n is not None) + "."
