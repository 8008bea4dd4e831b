"""Before and after: the change in each rater's score, and how it differs between two arms. Unit: rater.

`before` and `after` have shape (n,), one entry per rater; raters with nan in either are dropped. `cluster`, shape (n,),
are labels of raters who wrote with each other, and so are no independent units; None if nobody did. Intervals then are
CR2 by cluster with Satterthwaite's degrees of freedom (Bell and McCaffrey 2002, Surv. Methodol. 28:169); with two
raters in each cluster, those of the t tests of the means of clusters.
"""

from dataclasses import replace

import numpy as np

from app.stats.arms import warned_of_few
from app.stats.arrays import Bools, Floats, Labels, codes, spread
from app.stats.clusters import t_p_value, t_quantile, without_interval
from app.stats.linear.cluster_robust import cluster_variance
from app.stats.linear.regression import LeastSquares, least_squares
from app.stats.result import Interval, Method, Result, undefined

PAIRED = Method("t_paired", ": after minus before")
ANCOVA = Method("ancova_cr2_t")
GROUPS = "groups of raters who wrote with each other"
CLUSTERED = f"{GROUPS} as clusters"
NO_RATER = "No rater has both scores."
_PAIR = 2
_ROUNDING = 1e-12


def change(before: Floats, after: Floats, *, cluster: Labels | None = None, level: float = 0.95) -> Result:
    """Return the mean of after - before, with the paired t interval and test (Student 1908)."""
    here = np.isfinite(after - before)
    gap, of = (after - before)[here], _Clusters(cluster, here)
    n = len(gap)
    counts = {"n_units": n, "n_raters": n}
    if n == 0:
        return undefined("no_pairable_units", NO_RATER, method=PAIRED, **counts)
    bare = Result(float(gap.mean()), of.named(PAIRED)).with_counts(**counts)
    if of.n < _PAIR:
        return without_interval(bare, "one_cluster", f"An interval needs two {of.what}.")
    scale = float(np.abs([before, after])[np.isfinite([before, after])].max())
    if spread(gap) / n**0.5 <= _ROUNDING * scale:
        return without_interval(bare, "no_variation", "All raters changed by the same amount, so no interval.")
    if of.n == n:
        return _with_t(bare, spread(gap) / n**0.5, n - 1.0, level)
    fit = least_squares(gap, np.ones((n, 1)))
    return bare if fit is None else _with_own_variances(bare, fit, np.ones(1), of, level)


def change_difference(
    before: Floats, after: Floats, is_treated: Bools, *, cluster: Labels | None = None, level: float = 0.95
) -> Result:
    """Return the difference between treated and other raters after adjustment for the score before.

    Analysis of covariance, after = b0 + b1 before + b2 treated. It has more power than a comparison of changes and is
    not biased by chance differences at baseline (Vickers and Altman 2001, BMJ 323:1123). For raters randomized to arms.
    The arms may differ in their variance: CR2 with one rater per cluster, which is HC2, and Satterthwaite's degrees of
    freedom (Bell and McCaffrey 2002). `is_treated` shape (n,).
    """
    here = np.isfinite(before) & np.isfinite(after)
    first, second, treated = before[here], after[here], np.asarray(is_treated)[here].astype(bool)
    n, of = len(first), _Clusters(cluster, here)
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
    bare = Result(fit.estimate(contrast), of.named(ANCOVA), note=note).with_counts(**counts)
    return warned_of_few(_with_own_variances(bare, fit, contrast, of, level), treated, of.code, what=of.what)


class _Clusters:
    """The independent units: raters, or clusters of those who wrote with each other. `code`: of each rater, from 0."""

    def __init__(self, cluster: Labels | None, here: Bools) -> None:
        """`cluster` is shape (n,), `here` says whose scores are used."""
        n_raters = int(here.sum())
        self.code, self.n = (np.arange(n_raters), n_raters) if cluster is None else codes(cluster[here])
        self.what = "raters" if self.n == n_raters else GROUPS

    def named(self, method: Method) -> Method:
        """The method, which says that raters are not the units."""
        return method if self.n == len(self.code) else method.with_words(f"{',' if method.words else ':'} {CLUSTERED}")


def _with_own_variances(bare: Result, fit: LeastSquares, contrast: Floats, of: _Clusters, level: float) -> Result:
    """Return the result with an interval for which each unit, and so each arm, may have a variance of their own."""
    if of.n <= fit.X.shape[1]:
        return without_interval(bare, "one_cluster", f"An interval needs more {of.what} than the model has terms.")
    if fit.is_perfect:
        return without_interval(bare, "no_variation", "The model fits perfectly, so no interval.")
    found = cluster_variance(fit, of.code, contrast)
    if found.has_lone_cluster:
        return without_interval(bare, "one_cluster", f"An interval needs two {of.what} in each arm.")
    return _with_t(bare, found.variance**0.5 * fit.scale, found.df, level)


def _with_t(bare: Result, error: float, df: float, level: float) -> Result:
    estimate = bare.estimate or 0.0
    reach = t_quantile(df, level) * error
    interval = Interval(estimate - reach, estimate + reach, Method(bare.method.procedure), level, inference="raters")
    return replace(bare, interval=interval, standard_error=error, df=df, p_value=t_p_value(estimate / error, df))
