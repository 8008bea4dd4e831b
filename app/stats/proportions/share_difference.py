"""Differences between two proportions, with intervals that stay between -1 and 1."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arms import Arms
from app.stats.core.arrays import present
from app.stats.core.clusters import t_p_value, t_quantile
from app.stats.core.contrast_sides import missing_side
from app.stats.linear.cluster_robust import linear_contrast

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels
    from app.stats.core.result import Result


def share_difference(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion among ratings of the source minus that among those of the reference. Unit: rating.

    `value` shape (n,) is 1 if the rating has the property, 0 if not (1/2 for a tie), nan if unknown. The difference
    d = p1 - p0 is estimated by least squares; interval and test on atanh(d), whose error is SE(d) / (1 - d^2), with CR2
    errors by item and rater.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return problem
    X = np.column_stack([np.ones(len(number)), treated])
    plain = linear_contrast(
        number, X, np.array([0.0, 1.0]), item=items, rater=raters, arms=Arms.of_two(treated), level=level
    )
    return within_one(plain)


def within_one(difference: Result) -> Result:
    """Return the difference of proportions with its interval and test on the atanh scale."""
    d, interval = difference.estimate, difference.interval
    if d is None or interval is None or difference.standard_error is None or difference.df is None:
        return difference
    z, error = float(np.arctanh(d)), difference.standard_error / (1 - d**2)
    reach = t_quantile(difference.df, interval.level) * error
    ends = np.tanh([z - reach, z + reach])
    return replace(
        difference,
        interval=replace(interval, low=float(ends[0]), high=float(ends[1])),
        p_value=t_p_value(z / error, difference.df),
    )
