"""Krippendorff's observed and expected disagreement, and the influence of each unit and rating on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from app.stats.arrays import Bools, Floats, Ints
from app.stats.ratings import Ratings, row_patterns

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def patterns(counts: Ints) -> tuple[Floats, Floats]:
    """Return the distinct rows of `counts`, shape (P, V), and the number of units with each, shape (P,)."""
    rows, code = row_patterns(counts)
    return rows.astype(np.float64), np.bincount(code, minlength=len(rows)).astype(np.float64)


def unit_free(values: Floats) -> Floats:
    """Return the values divided by the largest, so that squares do not overflow. Alpha is invariant to this."""
    largest = float(np.abs(values).max(initial=0.0))
    return values / largest if largest > 0 else values


def distances(values: Floats, level: Level, n: Floats) -> Floats:
    """Return squared differences of values, shape (V, V); `n`, shape (V,), is how often each value was given.

    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section E.
    """
    if level == "nominal":
        return 1.0 - np.eye(len(values))
    if level == "ordinal":
        rank = mid_ranks(n)
        return np.asarray((rank[:, None] - rank) ** 2)
    values = unit_free(values)
    difference = values[:, None] - values
    if level == "interval":
        return difference**2
    total = values[:, None] + values
    return np.divide(difference, total, out=np.zeros_like(difference), where=total != 0) ** 2


def mid_ranks(n: Floats) -> Floats:
    """Return the mean rank of the ratings with each value; values are on the last axis of `n`."""
    return np.asarray(np.cumsum(n, axis=-1) - n / 2)


def coincidences(counts: Floats, weight: Floats) -> Floats:
    """Return the coincidence matrix, shape (V, V); each unit counts as many pairs as it has ratings.

    `counts`, shape (P, V), has rows of at least two ratings; `weight`, shape (P,), is the number of units per row.
    """
    share = weight / (counts.sum(axis=1) - 1)
    met = (counts * share[:, None]).T @ counts
    return np.asarray(met - np.diag(share @ counts))


@dataclass(frozen=True, eq=False)
class Disagreement:
    """Components of alpha: `counts`, shape (P, V), has rows of at least two ratings; `weight` counts units per row.

    With n the weighted column sums, S their sum, m the row sums and d the distances: observed = sum of weight *
    c'dc / (m - 1), expected = n'dn / (S - 1), alpha = 1 - observed / expected.
    """

    counts: Floats
    weight: Floats
    values: Floats
    level: Level

    @cached_property
    def size(self) -> Floats:
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def n(self) -> Floats:
        return np.asarray(self.weight @ self.counts)

    @cached_property
    def d(self) -> Floats:
        return distances(self.values, self.level, self.n)

    @cached_property
    def counts_d(self) -> Floats:
        return np.asarray(self.counts @ self.d)

    @cached_property
    def within(self) -> Floats:
        return np.asarray((self.counts_d * self.counts).sum(axis=1) / (self.size - 1))

    @cached_property
    def spread(self) -> float:
        """n'dn; if 0, no disagreement is expected and alpha is undefined."""
        return float(self.n @ self.d @ self.n)

    @cached_property
    def free(self) -> float:
        """S - 1."""
        return float(self.n.sum()) - 1

    @cached_property
    def observed(self) -> float:
        return float(self.weight @ self.within)

    @cached_property
    def expected(self) -> float:
        return self.spread / self.free

    @property
    def alpha(self) -> float:
        return 1 - self.observed / self.expected

    @cached_property
    def slopes(self) -> tuple[Floats, Floats]:
        """Derivatives of observed and spread with respect to the count of each value, via distances, shapes (V,)."""
        if self.level != "ordinal":
            return np.zeros_like(self.n), np.zeros_like(self.n)
        pairs = coincidences(self.counts, self.weight)
        return _through_ranks(pairs, self.n), _through_ranks(np.outer(self.n, self.n), self.n)

    def unit_influence(self) -> Floats:
        """Return the derivative of alpha with respect to the weight of a unit of each row, shape (P,)."""
        by_distance, by_chance = self.slopes
        d_observed = self.within + self.counts @ by_distance
        d_spread = self.counts @ (2 * self.d @ self.n + by_chance)
        return self._of_alpha(d_observed, d_spread, self.size)

    def rating_influence(self, row: Ints, column: Ints) -> Floats:
        """Return the derivative of alpha with respect to the weight of each rating, at `row` and `column` of `counts`.

        The weight of a pair is the product of its ratings' weights, so the sum over a unit is about twice its
        influence.
        """

        def met(worth: Floats) -> Floats:
            others = (self.counts @ worth)[row] - worth[column]
            return np.asarray(worth[column] + others / (self.size[row] - 1))

        by_distance, by_chance = self.slopes
        d_observed = 2 * self.counts_d[row, column] / (self.size[row] - 1) + met(by_distance)
        d_spread = met(2 * self.d @ self.n + by_chance)
        return self._of_alpha(d_observed, d_spread, np.full(len(row), 2.0))

    def _of_alpha(self, d_observed: Floats, d_spread: Floats, d_size: Floats) -> Floats:
        d_expected = d_spread / self.free - self.spread * d_size / self.free**2
        return np.asarray((self.observed * d_expected / self.expected - d_observed) / self.expected)


def _through_ranks(pairs: Floats, n: Floats) -> Floats:
    """Return the derivative of sum(pairs * d) with respect to the count of each value, via mid-ranks, shape (V,)."""
    rank = mid_ranks(n)
    slope = 4 * (pairs.sum(axis=1) * rank - pairs @ rank)
    return np.asarray(np.cumsum(slope[::-1])[::-1] - slope / 2)


# Disagreement weights: how much two different values disagree, depending on their distance.

Weights = Literal["none", "linear", "quadratic"]


def disagreement_weights(values: Floats, weights: Weights) -> Floats:
    """Return weights from 0 (equal values) to 1 (the two extremes), shape (V, V), V at least 2. Cohen (1968)."""
    if weights == "none":
        return 1.0 - np.eye(len(values))
    values = unit_free(values)
    distance = np.abs(values[:, None] - values)
    share: Floats = distance / distance.max()
    return share if weights == "linear" else share**2


# Units with the most disagreement, and units with split opinions.


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
    unused declared point between them; at the nominal level, if two values of the `domain` have at least two ratings
    each. If all ratings of all units are equal, the disagreement is 0.
    Source: the unit's term of the observed disagreement in Krippendorff (2011), divided by the expected disagreement.
    """
    paired = ratings.paired
    counts = paired.counts.astype(np.float64)
    unit, size = paired.unit_codes, counts.sum(axis=1)
    parts = Disagreement(counts, np.ones(len(counts)), paired.values, level)
    share = np.zeros(len(counts))
    if len(counts) and parts.spread > 0:
        share = parts.within / size / (parts.expected / (parts.free + 1))
    of_value, values = paired.counts_over(domain)
    is_side = np.isin(values, values if domain is None or level != "nominal" else domain)
    is_split = _camps(of_value[:, is_side], values[is_side], level)
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
