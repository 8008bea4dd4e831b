"""A report in plain sentences: the claim, its basis, and how to read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.analysis.wording.formatting import (
    GENERALIZES,
    REASONS,
    TOO_FEW,
    inconclusive_text,
    interval_text,
    number,
    why_text,
)
from app.analysis.wording.statistics_registry import STATISTICS
from app.design.questions.kinds.choice import ChoiceQuestion
from app.design.questions.kinds.ranking import RankingQuestion
from app.design.questions.kinds.rating import RatingQuestion
from app.design.questions.kinds.slider import SliderQuestion
from app.design.questions.scale import number_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.estimate import Estimate
    from app.analysis.report.report import Report
    from app.design.questions.kinds.registry import Question

# Krippendorff, Content Analysis (2004), chapter 11: rely on variables above .800, tentative conclusions from .667.
RELIABLE, TENTATIVE = 0.8, 0.667


@dataclass(frozen=True, slots=True)
class Headline:
    """One finding about human raters. `claim` is self-contained; `basis` states the interval and counts.

    `reading` helps with the interpretation, and may be empty; `short` and `interval` are for lists of many findings.
    """

    claim: str
    basis: str
    reading: str = ""
    interval: str = ""
    short: str = ""


def comparisons(report: Report, question: Question) -> Iterator[Headline]:
    """Yield the comparison of each source with the reference."""
    if isinstance(question, ChoiceQuestion):
        shares = [f for f in report.of("choice", question.key) if f.statistic == "share_preferred"]
        pairs = [estimate for estimate in _first_of_scope(shares) if "reference" in estimate.scope]
        met = [estimate for estimate in pairs if estimate.n_ratings]  # not every design shows all pairs
        yield from (
            _preference(estimate, "was preferred over", "choices", has_ties=question.tie) for estimate in met or pairs
        )
    elif isinstance(question, RankingQuestion):
        shares = [f for f in report.of("ranking", question.key) if f.statistic == "share_preferred"]
        yield from (_preference(estimate, "was ranked above", "rankings") for estimate in _first_of_scope(shares))
    else:
        gaps = [f for f in report.of("comparison", question.key) if f.statistic == "mean_difference"]
        yield from (_difference(estimate, question) for estimate in _first_of_scope(gaps))


def _first_of_scope(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the first record of each scope over all human raters."""
    firsts: dict[str, Estimate] = {}
    for estimate in estimates:
        if not {"pool", "rater_kind"} & estimate.scope.keys():
            firsts.setdefault(str(estimate.scope), estimate)
    return list(firsts.values())


def _preference(estimate: Estimate, verb: str, answers: str, *, has_ties: bool = True) -> Headline:
    source, reference = estimate.scope["source"], estimate.scope["reference"]
    if estimate.estimate is None:
        return Headline(f"{source} against {reference}: {_why(estimate)}.", _counts(estimate, answers))
    share = number(estimate.estimate, "share")
    claim = f"{source} {verb} {reference} in {share} of {answers}."
    reading = inconclusive_text(estimate, 0.5) if _covers(estimate, 0.5) else ""
    reading = TOO_FEW if estimate.ci_reason == "too_few" else reading
    ties = "Ties count as half. " if has_ties else ""
    return Headline(claim, f"{ties}{_basis(estimate, answers)}", reading, _brief(estimate))


def _difference(estimate: Estimate, question: Question) -> Headline:
    answers = "ratings"
    source, reference = estimate.scope["source"], estimate.scope["reference"]
    if estimate.estimate is None:
        return Headline(f"{source} against {reference}: {_why(estimate)}.", _counts(estimate, answers))
    if estimate.estimate == 0:
        claim = f"{source} and {reference} are rated the same on average."
    else:
        way = "higher" if estimate.estimate > 0 else "lower"
        size = number(abs(estimate.estimate), "points")
        claim = f"{source} is rated {size} points {way} than {reference}, {_scale(question)}."
    readings = []
    if getattr(question, "reversed", False):
        readings.append("High values are undesirable on this scale.")
    if _covers(estimate, 0):
        readings.append(inconclusive_text(estimate, 0.0))
    if estimate.ci_reason == "too_few":
        readings.append(TOO_FEW)
    return Headline(claim, _basis(estimate, answers), " ".join(readings), _brief(estimate))


def _scale(question: Question) -> str:
    if isinstance(question, RatingQuestion | SliderQuestion):
        low, high = question.values[0], question.values[-1]
        return f"on a scale from {number_text(low)} to {number_text(high)}"
    return ""


def agreement(report: Report, question: Question) -> Iterator[Headline]:
    """Yield how much raters agree."""
    if isinstance(question, RankingQuestion):
        yield from _concordance(report, question)
        return
    alphas = [f for f in report.of("agreement", question.key) if f.statistic.startswith("krippendorff_alpha")]
    firsts = _first_of_scope(alphas)
    if not firsts:
        return
    pooled, *of_source = firsts
    answers = "choices" if isinstance(question, ChoiceQuestion) else "ratings"
    if pooled.estimate is None:
        yield Headline(f"Agreement is {_why(pooled)}.", _counts(pooled, answers), short=f"alpha {_why(pooled)}")
        return
    apart = _within([f for f in of_source if f.scope.keys() == {"source"}])
    everywhere = " over all sources" if apart else ""
    why = " A difference between sources raises the pooled value." if apart else ""
    words = STATISTICS[pooled.statistic].words
    yield Headline(
        f"Krippendorff's alpha {number(pooled.estimate, 'coefficient')}{everywhere}{apart}.",
        f"{words}. {_basis(pooled, answers)}{why}",
        alpha_reading(pooled.estimate, pooled.ci_low),
        f"{_brief(pooled)}{apart}",
        f"alpha {number(pooled.estimate, 'coefficient')}",
    )


def _within(of_source: Sequence[Estimate]) -> str:
    """Return alpha within each source, or that there are too few units for it; empty without sources."""
    within = [f"{f.scope['source']} {number(f.estimate, 'coefficient')}" for f in of_source if f.estimate is not None]
    if not within:
        return "; too few units for alpha within each source" if of_source else ""
    return f"; within sources {', '.join(within)}"


def _concordance(report: Report, question: RankingQuestion) -> Iterator[Headline]:
    found = [f for f in report.of("ranking", question.key) if f.statistic == "kendall_w_within_items"]
    for estimate in _first_of_scope(found):
        if estimate.estimate is None:
            yield Headline(f"Agreement is {_why(estimate)}.", _counts(estimate, "ranks"))
            return
        w = number(estimate.estimate, "coefficient")
        reading = (
            "0 means no agreement and 1 identical rankings; random rankings give 1 divided by the number of raters."
        )
        claim = f"Raters rank the responses to an item with a Kendall's W of {w}."
        yield Headline(claim, _basis(estimate, "ranks"), reading, _brief(estimate), f"W {w}")


def alpha_reading(alpha: float, lower: float | None) -> str:
    """Interpret an alpha by comparing the lower limit of its interval with the customary limits .80 and .667.

    >>> alpha_reading(0.85, None)
    'Without an interval the customary limits 0.80 and 0.667 cannot be checked.'
    """
    if lower is None:
        return "Without an interval the customary limits 0.80 and 0.667 cannot be checked."
    if lower >= RELIABLE:
        return (
            "Raters largely agree: the lower limit is above the customary 0.80, "
            "so conclusions about single responses can be relied on."
        )
    if lower >= TENTATIVE:
        return (
            "The lower limit is above the customary 0.667: tentative conclusions about single responses are possible."
        )
    if lower > 0:
        return (
            "The lower limit is below the customary 0.667: single ratings are unreliable; averages over "
            "raters are more reliable."
        )
    if alpha > 0:
        return "The interval includes agreement no better than chance."
    return "Raters agree no more than by chance."


def _brief(estimate: Estimate) -> str:
    """Return the interval in parentheses, for lists; the reason if there is none."""
    words = interval_text(estimate)
    return f"({_level(estimate)} {words})" if estimate.ci_low is not None else words


def _level(estimate: Estimate) -> str:
    return f"{100 * (estimate.ci_level or 0.95):.0f}% CI"


def _covers(estimate: Estimate, value: float) -> bool:
    return estimate.ci_low is not None and estimate.ci_high is not None and estimate.ci_low <= value <= estimate.ci_high


def _why(estimate: Estimate) -> str:
    return why_text(estimate).removesuffix(".")


def _basis(estimate: Estimate, answers: str) -> str:
    kind = STATISTICS[estimate.statistic].kind
    if estimate.ci_low is None or estimate.ci_high is None:
        reason = f": {REASONS[estimate.ci_reason]}" if estimate.ci_reason else ""
        return f"No interval{reason}. {_counts(estimate, answers)}"
    low, high = number(estimate.ci_low, kind), number(estimate.ci_high, kind)
    return f"{_level(estimate)} {low} to {high}, {GENERALIZES[estimate.inference]}. {_counts(estimate, answers)}"


def _counts(estimate: Estimate, answers: str) -> str:
    parts = [(estimate.n_ratings, answers), (estimate.n_items, "items"), (estimate.n_raters, "raters")]
    return ", ".join(f"{n:,} {word if n != 1 else word[:-1]}" for n, word in parts if n is not None) + "."
