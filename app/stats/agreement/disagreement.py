"""Krippendorff's observed and expected disagreement, from how often each value was given to each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

Level = Literal["nominal", "ordinal", "interval", "ratio"]


def patterns(counts: Ints) -> tuple[Floats, Floats]:
    """The distinct rows of `counts`, shape (P, V), and how many units have each, shape (P,).

    Five raters on five points have at most 126 of them, however many units there are. Where a row cannot be
    numbered in 62 bits (a slider) nearly all rows differ, and each stays its own pattern.
    """
    base, width = int(counts.max(initial=0)) + 1, counts.shape[1]
    if base**width >= 2**62:
        return counts.astype(np.float64), np.ones(len(counts))
    number = counts @ base ** np.arange(width, dtype=np.int64)
    _, first, frequency = np.unique(number, return_index=True, return_counts=True)
    return counts[first].astype(np.float64), frequency.astype(np.float64)


def unit_free(values: Floats) -> Floats:
    """The values divided by the largest, so that squares of huge ones do not overflow. No alpha depends on it."""
    largest = float(np.abs(values).max(initial=0.0))
    return values / largest if largest > 0 else values


def distances(values: Floats, level: Level, n: Floats) -> Floats:
    """Squared differences of values, shape (V, V); `n`, shape (V,), is how often each was given.

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
    """The mean rank of the ratings with each value; `n` has the values along its last axis."""
    return np.asarray(np.cumsum(n, axis=-1) - n / 2)


def alpha_and_influence(counts: Floats, weight: Floats, values: Floats, level: Level) -> tuple[float, Floats] | None:
    """Alpha and its derivative by the weight of a unit of each pattern; None where no disagreement is expected.

    `counts` has shape (P, V), rows of at least two ratings, `weight` shape (P,). With n the weighted column sums,
    S their sum, m the row sums and d the distances, observed = sum of weight * c'dc / (m - 1), expected =
    n'dn / (S - 1), alpha = 1 - observed / expected. Every term is differentiated; at the ordinal level the
    distances depend on n too.
    """
    n = weight @ counts
    size, total = counts.sum(axis=1), n.sum()
    d = distances(values, level, n)
    within = ((counts @ d) * counts).sum(axis=1) / (size - 1)
    observed, spread = float(weight @ within), float(n @ d @ n)
    if spread <= 0:
        return None
    expected = spread / (total - 1)
    d_observed = within
    d_spread = 2 * counts @ (d @ n)
    if level == "ordinal":
        pairs = (counts * (weight / (size - 1))[:, None]).T @ counts
        pairs -= np.diag(weight / (size - 1) @ counts)
        d_observed = d_observed + _through_ranks(counts, pairs, n)
        d_spread = d_spread + _through_ranks(counts, np.outer(n, n), n)
    d_expected = d_spread / (total - 1) - spread * size / (total - 1) ** 2
    return 1 - observed / expected, (observed * d_expected / expected - d_observed) / expected


def _through_ranks(counts: Floats, pairs: Floats, n: Floats) -> Floats:
    """How a unit of each pattern moves sum(pairs * d) by moving the mid-ranks that d is made of."""
    rank = mid_ranks(n)
    slope = 4 * (pairs.sum(axis=1) * rank - pairs @ rank)
    shift = np.cumsum(slope[::-1])[::-1] - slope / 2
    return np.asarray(counts @ shift)
