"""Distributions of many questions in one chart, where responses are of one source: a bar per question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.charts.distribution import STATISTICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.estimate import Estimate

WHOLE = frozenset({"source", "rater_kind"})


def grouped_by_scale(estimates: Sequence[Estimate]) -> Iterator[tuple[Estimate, ...]]:
    """The estimates over all responses, together where the scale has the same words; the question becomes the row.

    Estimates of a study whose questions are each split by source belong in a chart per question instead.
    """
    groups: dict[tuple[str, ...], list[Estimate]] = {}
    words: dict[str | None, tuple[str, ...]] = {}
    for estimate in estimates:
        if estimate.scope.keys() <= WHOLE:
            if estimate.statistic in STATISTICS:
                words[estimate.question] = tuple(estimate.detail["words"])
            key = words.get(estimate.question)
            if key:
                named = replace(estimate, scope={**estimate.scope, "source": str(estimate.question)})
                groups.setdefault(key, []).append(named)
    yield from (tuple(group) for group in groups.values())
