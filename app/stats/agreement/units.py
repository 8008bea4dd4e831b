"""Units with the most disagreement, and units with split opinions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.stats.agreement.disagreement import Disagreement, Level
from app.stats.arrays import Bools, Floats, Ints
from app.stats.ratings import Ratings

# minimum number of ratings that form a group
CAMP = 2


@dataclass(frozen=True, eq=False, slots=True)
class UnitDisagreement:
    """The units with at least two ratings, most disagreement first; all arrays have shape (n_units,).

    `disagreement` uses the distances of alpha: 0 if all ratings agree, 1 if they differ as much as expected by chance.
    One minus its mean weighted by the number of ratings is alpha. `is_split`: see `worst_units`.
    """

    unit: Ints
    n_ratings: Ints
    mean: Floats
    disagreement: Floats
    is_split: Bools


def worst_units(ratings: Ratings, *, level: Level, domain: Sequence[float] | None = None) -> UnitDisagreement:
    """Return the units in order of disagreement, for review: disagreement is data, not noise to be removed.

    A unit is split if the ratings form two groups of at least two, at least half the scale (`domain`) apart and with an
    unused declared point between them; at the nominal level, if two values have at least two ratings each. If all
    ratings of all units are equal, the disagreement is 0.
    Source: the unit's term of the observed disagreement in Krippendorff (2011), divided by the expected disagreement.
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
    """Return whether opinions are split for each unit, shape (N,); counts shape (N, V), values ascending."""
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
