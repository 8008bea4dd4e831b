"""Min F', the test of two groups of responders who answer the same items, for new items and new responders."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from app.stats.arms import Arms, Side, missing_side
from app.stats.arrays import Bools, Floats, Labels, codes, present
from app.stats.clusters import combined_df, t_p_value, t_quantile, without_interval
from app.stats.linear.cluster_robust import cluster_variance
from app.stats.linear.regression import LeastSquares, least_squares
from app.stats.result import Interval, Method, Result

METHOD = Method("min_f_t")
_ROUNDING = 1e-12


def mean_difference_responders(
    value: Floats, is_treated: Bools, *, item: Labels, responder: Labels, level: float = 0.95
) -> Result:
    """Return the mean rating of the source minus that of the reference, for new items and new responders.

    V = V_item + V_responder, each CR2, with Satterthwaite's degrees of freedom of the sum. In a balanced design,
    V_responder is that of the t test on responders' means, V_item that of the paired t test on item means, and the
    square of the estimate over its error is min F' = F1 F2 / (F1 + F2) (Clark 1973). Raters are no source of variance
    of their own. `n_units` counts responders.

    Args:
        value: ratings, shape (n,); nan is dropped.
        is_treated: whether the responder belongs to the source, shape (n,).
        item: labels, shape (n,).
        responder: labels, shape (n,); the same label in both groups counts as two responders.
        level: confidence level.
    """
    number, (treated, items, responders) = present(value, is_treated, item, responder)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return replace(problem, method=METHOD)
    item_code, n_items = codes(items)
    responder_code, n_responders = codes(2 * codes(responders)[0] + treated)
    # both sources have ratings, so the columns are independent
    fit = cast("LeastSquares", least_squares(number, np.column_stack([np.ones(len(number)), treated])))
    contrast = np.array([0.0, 1.0])
    bare = Result(fit.estimate(contrast), METHOD)
    bare = bare.with_counts(n_items=n_items, n_units=n_responders, n_ratings=len(number))
    by_item, by_responder = (cluster_variance(fit, code, contrast) for code in (item_code, responder_code))
    if by_item.has_lone_cluster or by_responder.has_lone_cluster:
        return without_interval(bare, "one_cluster", "One side of the contrast has only one item or one responder.")
    whole = by_item.variance + by_responder.variance
    if fit.is_perfect or whole <= _ROUNDING**2:
        note = "There is no variation between items or responders, so no interval."
        return without_interval(bare, "no_variation", note)
    df = combined_df(by_responder.variance / whole, by_responder.df, by_item.df)
    error = whole**0.5 * fit.scale
    reach, estimate = t_quantile(df, level) * error, fit.estimate(contrast)
    return replace(
        bare,
        interval=Interval(estimate - reach, estimate + reach, METHOD, level, inference="items_and_responders"),
        standard_error=error,
        df=df,
        p_value=t_p_value(estimate / error, df),
        note=Side(responder_code, n_responders, Arms.of_two(treated)).note("responders"),
    )
