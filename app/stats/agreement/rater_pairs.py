"""Agreement of every pair of raters, computed together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from app.stats.agreement.weights import Weights, disagreement_weights

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Ints
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
    n_values = len(ratings.values)
    distance = disagreement_weights(ratings.values, weights) if n_values > 1 else np.zeros((1, 1))
    given = [_filled(ratings, ratings.value_column == column) for column in range(n_values)]
    rated = _filled(ratings, np.ones(len(ratings.value)))
    n_common, same = (rated @ rated.T).toarray(), sum((each @ each.T).toarray() for each in given)
    distances = (_filled(ratings, row[ratings.value_column]) for row in distance)
    seen = sum((each @ far.T).toarray() for each, far in zip(given, distances, strict=True))
    # how often each rater gave each value on the units shared with each other rater, shape (V, R, R)
    shared = np.stack([(each @ rated.T).toarray() for each in given])
    by_chance = np.einsum("vij,vij->ij", shared, np.tensordot(distance, shared.transpose(0, 2, 1), 1))
    pairs = zip(*np.nonzero(np.triu(n_common >= fewest_units, k=1)), strict=True)
    return tuple(_pair(ratings.rater_codes, pair, n_common, same, seen, by_chance) for pair in pairs)


def _filled(ratings: Ratings, number: Bools | Floats) -> Any:  # noqa: ANN401 - scipy's sparse array types have no common name
    """Return a sparse array with one number per rating at its rater and unit, shape (n_raters, n_units)."""
    places = (ratings.rater_row, ratings.unit_row)
    shape = (len(ratings.rater_codes), ratings.n_units)
    return csr_array((np.asarray(number, dtype=np.float64), places), shape=shape)


def _pair(
    codes: Ints, pair: tuple[int, int], n_common: Floats, same: Floats, seen: Floats, by_chance: Floats
) -> RaterPair:
    n, chance = float(n_common[pair]), float(by_chance[pair])
    kappa = 1 - float(seen[pair]) * n / chance if chance > 0 else None
    return RaterPair(int(codes[pair[0]]), int(codes[pair[1]]), int(n), float(same[pair]) / n, kappa)
