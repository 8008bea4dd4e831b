"""Whether the difference between two sources depends on a condition, subgroup, shown label or belief.

Every further split is another chance of a false positive: splits that were not declared in advance are exploratory and
are adjusted by Benjamini-Hochberg.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arms import Arms
from app.stats.core.arrays import present
from app.stats.core.clusters import METHOD, clusters, with_two_way_interval, without_interval
from app.stats.core.result import Result, undefined

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels


def interaction(
    value: Floats, is_treated: Bools, is_member: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the difference between the sources among members minus that among others, two-way cluster t interval.

    Args:
        value: ratings, shape (n,); nan is dropped.
        is_treated: whether the rating is of the source, else of its reference, shape (n,).
        is_member: whether the rating is in the condition or subgroup, shape (n,); a property of items, of raters or of
            single ratings (believed source, shown label).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, (treated, member, items, raters) = present(value, is_treated, is_member, item, rater)
    treated, member = treated.astype(bool), member.astype(bool)
    groups, n = clusters(items, raters), len(number)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    cells = ((1, treated & member), (-1, ~treated & member), (-1, treated & ~member), (1, ~treated & ~member))
    if not all(here.any() for _, here in cells):
        note = "One of the two sources has no ratings on one side of the split."
        return undefined("no_pairable_units", note, method=METHOD, **counts)
    influence, estimate = np.zeros(n), 0.0
    for sign, here in cells:
        mean = float(number[here].mean())
        estimate += sign * mean
        influence[here] = sign * (number[here] - mean) / here.sum()
    if any(np.ptp(groups.item[here]) == 0 or np.ptp(groups.rater[here]) == 0 for _, here in cells):
        bare = Result(estimate, METHOD).with_counts(**counts)
        return without_interval(bare, "one_cluster", "One of the four means is based on only one item or one rater.")
    return with_two_way_interval(
        estimate,
        influence,
        groups,
        null=0.0,
        level=level,
        scale=float(np.abs(number).max()),
        arms=Arms.of_four(treated, member),
    )
