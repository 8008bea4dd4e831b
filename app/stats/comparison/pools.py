"""Comparison of two pools of raters on the same responses, for example recipients or experts against a crowd.

Arguments: `value`, `is_first`, `unit`, `item`, `rater` shape (n,), one entry per rating; rows with nan are dropped.
`is_first` is the pool, `unit` the response; responses that only one pool rated are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arms import Arms
from app.stats.core.arrays import codes, present
from app.stats.core.contrast_sides import warned_of_few
from app.stats.core.result import undefined
from app.stats.linear.cluster_robust import linear_contrast

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Ints, Labels
    from app.stats.core.result import Result


@dataclass(frozen=True, eq=False)
class SharedUnits:
    """The ratings of units that both pools rated, shape (n,), with unit codes 0..n_units-1."""

    value: Floats
    first: Bools
    unit: Ints
    n_units: int
    item: Labels
    rater: Labels

    @property
    def counts(self) -> dict[str, int | None]:
        return {
            "n_items": codes(self.item)[1],
            "n_units": self.n_units,
            "n_raters": codes(self.rater)[1],
            "n_ratings": len(self.value),
        }

    @property
    def place(self) -> Ints:
        """Code of unit and pool of each rating, 0..2 n_units - 1, odd for the first pool."""
        return 2 * self.unit + self.first


def shared_units(value: Floats, is_first: Bools, unit: Labels, item: Labels, rater: Labels) -> SharedUnits:
    """Drop missing ratings and the units that only one pool rated."""
    number, (first, units, items, raters) = present(value, is_first, unit, item, rater)
    first = first.astype(bool)
    code, n = codes(units)
    has_both = (np.bincount(code[first], minlength=n) > 0) & (np.bincount(code[~first], minlength=n) > 0)
    kept = has_both[code]
    kept_code, n_kept = codes(code[kept])
    return SharedUnits(number[kept], first[kept], kept_code, n_kept, items[kept], raters[kept])


def pool_difference(
    value: Floats, is_first: Bools, *, unit: Labels, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the mean rating by the first pool minus that by the second, averaged over responses. Unit: response.

    Least squares with weights 1 / (ratings of the response by that pool), so that each response counts once; CR2
    errors by item and rater.
    """
    shared = shared_units(value, is_first, unit, item, rater)
    if not shared.n_units:
        return undefined("no_pairable_units", "No response was rated by both pools.", n_units=0, n_ratings=0)
    X = np.column_stack([np.ones(len(shared.value)), shared.first])
    weight = 1 / np.bincount(shared.place)[shared.place]
    contrast = np.array([0.0, 1.0])
    found = linear_contrast(
        shared.value,
        X,
        contrast,
        item=shared.item,
        rater=shared.rater,
        weight=weight,
        arms=Arms.of_two(shared.first),
        level=level,
    )
    return warned_of_few(found.with_counts(**shared.counts), shared.first, shared.rater)
