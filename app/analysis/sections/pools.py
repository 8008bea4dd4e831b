"""Comparisons of two pools of human raters, or of judges with human raters, on the same responses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from app.analysis.data.question_data import ScaledData
from app.analysis.data.scopes import Group, groups
from app.analysis.estimate import Estimate, Scope
from app.analysis.minimum_data import ASSOCIATION
from app.analysis.statistic import Bounds, Column, PageTable, Recorded, Statistic, declare
from app.analysis.wording import claims
from app.protocol.primary import TESTS, PrimaryContrast
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.stats.comparison.pools import pool_correlation, pool_difference

SECTION = "contrast"
MAX_POOLS = 6

declare(
    Statistic(
        "pool_difference",
        "Difference between pools of raters",
        "points",
        docs="contrasts",
        no_difference=0.0,
        bounds=Bounds(times=1),
        claim=claims.pools,
        tests={"pool_difference": Recorded(unit="response", keys=("pool", "reference_pool"))},
        is_of_pools=True,
    ),
    Statistic(
        "pool_correlation",
        "Correlation between pools of raters",
        "coefficient",
        docs="contrasts",
        minimum=ASSOCIATION,
        claim=claims.pools,
        tests={"pool_correlation": Recorded(unit="response", keys=("pool", "reference_pool"))},
        is_of_pools=True,
    ),
)
BY_GROUP = PageTable(
    "By attribute of sources, by pool and by rater score",
    (
        Column("Attribute of sources", ("attribute_effect",)),
        Column("Difference between pools", ("pool_difference",)),
        Column("Correlation between pools", ("pool_correlation",)),
        Column("Points per unit of the score", ("covariate_slope_by_source",)),
    ),
)


def pools(data: ScaledData, protocol: Protocol) -> Iterator[Estimate]:
    """Yield mean difference and correlation over shared responses: pairs of pools, and judges against human raters.

    Each pair is in the direction of the primary contrasts of the question that name it, otherwise the later pool minus
    the earlier one. Nothing if the two groups share no response.
    """
    if data.question.target == "rater":
        return
    everyone, *others = groups(data.codes)
    named = [group for group in others if "pool" in group.scope]
    judges = [group for group in others if group.is_model]
    declared = [one for one in primary_contrasts(protocol) if _names_pool(one, data.question.key)]
    for other, reference in _directed(named, declared):
        yield from _compared(data, other, reference, {**other.scope, "reference_pool": reference.scope["pool"]})
    for judge in judges:
        yield from _compared(data, judge, everyone, {**judge.scope, "reference_rater_kind": "person"})
        for pool in named if len(named) > 1 else ():
            yield from _compared(data, judge, pool, {**judge.scope, "reference_pool": pool.scope["pool"]})


def _directed(named: Sequence[Group], declared: Sequence[PrimaryContrast]) -> Iterator[tuple[Group, Group]]:
    """Yield each pair of pools with its reference second; both ways if contrasts are declared both ways."""
    for earlier, later in combinations(named, 2):
        ways = ((later, earlier), (earlier, later))
        fitting = [[way for way in ways if _is_direction(one, *way)] for one in declared]
        wanted = dict.fromkeys(found[0] for found in fitting if found)
        if wanted or len(named) <= MAX_POOLS:
            yield from wanted or ways[:1]


def _names_pool(contrast: PrimaryContrast, question: str) -> bool:
    """Return whether the contrast compares pools on this question and names one; otherwise it is about all pairs."""
    is_of_pools = contrast.question == question and TESTS[str(contrast.test)].compares == "pools"
    return is_of_pools and bool(contrast.pool or contrast.reference_pool)


def _is_direction(contrast: PrimaryContrast, other: Group, reference: Group) -> bool:
    return contrast.pool in {None, other.scope["pool"]} and contrast.reference_pool in {None, reference.scope["pool"]}


def _compared(data: ScaledData, other: Group, reference: Group, scope: Scope) -> Iterator[Estimate]:
    answers = data.answers
    first, second = other.has_rater[answers.rater], reference.has_rater[answers.rater]
    part, is_first = answers.select(first | second), first[first | second]
    if not np.intersect1d(part.unit[is_first], part.unit[~is_first]).size:
        return
    for statistic, compare in (("pool_difference", pool_difference), ("pool_correlation", pool_correlation)):
        found = compare(part.value, is_first, unit=part.unit, **part.where)
        yield data.record(found, part, section=SECTION, scope=scope, statistic=statistic, unit="response")
