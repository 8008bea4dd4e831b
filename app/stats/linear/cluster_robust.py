"""Two-way cluster-robust intervals that hold with few raters, also where each rater has one level of a factor only.

The plain two-way interval (`core.clusters`) counts all raters as if each informed the estimate. Where a rater sees
one arm only, an arm of two raters has one degree of freedom, however many the other arm has. The bias-reduced variance
CR2 (Bell and McCaffrey 2002, Surv. Methodol. 28:169) and Satterthwaite degrees of freedom (Pustejovsky and Tipton 2018,
J. Bus. Econ. Stat. 36:672) take account of that. In a balanced design in which each rater sees both arms they are the
factor G / (G - 1) and the G - 1 degrees of freedom of the plain interval.

For cluster g with rows X_g and residuals e_g of a fit, M = (X'X)^-1 and a contrast c:
    S_g = M^1/2 X_g'X_g M^1/2,   b_g = M^1/2 (I - S_g)^-1/2 M^1/2 c,   V = sum over g of (b_g' X_g' e_g)^2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.clusters import clusters, t_p_value, t_quantile, without_interval
from app.stats.core.result import Interval, Result, undefined
from app.stats.linear.least_squares import least_squares

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints, Labels
    from app.stats.core.clusters import Clusters
    from app.stats.linear.least_squares import LeastSquares

METHOD = "two_way_cr2_t"
_ROUNDING = 1e-12
# a leverage this near 1 belongs to a cluster that decides some direction of the estimate alone
_ALONE = 1 - 1e-9


@dataclass(frozen=True, slots=True)
class ClusterVariance:
    """The CR2 variance of one contrast of values divided by the fit's scale, and its Satterthwaite degrees of freedom.

    `has_lone_cluster`: a cluster alone decides a part of the contrast.
    """

    variance: float
    df: float
    has_lone_cluster: bool


def cluster_variance(fit: LeastSquares, code: Ints, contrast: Floats) -> ClusterVariance:
    """Of `contrast`, shape (p,), for clusters with codes 0..G-1, shape (n,). Ratings are taken as equally precise.

    A cluster that alone decides part of the contrast (the only rater of an arm) has no spread that could be seen.
    """
    n, p = int(code.max()) + 1, fit.X.shape[1]
    basis, direction = fit.X @ fit.root, fit.root @ fit.scaled(contrast)
    products = [np.bincount(code, basis[:, a] * basis[:, b], n) for a in range(p) for b in range(p)]
    S = np.array(products).T.reshape(n, p, p)
    scores = np.array([np.bincount(code, basis[:, a] * fit.residual, n) for a in range(p)]).T
    values, vectors = np.linalg.eigh(S)
    is_free = values < _ALONE
    turned = np.einsum("gab,a->gb", vectors, direction)
    has_lone = bool((np.abs(turned[~is_free]) > _ROUNDING * np.abs(direction).max()).any())
    spread = np.where(is_free, 1 / np.sqrt(np.where(is_free, 1 - values, 1.0)), 0.0)
    b = np.einsum("gab,gb->ga", vectors, turned * spread)
    moves = (b * scores).sum(axis=1)
    pulls = np.einsum("gab,gb->ga", S, b)
    return ClusterVariance(float(moves @ moves), _satterthwaite((b * pulls).sum(axis=1), pulls), has_lone)


def _satterthwaite(own: Floats, pulls: Floats) -> float:
    """trace(P)^2 / trace(P^2) of P = diag(own) - pulls pulls', shapes (G,) and (G, p)."""
    shared = (pulls**2).sum(axis=1)
    whole = pulls.T @ pulls
    trace = float(own.sum() - shared.sum())
    squares = float(own @ own - 2 * own @ shared + (whole * whole).sum())
    return trace**2 / squares if squares > 0 else 0.0


def linear_contrast(  # a statistic's options are keywords
    y: Floats,
    X: Floats,
    contrast: Floats,
    *,
    item: Labels,
    rater: Labels,
    weight: Floats | None = None,
    null: float = 0.0,
    level: float = 0.95,
) -> Result:
    """`contrast` of the least-squares coefficients of y on X, with an interval for new items and new raters.

    V = V_item + V_rater - V_cell, not below the larger of the first two; its degrees of freedom combine those of
    raters and items by their shares of V.

    Args:
        y: ratings, shape (n,), finite.
        X: columns with the intercept, shape (n, p), finite.
        contrast: shape (p,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        weight: shape (n,), above 0.
        null: the value that the p-value tests against.
        level: of the interval.

    Returns:
        Result with n_items, n_raters, n_ratings; undefined (`singular`) where the columns are not independent.
    """
    groups, n = clusters(item, rater), len(y)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if n == 0:
        return undefined("no_pairable_units", "There are no ratings.", method=METHOD, **counts)
    fit = least_squares(y, X, weight)
    if fit is None:
        return undefined("singular", "The ratings cannot tell these effects apart.", method=METHOD, **counts)
    bare = Result(fit.estimate(contrast), METHOD).with_counts(**counts)
    if groups.df < 1:
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs two of each.")
    if fit.is_perfect:
        return without_interval(bare, "no_variation", "Nothing varies between items or raters: no interval.")
    return _with_interval(bare, fit, groups, contrast, null, level)


def _with_interval(  # the parts of one result
    bare: Result, fit: LeastSquares, groups: Clusters, contrast: Floats, null: float, level: float
) -> Result:
    by_item, by_rater, by_cell = (
        cluster_variance(fit, code, contrast) for code in (groups.item, groups.rater, groups.cell)
    )
    if by_item.has_lone_cluster or by_rater.has_lone_cluster:
        return without_interval(bare, "one_cluster", "One side of the contrast has one item, or one rater, only.")
    both = by_item.variance + by_rater.variance - by_cell.variance
    variance = max(both, by_item.variance, by_rater.variance)
    error = variance**0.5 * fit.scale
    if variance <= _ROUNDING**2 or by_item.df <= 0 or by_rater.df <= 0:
        return without_interval(bare, "no_variation", "Nothing varies between items or raters: no interval.")
    share = by_rater.variance / variance
    df = 1 / (share**2 / by_rater.df + (1 - share) ** 2 / by_item.df)
    estimate = fit.estimate(contrast)
    reach = t_quantile(df, level) * error
    return replace(
        bare,
        interval=Interval(estimate - reach, estimate + reach, METHOD, level, inference="items_and_raters"),
        standard_error=error,
        df=df,
        p_value=t_p_value((estimate - null) / error, df),
    )
