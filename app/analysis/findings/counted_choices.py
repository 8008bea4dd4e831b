"""Shares preferred, ties and agreement of forced choices from counts alone; see `counted_results`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from app.analysis.findings.counted_result import CountedResult
from app.analysis.findings.counted_results import counted_agreement
from app.stats.core.result import Result, undefined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.data.answer_counts import AnswerCounts, Chosen
    from app.design.protocol.study import Protocol
    from app.design.questions.kinds.choice import ChoiceQuestion

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


def _categories(question: ChoiceQuestion, n_places: int) -> list[float]:
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


def _without_sources(question: ChoiceQuestion, chosen: Sequence[Chosen]) -> Iterator[tuple[str, Result]]:
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
