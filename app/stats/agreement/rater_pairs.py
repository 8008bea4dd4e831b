"""Agreement of every pair of raters, computed together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from app.stats.agreement.weights import Weights, disagreement_weights

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints
    from app.stats.core.ratings import Ratings


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters: number of units both rated, proportion of equal values, and kappa (None if undefined)."""

    first: int
    second: int
    n_units: int
    agreement: float
    kappa: float | None


def rater_pairs(ratings: Ratings, *, weights: Weights = "quadratic", fewest_units: int = 2) -> tuple[RaterPair, ...]:
    """Return the pairs of raters with at least `fewest_units` units in common, ordered by their codes.

    Kappa is that of `cohen_kappa`, which also gives intervals; here all pairs take only a few sparse products. It is
    None if both raters gave a single value. Each rater must have rated a unit at most once.
    """
    if not len(ratings.value):
        return ()
    n_raters, n_values = len(ratings.rater_codes), len(ratings.values)
    distance = disagreement_weights(ratings.values, weights) if n_values > 1 else np.zeros((1, 1))
    given = _given(ratings)
    # how often rater i gave value v to a unit to which rater j gave value w
    met = (given @ given.T).tocoo()
    (one, value), (other, beside) = (np.divmod(place.astype(np.int64), n_values) for place in met.coords)

    def summed(number: Floats) -> Floats:
        """Sum over both values, shape (R, R)."""
        sums: Floats = np.bincount(one * n_raters + other, number, n_raters**2).astype(np.float64, copy=False)
        return sums.reshape(n_raters, n_raters)

    n_common, same = summed(met.data), summed(met.data * (value == beside))
    seen = summed(met.data * distance[value, beside])
    # how often each rater gave each value on the units shared with each other rater, shape (V, R, R)
    cell = (value * n_raters + one) * n_raters + other
    shared = np.bincount(cell, met.data, n_values * n_raters**2).reshape(n_values, n_raters, n_raters)
    by_chance = np.einsum("vij,vij->ij", shared, np.tensordot(distance, shared.transpose(0, 2, 1), 1))
    pairs = zip(*np.nonzero(np.triu(n_common >= fewest_units, k=1)), strict=True)
    return tuple(_pair(ratings.rater_codes, pair, n_common, same, seen, by_chance) for pair in pairs)


def _given(ratings: Ratings) -> Any:  # noqa: ANN401 - scipy's sparse array types have no common name
    """Return a sparse indicator of rater and value by unit, shape (n_raters x n_values, n_units)."""
    row = ratings.rater_row * len(ratings.values) + ratings.value_column
    shape = (len(ratings.rater_codes) * len(ratings.values), ratings.n_units)
    return csr_array((np.ones(len(row)), (row, ratings.unit_row)), shape=shape)


def _pair(
    codes: Ints, pair: tuple[int, int], n_common: Floats, same: Floats, seen: Floats, by_chance: Floats
) -> RaterPair:
    n, chance = float(n_common[pair]), float(by_chance[pair])
    kappa = 1 - float(seen[pair]) * n / chance if chance > 0 else None
    return RaterPair(int(codes[pair[0]]), int(codes[pair[1]]), int(n), float(same[pair]) / n, kappa)
