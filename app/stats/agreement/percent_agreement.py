"""Agreement without correction for chance: proportions of agreeing pairs and of unanimous units."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from app.stats.agreement.two_way import For, is_too_small, two_way_spread
from app.stats.arrays import Floats, Ints
from app.stats.jackknife import PAIR, no_spread, nothing_to_compare, of_share, share_spread
from app.stats.ratings import Ratings
from app.stats.result import Method, Result


def percent_agreement(ratings: Ratings, *, inference: For = "new_units", confidence: float = 0.95) -> Result:
    """Return the proportion of pairs of ratings that are equal, averaged over units.

    Not for comparing questions or scales: raters agree by chance more often on two points than on seven.
    Source: Gwet (2014), Handbook of Inter-Rater Reliability, chapter 2. Interval: jackknife over units, or over units
    and raters; see `two_way_spread`.
    """
    return _mean_weight(ratings, np.eye(len(ratings.paired.values)), inference, confidence)


def within_one_agreement(ratings: Ratings, *, inference: For = "new_units", confidence: float = 0.95) -> Result:
    """Return the proportion of pairs of ratings that differ by at most one scale point (1.0), averaged over units.

    Not for nominal values. On a scale of half points, one point is still 1.0.
    """
    values = ratings.paired.values
    near = (np.abs(values[:, None] - values) <= 1 + 1e-9).astype(np.float64)
    return _mean_weight(ratings, near, inference, confidence)


def unanimous_share(ratings: Ratings, *, confidence: float = 0.95) -> Result:
    """Return the proportion of units with at least two ratings on which all ratings are equal.

    Not for comparing designs: it decreases with the number of raters per unit.
    """
    return _mean_share(
        ratings, lambda counts: (counts.max(axis=1) == counts.sum(axis=1)).astype(np.float64), confidence
    )


def agreeing_pairs(counts: Ints, weights: Floats) -> Floats:
    """Return the mean weight of each unit's pairs; counts (N, V) with at least two ratings per row, weights (V, V)."""
    n = counts.astype(np.float64)
    size = n @ np.ones(n.shape[1])  # summing along short rows is ten times slower
    return np.asarray((np.einsum("ij,ij->i", n @ weights, n) - n @ np.diag(weights)) / (size * (size - 1)))


def agreement_influence(counts: Ints, n_units: Floats, weights: Floats) -> Floats:
    """Return the influence of a rating's weight on the mean of `agreeing_pairs`, shape (P, V).

    The rating has the value of that column and is of a unit with that row of `counts`, shape (P, V); `n_units`,
    shape (P,), is the number of units with each row.

    The weight of a pair is the product of its ratings' weights: a rating that agrees with the others of its unit more
    than average raises the mean by twice the excess over the unit's size. A unit with one rating has no pair.
    """
    size = counts @ np.ones(counts.shape[1])
    is_pairable = size >= PAIR
    n_pairable = n_units[is_pairable]
    usual = float(n_pairable @ agreeing_pairs(counts[is_pairable], weights) / n_pairable.sum())
    with_others = (counts @ weights - np.diag(weights)) / np.maximum(size - 1, 1)[:, np.newaxis]
    share = np.where(is_pairable, 2 / size / n_pairable.sum(), 0.0)
    return np.asarray(share[:, np.newaxis] * (with_others - usual))


def _mean_weight(ratings: Ratings, weights: Floats, inference: For, confidence: float) -> Result:
    found = _mean_share(ratings, lambda counts: agreeing_pairs(counts, weights), confidence)
    if inference == "new_units" or found.estimate is None:
        return found
    paired = ratings.paired
    if is_too_small(paired):
        return replace(found, **no_spread("one_cluster"))
    rows, of_unit = paired.patterns
    shares = agreeing_pairs(rows, weights)[of_unit]
    moved = agreement_influence(rows, np.bincount(of_unit, minlength=len(rows)).astype(np.float64), weights)
    influence = moved[paired.pattern_row, paired.value_column]
    by_units = float(shares.var(ddof=1)) / len(shares)
    spread = two_way_spread(paired, by_units, influence, found.estimate, found.estimate, confidence, is_of_pairs=True)
    return replace(found, **of_share(spread, found.estimate))


def _mean_share(ratings: Ratings, share: Callable[[Ints], Floats], confidence: float) -> Result:
    missing = nothing_to_compare(ratings)
    if missing:
        return missing
    rows, of_unit = ratings.paired.patterns
    shares = share(rows)[of_unit]
    method = Method(words="mean over units")
    return Result(float(shares.mean()), method=method, **share_spread(shares, confidence), **ratings.sizes())
