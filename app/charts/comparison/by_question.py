"""Distributions of several questions in one chart, one bar per question, if all responses are of one source."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.charts.comparison.distribution import STATISTICS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.analysis.estimate import Estimate

WHOLE = frozenset({"source", "rater_kind"})


def grouped_by_scale(estimates: Sequence[Estimate]) -> Iterator[tuple[Estimate, ...]]:
    """Yield groups of estimates over all responses whose scales have the same labels; each question becomes a row.

    If the estimates are split by source, each question belongs in a chart of its own instead. The title of the chart,
    not the rows, names the kind of raters.
    """
    groups: dict[tuple[str, ...], list[Estimate]] = {}
    words: dict[str | None, tuple[str, ...]] = {}
    for estimate in estimates:
        if estimate.scope.keys() <= WHOLE:
            if estimate.statistic in STATISTICS:
                words[estimate.question] = tuple(estimate.detail["words"])
            key = words.get(estimate.question)
            if key:
                named = replace(estimate, scope={"source": str(estimate.question)})
                groups.setdefault(key, []).append(named)
    yield from (tuple(group) for group in groups.values())
