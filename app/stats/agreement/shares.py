"""Agreement without correction for chance: shares of agreeing pairs and of unanimous units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.stats.agreement.jackknife import nothing_to_compare, share_spread
from app.stats.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.stats.arrays import Floats, Ints
    from app.stats.ratings import Ratings


def percent_agreement(ratings: Ratings, *, confidence: float = 0.95) -> Result:
    """The mean over units of the share of pairs of ratings that are equal.

    Not for comparing questions or scales: two points agree by chance more often than seven.
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, chapter 2. Interval: jackknife over units.
    """
    return _mean_share(ratings, lambda counts: agreeing_pairs(counts, np.eye(counts.shape[1])), confidence)


def within_one_agreement(ratings: Ratings, *, confidence: float = 0.95) -> Result:
    """The mean over units of the share of pairs of ratings that are at most one scale point (1.0) apart.

    Not for nominal values. On a scale of half points, one point is still 1.0.
    """
    values = ratings.paired.values
    near = (np.abs(values[:, None] - values) <= 1 + 1e-9).astype(np.float64)
    return _mean_share(ratings, lambda counts: agreeing_pairs(counts, near), confidence)


def unanimous_share(ratings: Ratings, *, confidence: float = 0.95) -> Result:
    """The share of the units rated twice or more on which all ratings are equal.

    Not for comparing designs: it falls with the number of raters per unit.
    """
    return _mean_share(
        ratings, lambda counts: (counts.max(axis=1) == counts.sum(axis=1)).astype(np.float64), confidence
    )


def agreeing_pairs(counts: Ints, weights: Floats) -> Floats:
    """For each unit the mean weight of its pairs of ratings; counts (N, V) with rows of two or more, weights (V, V)."""
    size = counts.sum(axis=1)
    return np.asarray(((counts @ weights * counts).sum(axis=1) - counts @ np.diag(weights)) / (size * (size - 1)))


def _mean_share(ratings: Ratings, share: Callable[[Ints], Floats], confidence: float) -> Result:
    missing = nothing_to_compare(ratings)
    if missing:
        return missing
    shares = share(ratings.paired.counts)
    method = "mean over units"
    return Result(float(shares.mean()), method=method, **share_spread(shares, confidence), **ratings.sizes())
