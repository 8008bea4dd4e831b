"""Difference between source and reference in per cent of the reference mean ("+10% of the mean")."""

from dataclasses import replace

import numpy as np

from app.stats.arms import Arms, missing_side
from app.stats.arrays import Bools, Floats, Labels, present
from app.stats.clusters import t_p_value, t_quantile, without_interval
from app.stats.linear.cluster_robust import METHOD, linear_contrast
from app.stats.result import Result, undefined, with_method

_HUNDRED = 100.0
_BELOW_ZERO = "A percentage needs a scale without values below 0."


def percent_change(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return 100 (m1 / m0 - 1) for the mean m1 of the source and m0 of the reference. Unit: rating.

    Interval by the delta method on log(m1 / m0) with CR2 errors by item and rater, back-transformed to per cent, so
    that it stays above -100. Depends on the zero of the scale: on 1 to 5, no mean can fall below 1. For 1 "good" and 0
    "not good", it is the relative change of a proportion.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return with_method(problem, METHOD)
    if number.min() < 0:
        return undefined("singular", _BELOW_ZERO, method=METHOD, n_units=len(number), n_ratings=len(number))
    mine, theirs = float(number[treated].mean()), float(number[~treated].mean())
    if theirs == 0:
        return undefined("separation", "The mean of the reference is 0.", method=METHOD, n_ratings=len(number))
    if mine == 0:
        bare = Result(-_HUNDRED, METHOD, n_units=len(number), n_ratings=len(number))
        return without_interval(bare, "separation", "The mean of the source is 0, so no interval.")
    # a column for each mean: clusters then need no eigenvectors, which take half the time with a million ratings
    X = np.column_stack([~treated, treated]).astype(np.float64)
    gradient = np.array([-1 / theirs, 1 / mine])
    on_log = linear_contrast(number, X, gradient, item=items, rater=raters, arms=Arms.of_two(treated), level=level)
    return as_percent(replace(on_log, estimate=float(np.log(mine / theirs))))


def as_percent(on_log: Result) -> Result:
    """Convert estimate, error and interval to per cent; the test is that of 0 on the log scale."""
    centre = on_log.estimate or 0.0
    ratio = float(np.exp(centre))
    changed = replace(on_log, estimate=_HUNDRED * (ratio - 1))
    if on_log.interval is None or on_log.standard_error is None or on_log.df is None:
        return changed
    reach = t_quantile(on_log.df, on_log.interval.level) * on_log.standard_error
    low, high = (_HUNDRED * float(np.expm1(end)) for end in (centre - reach, centre + reach))
    return replace(
        changed,
        interval=replace(on_log.interval, low=low, high=high),
        standard_error=_HUNDRED * ratio * on_log.standard_error,
        p_value=t_p_value(centre / on_log.standard_error, on_log.df),
    )
