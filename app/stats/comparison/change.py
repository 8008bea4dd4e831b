"""Before and after: the change in each rater's score, and how it differs between two arms. Unit: rater.

`before` and `after` have shape (n,), one entry per rater; raters with nan in either are dropped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.stats.arms import warned_of_few
from app.stats.arrays import Bools, Floats, spread
from app.stats.clusters import t_p_value, t_quantile, without_interval
from app.stats.linear.cluster_robust import cluster_variance
from app.stats.linear.regression import LeastSquares, least_squares
from app.stats.result import Interval, Method, Result, undefined

PAIRED = Method("t_paired", ": after minus before")
ANCOVA = Method("ancova_cr2_t")
NO_RATER = "No rater has both scores."
_PAIR = 2
_ROUNDING = 1e-12


def change(before: Floats, after: Floats, *, level: float = 0.95) -> Result:
    """Return the mean of after - before, with the paired t interval and test (Student 1908)."""
    gap = (after - before)[np.isfinite(after - before)]
    n = len(gap)
    counts = {"n_units": n, "n_raters": n}
    if n == 0:
        return undefined("no_pairable_units", NO_RATER, method=PAIRED, **counts)
    bare = Result(float(gap.mean()), PAIRED).with_counts(**counts)
    if n < _PAIR:
        return without_interval(bare, "one_cluster", "An interval needs two raters.")
    error, scale = spread(gap) / n**0.5, float(np.abs([before, after])[np.isfinite([before, after])].max())
    if error <= _ROUNDING * scale:
        return without_interval(bare, "no_variation", "All raters changed by the same amount, so no interval.")
    return _with_t(bare, error, n - 1.0, level)


def change_difference(before: Floats, after: Floats, is_treated: Bools, *, level: float = 0.95) -> Result:
    """Return the difference between treated and other raters after adjustment for the score before.

    Analysis of covariance, after = b0 + b1 before + b2 treated. It has more power than a comparison of changes and is
    not biased by chance differences at baseline (Vickers and Altman 2001, BMJ 323:1123). For raters randomized to arms.
    The arms may differ in their variance: CR2 with one rater per cluster, which is HC2, and Satterthwaite's degrees of
    freedom (Bell and McCaffrey 2002). `is_treated` shape (n,).
    """
    here = np.isfinite(before) & np.isfinite(after)
    first, second, treated = before[here], after[here], np.asarray(is_treated)[here].astype(bool)
    n = len(first)
    counts = {"n_units": n, "n_raters": n}
    if n == 0:
        return undefined("no_pairable_units", NO_RATER, method=ANCOVA, **counts)
    if treated.all() or not treated.any():
        side = "other arm" if treated.all() else "treated arm"
        return undefined("no_pairable_units", f"No rater in the {side} has both scores.", method=ANCOVA, **counts)
    is_constant = bool(np.ptp(first) == 0)
    columns = [np.ones(n), treated] if is_constant else [np.ones(n), first, treated]
    fit = least_squares(second, np.column_stack(columns))
    if fit is None:
        return undefined("singular", "Arm and baseline score cannot be separated.", method=ANCOVA, **counts)
    contrast = np.eye(len(columns))[-1]
    note = "The scores before do not vary." if is_constant else ""
    bare = Result(fit.estimate(contrast), ANCOVA, note=note).with_counts(**counts)
    return warned_of_few(_with_own_variances(bare, fit, contrast, level), treated, np.arange(n))


def _with_own_variances(bare: Result, fit: LeastSquares, contrast: Floats, level: float) -> Result:
    """Return the result with an interval for which each rater, and so each arm, may have a variance of their own."""
    n, p = fit.X.shape
    if n <= p:
        return without_interval(bare, "one_cluster", "An interval needs more raters than the model has terms.")
    if fit.is_perfect:
        return without_interval(bare, "no_variation", "The model fits perfectly, so no interval.")
    found = cluster_variance(fit, np.arange(n), contrast)
    if found.has_lone_cluster:
        return without_interval(bare, "one_cluster", "An interval needs two raters in each arm.")
    return _with_t(bare, found.variance**0.5 * fit.scale, found.df, level)


def _with_t(bare: Result, error: float, df: float, level: float) -> Result:
    estimate = bare.estimate or 0.0
    reach = t_quantile(df, level) * error
    interval = Interval(estimate - reach, estimate + reach, Method(bare.method.procedure), level, inference="raters")
    return replace(bare, interval=interval, standard_error=error, df=df, p_value=t_p_value(estimate / error, df))
