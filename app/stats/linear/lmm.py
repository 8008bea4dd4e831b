"""The linear counterpart of the ordinal model: mean difference of two sources, Satterthwaite degrees of freedom."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arrays import codes, present
from app.stats.core.clusters import t_p_value, t_quantile, without_interval
from app.stats.core.result import Interval, Result, undefined
from app.stats.linear.lmm_fit import fit_lmm
from app.stats.linear.lmm_name import LMM
from app.stats.mixed.model_design import is_nested_one_to_one, random_columns

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels
    from app.stats.linear.lmm_fit import LmmFit

_SOURCE = np.array([0.0, 1.0])


def mean_difference_lmm(
    value: Floats,
    is_treated: Bools,
    *,
    item: Labels,
    rater: Labels,
    has_slopes: bool = True,
    level: float = 0.95,
) -> Result:
    """Return the mean of the source minus that of the reference, from a linear mixed model by REML. Unit: rating.

    Crossed random intercepts of item and rater and, if identifiable, source slopes by both. Assumes equally spaced
    scale points. All arrays have shape (n,), one entry per rating; nan is dropped.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    n, n_items, n_raters = len(number), codes(items)[1], codes(raters)[1]
    counts = {"n_items": n_items, "n_raters": n_raters, "n_units": n, "n_ratings": n}
    if int(treated.sum()) in {0, n}:
        who = "reference" if treated.any() else "source"
        return undefined("no_pairable_units", f"The {who} has no ratings.", method=LMM, **counts)
    difference = float(number[treated].mean() - number[~treated].mean())
    bare = Result(difference, LMM).with_counts(**counts)
    # rescale to 0..1, so that squares can be summed and a perfect fit is distinguishable from rounding errors
    scale = float(np.ptp(number)) or 1.0
    fit = _fit((number - number.min()) / scale, treated - 0.5, items, raters, has_slopes=has_slopes)
    if fit is None:
        return without_interval(
            bare, "no_variation", "Sources, items and raters explain all variance, so there is no residual."
        )
    if not fit.is_converged:
        return undefined("not_converged", "The fit did not converge.", method=LMM, **counts)
    bare = replace(bare, estimate=float(fit.beta[1] * scale))
    if min(n_items, n_raters) == 1:
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs two of each.")
    return _with_interval(bare, fit, scale, level)


def _fit(y: Floats, contrast: Floats, item: Labels, rater: Labels, *, has_slopes: bool) -> LmmFit | None:
    slopes = contrast if has_slopes else None
    columns = random_columns(item, rater, slopes, is_trivial_rater=is_nested_one_to_one(item, rater))
    X = np.array([np.ones(len(y)), contrast])
    return fit_lmm(y, X, item=item, rater=rater, item_columns=columns.item, rater_columns=columns.rater)


def _with_interval(bare: Result, fit: LmmFit, scale: float, level: float) -> Result:
    """Add the Satterthwaite interval and the p-value; `scale` is the size of one unit of the fit."""
    estimate, error = fit.beta[1] * scale, float(np.sqrt(fit.covariance[1, 1])) * scale
    df = fit.df(_SOURCE)
    reach = t_quantile(df, level) * error
    interval = Interval(float(estimate - reach), float(estimate + reach), LMM, level, inference="items_and_raters")
    p_value = t_p_value(float(estimate) / error, df)
    return replace(bare, interval=interval, standard_error=error, df=df, p_value=p_value)
