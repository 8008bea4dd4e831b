"""Means, proportions and agreement from counts alone: what a running study shows before its report is computed.

The estimates are those of the report, from the same functions; intervals that need to know who rated what are not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from app.analysis.data.answer_counts import AnswerCounts, Chosen, Pattern, Point
from app.analysis.estimate import Counts
from app.analysis.findings.counted_result import CountedResult
from app.analysis.minimum_data import held_to_minimum
from app.analysis.sections.coefficients import is_fine
from app.analysis.uninformative_intervals import without_uninformative_interval
from app.protocol.questions.registry import PreferenceQuestion, ScaledQuestion
from app.protocol.questions.scale import Level
from app.protocol.study import Protocol
from app.stats.agreement import (
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    percent_agreement,
    unanimous_share,
)
from app.stats.ratings import Ratings
from app.stats.result import Result, undefined

_TOLERANCE = 1e-9  # of a cut between points of a slider


def counted_questions(protocol: Protocol) -> list[ScaledQuestion]:
    """Return the questions that counts suffice for: ratings and sliders about responses."""
    return [question for question in protocol.scaled_questions if question.rated == "response"]


def counted_results(counts: AnswerCounts, protocol: Protocol) -> Iterator[CountedResult]:
    """Yield agreement of all sources and of each, then mean and proportions of each source, question by question."""
    for question in counted_questions(protocol):
        key = question.key
        patterns = [pattern for pattern in counts.patterns if pattern.question == key]
        points = [point for point in counts.points if point.question == key]
        for source in (None, *protocol.sources):
            own = [pattern for pattern in patterns if source in {None, pattern.source}]
            for statistic, result in counted_agreement(own, question.level, question.values):
                yield CountedResult(key, source, statistic, result)
        for source in protocol.sources:
            own_points = [point for point in points if point.source == source]
            for statistic, result in _shares(own_points, protocol.analysis.cut.get(key)):
                yield CountedResult(key, source, statistic, result)


def counted_agreement(
    patterns: Sequence[Pattern], level: Level, categories: Sequence[float]
) -> Iterator[tuple[str, Result]]:
    """Yield the coefficients of agreement that counts suffice for; `categories` are the possible values."""
    ratings = ratings_of(patterns)
    in_scope: Counts = {"n_items": 0, **ratings.sizes()}
    for statistic, result in _coefficients(ratings, level, list(categories)):
        shown = held_to_minimum(result, statistic, in_scope, {})
        yield statistic, without_uninformative_interval(shown, statistic, None)


def _coefficients(ratings: Ratings, level: Level, domain: list[float]) -> Iterator[tuple[str, Result]]:
    yield f"krippendorff_alpha_{level}", krippendorff_alpha(ratings, level=level)
    yield "percent_agreement", percent_agreement(ratings)
    if level != "nominal":
        yield "gwet_ac2", gwet_ac2(ratings, domain=domain)
    if is_fine(level, domain):
        return
    yield "fleiss_kappa", fleiss_kappa(ratings)
    yield "gwet_ac1", gwet_ac1(ratings, domain=domain)
    yield "brennan_prediger", brennan_prediger(ratings, domain=domain)
    yield "unanimous_share", unanimous_share(ratings)


def ratings_of(patterns: Sequence[Pattern]) -> Ratings:
    """Return ratings with these patterns. Raters are numbered within each unit: no agreement statistic here uses them.

    >>> from app.analysis.data.answer_counts import Pattern
    >>> ratings_of([Pattern("empathy", "human", (2.0, 3.0), (2, 1), n_units=2)]).unit.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    given = [np.repeat(pattern.values, pattern.counts) for pattern in patterns]
    size = np.repeat([len(values) for values in given], [pattern.n_units for pattern in patterns]).astype(np.int64)
    value = np.concatenate(
        [np.zeros(0), *(np.tile(values, pattern.n_units) for values, pattern in zip(given, patterns, strict=True))]
    )
    first = np.repeat(np.cumsum(size) - size, size)
    return Ratings(np.repeat(np.arange(len(size)), size), np.arange(len(value)) - first, value)


def _shares(points: Sequence[Point], cut: float | None) -> Iterator[tuple[str, Result]]:
    value, n = (np.array([getattr(point, name) for point in points], dtype=np.float64) for name in ("value", "n"))
    total = int(n.sum())
    counts = {"n_raters": len({point.rater for point in points}), "n_units": total, "n_ratings": total}
    if not total:
        yield "mean", undefined("no_pairable_units", "There are no ratings.", method="counts", **counts)
        return
    mean = float(value @ n) / total
    yield "mean", Result(mean, "counts").with_counts(**counts)
    if total > 1:
        yield "sd", Result(float(np.sqrt(n @ (value - mean) ** 2 / (total - 1))), "counts").with_counts(**counts)
    if cut is not None:
        share = float(n[value >= cut - _TOLERANCE].sum()) / total
        yield "share_at_least", Result(share, "counts").with_counts(**counts)


# Shares preferred, ties and agreement of forced choices from counts alone; see `counted_results`.

TIES_AS_HALF, NO_TIES, DECISIVE = "counts: ties as half", "counts: no ties", "counts: decisive choices only"
_TWO = 2


def counted_choices(counts: AnswerCounts, protocol: Protocol) -> Iterator[CountedResult]:
    """Yield agreement, shares preferred, ties, neither and first side, question by question.

    A choice of neither does not compare the two, so it counts in its own share only.
    """
    for question in protocol.choice_questions:
        key, chosen = question.key, [one for one in counts.chosen if one.question == question.key]
        patterns = [pattern for pattern in counts.patterns if pattern.question == key]
        for statistic, result in counted_agreement(patterns, "nominal", _categories(question, counts.n_places)):
            yield CountedResult(key, None, statistic, result)
        for source, reference in _pairs(protocol):
            between = [one for one in chosen if _is_between(one, source, reference)]
            both = list(_preferred(between, source, is_tie_asked=question.tie))
            # as in the report, pairs without the reference have the first share only
            for result in both if reference in {None, protocol.reference} else both[:1]:
                yield CountedResult(key, source, "share_preferred", result, reference)
        for statistic, result in _without_sources(question, chosen):
            yield CountedResult(key, None, statistic, result)


def _categories(question: PreferenceQuestion, n_places: int) -> list[float]:
    """Return the possible categories: every response of an item, and tie and neither if they are asked."""
    asked = [n_places + k for k, is_asked in enumerate((question.tie, question.neither)) if is_asked]
    return [float(category) for category in (*range(n_places), *asked)]


def _pairs(protocol: Protocol) -> Iterator[tuple[str, str | None]]:
    """Yield each source and the reference; with more than two sources also each and all others, then other pairs."""
    reference, sources = protocol.reference, list(protocol.sources)
    others = [source for source in sources if source != reference] if reference is not None else []
    yield from ((source, reference) for source in others)
    if len(sources) > _TWO:
        yield from ((source, None) for source in sources)
        yield from ((second, first) for first, second in combinations(others, 2))


def _is_between(one: Chosen, source: str, reference: str | None) -> bool:
    if reference is None:
        return (one.one == source) != (one.other == source)
    return {one.one, one.other} == {source, reference}


def _preferred(chosen: Sequence[Chosen], source: str, *, is_tie_asked: bool) -> Iterator[Result]:
    """Yield the share of choices for the source with ties as half, and without them if there are any."""
    n_tied = sum(one.n for one in chosen if one.outcome == "tie")
    n_won = sum(one.n for one in chosen if one.outcome == "response" and one.chosen == source)
    n_lost = sum(one.n for one in chosen if one.outcome == "response" and one.chosen != source)
    has_ties = is_tie_asked or n_tied > 0
    yield _share(n_won + n_tied / 2, n_won + n_tied + n_lost, chosen, TIES_AS_HALF if has_ties else NO_TIES)
    if has_ties:
        yield _share(n_won, n_won + n_lost, chosen, DECISIVE)


def _without_sources(question: PreferenceQuestion, chosen: Sequence[Chosen]) -> Iterator[tuple[str, Result]]:
    for outcome, is_asked in (("tie", question.tie), ("neither", question.neither)):
        n = sum(one.n for one in chosen if one.outcome == outcome)
        if is_asked or n:
            yield f"{outcome}_share", _share(n, sum(one.n for one in chosen), chosen)
    n_left = sum(one.n for one in chosen if one.is_left)
    yield "first_side_share", _share(n_left, sum(one.n for one in chosen if one.is_left is not None), chosen)


def _share(part: float, whole: int, chosen: Sequence[Chosen], method: str = "counts") -> Result:
    """Return the share, with the number of all these choices and of the raters who made them."""
    n, raters = sum(one.n for one in chosen), len({one.rater for one in chosen})
    counts = {"n_raters": raters, "n_units": n, "n_ratings": n}
    if not whole:
        return undefined("no_pairable_units", "There are no such choices.", method=method, **counts)
    return Result(part / whole, method).with_counts(**counts)
