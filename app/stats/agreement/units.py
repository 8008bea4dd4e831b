"""On which units do raters disagree most, and on which are their opinions split?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.stats.agreement.disagreement import Disagreement, Level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.stats.core.arrays import Bools, Floats, Ints
    from app.stats.core.ratings import Ratings

# the fewest who make a camp
CAMP = 2


@dataclass(frozen=True, eq=False, slots=True)
class UnitDisagreement:
    """The units with two ratings or more, most disagreement first; all arrays have their length.

    `disagreement` is 0 where all agree and 1 where ratings differ as they would by chance, by the distances of alpha:
    1 minus its mean, each unit counting by its ratings, is alpha. `is_split`: see `worst_units`.
    """

    unit: Ints
    n_ratings: Ints
    mean: Floats
    disagreement: Floats
    is_split: Bools


def worst_units(ratings: Ratings, *, level: Level, domain: Sequence[float] | None = None) -> UnitDisagreement:
    """What to read again, and to show: disagreement is data, not dirt.

    A unit is split where the ratings form two groups of two or more, half the scale (`domain`) or more apart and
    with a declared point between them that nobody gave; at the nominal level where two values have two ratings or
    more each. Where all ratings everywhere are equal the disagreement is 0.
    Source: the unit's term of the observed disagreement in Krippendorff (2011), over the expected one.
    """
    paired = ratings.paired
    counts = paired.counts.astype(np.float64)
    unit, size = paired.unit_codes, counts.sum(axis=1)
    parts = Disagreement(counts, np.ones(len(counts)), paired.values, level)
    share = np.zeros(len(counts))
    if len(counts) and parts.spread > 0:
        share = parts.within / size / (parts.expected / (parts.free + 1))
    is_split = _camps(*paired.counts_over(domain), level)
    order = np.lexsort((unit, -share))
    mean = (counts / size[:, None]) @ paired.values
    return UnitDisagreement(unit[order], size[order].astype(np.int64), mean[order], share[order], is_split[order])


def _camps(counts: Ints, values: Floats, level: Level) -> Bools:
    """For each unit whether opinions are split; counts has shape (N, V), the values in order."""
    if level == "nominal":
        return np.asarray((counts >= CAMP).sum(axis=1) >= CAMP)
    if not counts.size:
        return np.zeros(len(counts), dtype=np.bool_)
    place = np.arange(len(values))
    # for each cut after a value: the nearest value given at or below it, and above it
    lower = np.maximum.accumulate(np.where(counts > 0, place, 0), axis=1)[:, :-1]
    upper = np.minimum.accumulate(np.where(counts > 0, place, place[-1])[:, ::-1], axis=1)[:, ::-1][:, 1:]
    below = np.cumsum(counts, axis=1)[:, :-1]
    above = counts.sum(axis=1, keepdims=True) - below
    is_far = values[upper] / 2 - values[lower] / 2 >= (values[-1] / 2 - values[0] / 2) / 2
    return np.asarray(((below >= CAMP) & (above >= CAMP) & (upper - lower > 1) & is_far).any(axis=1))
