"""The correlation of each rater's ratings with the mean of the others, for many raters at once, without intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Floats, Ints


@dataclass(frozen=True)
class OthersAgreement:
    """By rater, shape (n_raters,): number of ratings of what others rated too, and the correlation.

    The correlation is nan if nobody else rated the same, or if either side does not vary.
    """

    n_compared: Ints
    correlation: Floats


def agreement_with_others(value: Floats, unit: Ints, rater: Ints, n_raters: int) -> OthersAgreement:
    """Correlate each rater's ratings with the mean of the other raters of the same unit.

    This is the leave-one-out correlation of `profiles`, without its interval.

    Args:
        value: ratings, shape (n,).
        unit: codes of what was rated, shape (n,).
        rater: codes from 0, shape (n,).
        n_raters: the number of raters.
    """
    names, code = np.unique(unit, return_inverse=True)
    n, total = np.bincount(code, minlength=len(names))[code], np.bincount(code, value, len(names))[code]
    shared = np.flatnonzero(n > 1)
    shared = shared[np.argsort(rater[shared], kind="stable")]
    x, others, of = value[shared], (total[shared] - value[shared]) / (n[shared] - 1), rater[shared]
    n_compared = np.bincount(of, minlength=n_raters)
    found = np.full(n_raters, np.nan)
    if len(of):
        first = np.flatnonzero(np.diff(of, prepend=-1))
        found[of[first]] = _correlations(x, others, first)
    return OthersAgreement(n_compared, found)


def _correlations(x: Floats, y: Floats, first: Ints) -> Floats:
    """Return one correlation per run of entries that starts at `first`; nan if either does not vary."""
    size = np.diff(first, append=len(x))

    def centred(values: Floats) -> Floats:
        mean: Floats = np.add.reduceat(values, first) / size
        return values - np.repeat(mean, size)

    varies = [np.minimum.reduceat(one, first) < np.maximum.reduceat(one, first) for one in (x, y)]
    dx, dy = centred(x), centred(y)
    sums = [np.add.reduceat(one, first) for one in (dx * dy, dx * dx, dy * dy)]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.clip(sums[0] / np.sqrt(sums[1] * sums[2]), -1, 1)
    return np.where(varies[0] & varies[1], found, np.nan)
