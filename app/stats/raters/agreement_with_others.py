"""The correlation of each rater's ratings or choices with the mean of the others, for many raters at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
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
    x, others, of = _beside_others(value, unit, rater)
    n_compared = np.bincount(of, minlength=n_raters)
    found = np.full(n_raters, np.nan)
    if len(of):
        first = np.flatnonzero(np.diff(of, prepend=-1))
        found[of[first]] = _correlations(x, others, first)
    return OthersAgreement(n_compared, found)


def choices_with_others(value: Floats, pair: Ints, rater: Ints, n_raters: int) -> OthersAgreement:
    """Correlate each rater's choices with the mean choice of the other raters of the same pair.

    Which response of a pair is 1 and which -1 is arbitrary, so the correlation is about 0, not about the means: it is
    the same whichever it is, and a rater who chooses at random has 0 on average, also where one source nearly always
    wins. Not defined if the others are divided about every pair.

    Args:
        value: 1 or -1, shape (n,).
        pair: codes of the pairs, shape (n,).
        rater: codes from 0, shape (n,).
        n_raters: the number of raters.
    """
    x, others, of = _beside_others(value, pair, rater)
    same, own, of_others = (np.bincount(of, one, n_raters) for one in (x * others, x * x, others * others))
    with np.errstate(invalid="ignore", divide="ignore"):
        return OthersAgreement(np.bincount(of, minlength=n_raters), np.clip(same / np.sqrt(own * of_others), -1, 1))


def _beside_others(value: Floats, unit: Ints, rater: Ints) -> tuple[Floats, Floats, Ints]:
    """Return, for values of units that others have too, ordered by rater: value, mean of the others, and rater."""
    names, code = np.unique(unit, return_inverse=True)
    n, total = np.bincount(code, minlength=len(names))[code], np.bincount(code, value, len(names))[code]
    shared = np.flatnonzero(n > 1)
    shared = shared[np.argsort(rater[shared], kind="stable")]
    return value[shared], (total[shared] - value[shared]) / (n[shared] - 1), rater[shared]


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
