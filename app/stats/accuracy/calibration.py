"""Calibration of a judge's probabilities against human raters.

The reference is a randomly drawn human rater of the same unit: the outcome of a unit is not one correct answer but the
shares of its human raters who gave each answer, so human disagreement counts. `confidence` is the probability of the
answer that the judge gave, `agreement` the share of human raters who gave the same answer, both shape (n_units,).
"""

from dataclasses import dataclass, replace

import numpy as np

from app.stats.arrays import Bools, Floats, Ints, Labels, codes
from app.stats.clusters import BY_ITEM, for_new_items, kept_within, without_interval
from app.stats.comparison import describe
from app.stats.result import Interval, Method, Result, undefined

N_BINS = 10
# The largest score: all probability on one answer, and every human rater gave another.
MAX_BRIER = 2.0
ECE_METHOD = Method("bins_bootstrap")
_NO_UNITS = "No answer of the judge has a probability and human ratings of the same unit."
_PAIR = 2
# So that 0.3 times ten is three.
_ROUNDING = 1e-9


def brier_score(probabilities: Floats, shares: Floats, *, item: Labels, level: float = 0.95) -> Result:
    """Return the mean squared distance between probabilities and the answer of a randomly drawn human rater.

    For one unit with probabilities p and shares s of human raters over the answers k, the expectation over raters of
    sum_k (p_k - [answer is k])^2 (Brier 1950), which is sum_k p_k^2 - 2 sum_k p_k s_k + 1: from 0 to 2. It is proper:
    the expected score is lowest if p is the distribution of human answers. Equals scikit-learn's
    brier_score_loss(scale_by_half=False) over one row per human rating, if all units have equally many raters.

    Args:
        probabilities: of each answer, rows sum to 1, shape (n_units, K).
        shares: of human raters, rows sum to 1, shape (n_units, K).
        item: labels, shape (n_units,).
        level: confidence level of the t interval, clustered by item.
    """
    score = (probabilities**2).sum(axis=1) - 2 * (probabilities * shares).sum(axis=1) + 1
    return _mean(score, item, level, 0.0, MAX_BRIER)


def lowest_brier_score(counts: Floats, *, item: Labels, level: float = 0.95) -> Result:
    """Return the Brier score of the distribution of human answers itself: no judge can be expected to score lower.

    For one unit it is 1 - sum_k pi_k^2 with the unknown shares pi of all possible raters, estimated without bias by
    the share of pairs of its n raters who differ, 1 - sum_k n_k (n_k - 1) / (n (n - 1)) (Simpson 1949). Units with
    fewer than two raters are left out.

    Args:
        counts: number of human raters per answer, shape (n_units, K).
        item: labels, shape (n_units,).
        level: confidence level of the t interval, clustered by item.
    """
    n = counts.sum(axis=1)
    known = n >= _PAIR
    pairs = (n * (n - 1))[known]
    same = (counts * (counts - 1)).sum(axis=1)[known]
    return _mean(1 - same / pairs, np.asarray(item)[known], level, 0.0, 1.0)


def overconfidence(confidence: Floats, agreement: Floats, *, item: Labels, level: float = 0.95) -> Result:
    """Return mean confidence minus mean agreement: positive if the judge is surer than human raters agree with it.

    Interval: t, clustered by item. A judge that is too sure on some units and not sure
    enough on others can have 0: see `calibration_error`.
    """
    return _mean(confidence - agreement, item, level, -1.0, 1.0)


def mean_share(value: Floats, *, item: Labels, level: float = 0.95) -> Result:
    """Return the mean of shares with a t interval clustered by item: mean confidence, or mean agreement."""
    return _mean(value, item, level, 0.0, 1.0)


def _mean(value: Floats, item: Labels, level: float, low: float, high: float) -> Result:
    if not len(value):
        return undefined("no_pairable_units", _NO_UNITS, method=BY_ITEM, n_items=0, n_units=0)
    found = for_new_items(describe.mean(value, item=item, rater=item, level=level))
    return kept_within(replace(found, n_raters=None, n_ratings=None), low, high)


def bin_of(confidence: Floats, n_bins: int = N_BINS) -> Ints:
    """Return the bin of each confidence: bins of equal width from 0 to 1, closed below; 1 belongs to the last.

    >>> bin_of(np.array([0.0, 0.1, 0.95, 1.0]))
    array([0, 1, 9, 9])
    """
    return np.minimum((confidence * n_bins + _ROUNDING).astype(np.int64), n_bins - 1)


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """The units of one bin, which begins at `low` and ends at `high`: mean confidence and mean agreement."""

    low: float
    high: float
    units: Bools
    confidence: Result
    agreement: Result


def calibration_bins(
    confidence: Floats, agreement: Floats, *, item: Labels, n_bins: int = N_BINS, level: float = 0.95
) -> list[CalibrationBin]:
    """Return the bins that have units (the reliability diagram: DeGroot and Fienberg 1983).

    Intervals: t, clustered by item. For units with one human rater each, mean agreement and mean confidence equal
    scikit-learn's calibration_curve(n_bins=n_bins).
    """
    of_unit, labels = bin_of(confidence, n_bins), np.asarray(item)
    found = []
    for number in np.unique(of_unit).tolist():
        units = of_unit == number
        of_bin = [mean_share(one[units], item=labels[units], level=level) for one in (confidence, agreement)]
        found.append(CalibrationBin(number / n_bins, (number + 1) / n_bins, units, *of_bin))
    return found


def calibration_error(
    confidence: Floats,
    agreement: Floats,
    *,
    item: Labels,
    n_bins: int = N_BINS,
    n_resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> Result:
    """Return the expected calibration error: the mean distance between confidence and agreement over bins.

    ECE = sum_b n_b / n |mean agreement in b - mean confidence in b| (Naeini, Cooper and Hauskrecht 2015; Guo, Pleiss,
    Sun and Weinberger 2017), bins of equal width. The interval is the estimate plus and minus a
    percentile of `_distances`, cut off at 0 and 1.

    Args:
        confidence: shape (n_units,).
        agreement: shape (n_units,).
        item: labels, shape (n_units,).
        n_bins: number of bins.
        n_resamples: number of resamples of items.
        seed: of the resamples.
        level: confidence level.
    """
    (code, n_items), n = codes(np.asarray(item)), len(confidence)
    counts = {"n_items": n_items, "n_units": n}
    if n == 0:
        return undefined("no_pairable_units", _NO_UNITS, method=ECE_METHOD, **counts)
    cell = code * n_bins + bin_of(confidence, n_bins)
    sums = np.bincount(cell, agreement - confidence, n_items * n_bins)
    gaps = np.asarray(sums, dtype=np.float64).reshape(n_items, n_bins)
    sizes = np.bincount(code, minlength=n_items)
    error = float(np.abs(gaps.sum(axis=0) / n).sum())
    bare = Result(error, ECE_METHOD).with_counts(**counts)
    if n_items < _PAIR:
        return without_interval(bare, "one_cluster", "A bootstrap over items needs two items.")
    reach = float(np.quantile(_distances(gaps, sizes, n_resamples, seed), level))
    ends = max(error - reach, 0.0), min(error + reach, 1.0)
    return replace(bare, interval=Interval(*ends, ECE_METHOD, level, inference="items"), seed=seed)


def _distances(gaps: Floats, sizes: Ints, n_resamples: int, seed: int) -> Floats:
    """Return the total distance between the bins of each resample of items and those of the data.

    By chance the calibration error is above 0 for a calibrated judge too, the more so the fewer units, and a percentile
    bootstrap would never cover 0. But the error of the estimate cannot be larger than the total error of its bins. In
    simulations with 30 to 400 items the interval covers .93 to .95 for a calibrated judge, and more for others.

    Args:
        gaps: sums of agreement minus confidence, shape (n_items, n_bins).
        sizes: units of each item, shape (n_items,).
        n_resamples: number of resamples.
        seed: of the resamples.
    """
    n_items = len(sizes)
    weights = np.random.default_rng(seed).multinomial(n_items, np.full(n_items, 1 / n_items), n_resamples)
    of_resample = (weights @ gaps) / (weights @ sizes)[:, np.newaxis]
    return np.asarray(np.abs(of_resample - gaps.sum(axis=0) / sizes.sum()).sum(axis=1))
