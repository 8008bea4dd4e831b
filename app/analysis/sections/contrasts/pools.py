"""Comparisons of two pools of human raters, or of judges with human raters, on the same responses."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.questions.scopes import groups
from app.stats.comparison.pool_correlation import pool_correlation
from app.stats.comparison.pools import pool_difference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.data.questions.scopes import Group
    from app.analysis.estimate import Estimate, Scope

SECTION = "contrast"
MAX_POOLS = 6


def pools(data: ScaledData) -> Iterator[Estimate]:
    """Yield mean difference and correlation over shared responses: pairs of pools, and judges against human raters.

    Nothing if the two groups share no response.
    """
    if data.question.target == "rater":
        return
    everyone, *others = groups(data.codes)
    named = [group for group in others if "pool" in group.scope]
    judges = [group for group in others if group.is_model]
    for reference, other in combinations(named, 2) if len(named) <= MAX_POOLS else ():
        yield from _compared(data, other, reference, {**other.scope, "reference_pool": reference.scope["pool"]})
    for judge in judges:
        yield from _compared(data, judge, everyone, {**judge.scope, "reference_rater_kind": "person"})
        for pool in named if len(named) > 1 else ():
            yield from _compared(data, judge, pool, {**judge.scope, "reference_pool": pool.scope["pool"]})


def _compared(data: ScaledData, other: Group, reference: Group, scope: Scope) -> Iterator[Estimate]:
    answers = data.answers
    first, second = other.has_rater[answers.rater], reference.has_rater[answers.rater]
    part, is_first = answers.select(first | second), first[first | second]
    if not np.intersect1d(part.unit[is_first], part.unit[~is_first]).size:
        return
    for statistic, compare in (("pool_difference", pool_difference), ("pool_correlation", pool_correlation)):
        found = compare(part.value, is_first, unit=part.unit, **part.where)
        yield data.record(found, part, section=SECTION, scope=scope, statistic=statistic, unit="response")
