"""Two-way cluster-robust intervals that are valid with few raters, also if each rater has only one level of a factor.

The plain two-way interval (`clusters`) counts all raters as if each informed the estimate. If each rater sees only
one arm, an arm of two raters has one degree of freedom, however many raters the other arm has. Here variance and
degrees of freedom of each contrast come from `core.cr2`. In a balanced design in which each rater sees both arms, they
equal the factor G / (G - 1) and the G - 1 degrees of freedom of the plain interval.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.stats.arms import Arms, ClusterSums, ClusterVariance, Side
from app.stats.arrays import Bools, Floats, Ints, Labels
from app.stats.clusters import (
    Clusters,
    clusters,
    satterthwaite,
    t_p_value,
    t_quantile,
    two_way_df,
    upper_limit,
    without_interval,
)
from app.stats.linear.regression import LeastSquares, least_squares
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method("two_way_cr2_t")
_ROUNDING = 1e-12


def cluster_variance(fit: LeastSquares, code: Ints, contrast: Floats, weight: Floats | None = None) -> ClusterVariance:
    """Return the CR2 variance of `contrast`, shape (p,), in the fit's scale, for clusters 0..G-1, `code` shape (n,).

    `weight` is the weight of the fit.
    """
    n = int(code.max()) + 1
    root = None if weight is None else np.sqrt(weight / weight.max())
    basis = np.ascontiguousarray((fit.X @ fit.root).T)
    weighted = basis if root is None else basis * root
    gram = _products(basis, code, n)
    noise = gram if root is None else _products(weighted, code, n)
    total, score = (
        np.array([np.bincount(code, column, n) for column in columns]).T
        for columns in (weighted, (column * fit.residual for column in basis))
    )
    return ClusterSums(gram, noise, total, score, fit.root @ fit.scaled(contrast)).variance()


def _products(columns: Floats, code: Ints, n: int) -> Floats:
    """Return the sums over n clusters of the products of each two of `columns`, shape (p, rows); shape (n, p, p)."""
    sums = np.empty((n, len(columns), len(columns)))
    for i, one in enumerate(columns):
        for j, other in enumerate(columns[: i + 1]):
            sums[:, i, j] = sums[:, j, i] = np.bincount(code, one * other, n)
    return sums


def linear_contrast(
    y: Floats,
    X: Floats,
    contrast: Floats,
    *,
    item: Labels,
    rater: Labels,
    weight: Floats | None = None,
    arms: Arms | None = None,
    level: float = 0.95,
) -> Result:
    """Return `contrast` of the least-squares coefficients of y on X, with an interval for new items and new raters.

    V = V_item + V_rater - V_cell, at least the larger of the first two; its degrees of freedom combine those of raters
    and items (`two_way_df`). If raters see one arm, those of one item only are nested in items, so that items are their
    clusters (Cameron and Miller 2015, J. Hum. Resour. 50:317): bound and proportion of V_rater are those of the others.
    With them, V_rater would contain the level of the items, which cancels between the arms.

    If `arms` are pools of raters, the raters of each pool are a part of V of their own, which counts at its
    `upper_limit`: a few raters who happen to be alike would get both a small variance and many degrees of freedom.

    Args:
        y: ratings, shape (n,), finite.
        X: columns including the intercept, shape (n, p), finite.
        contrast: shape (p,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        weight: weight of each rating, shape (n,), above 0.
        arms: arms of a contrast of two groups, for the note on an arm with few raters or items.
        level: confidence level.

    The p-value tests 0. Undefined (`singular`) if the columns are linearly dependent.
    """
    groups, n = clusters(item, rater), len(y)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    fit = least_squares(y, X, weight) if n else None
    if fit is None:
        return _not_fitted(counts)
    bare = Result(fit.estimate(contrast), METHOD).with_counts(**counts)
    if groups.df < 1:
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs two of each.")
    if fit.is_perfect:
        return without_interval(bare, "no_variation", "There is no variation between items or raters, so no interval.")
    return _with_interval(bare, fit, _variances(fit, groups, contrast, weight, arms), contrast, level)


def _not_fitted(counts: dict[str, int]) -> Result:
    if counts["n_ratings"] == 0:
        return undefined("no_pairable_units", "There are no ratings.", method=METHOD, **counts)
    return undefined("singular", "These effects cannot be separated with these ratings.", method=METHOD, **counts)


@dataclass(frozen=True, slots=True)
class _Variances:
    """The variance of a contrast by items, by raters and by cells of both, and a warning of few of them.

    `crossed` is the part of `rater` that counts as its bound and proportion, and `pools` are its parts by pool, empty
    if the arms are no pools; see `linear_contrast`.
    """

    item: ClusterVariance
    rater: ClusterVariance
    cell: ClusterVariance
    crossed: ClusterVariance
    pools: Sequence[ClusterVariance]
    warning: str

    @property
    def both(self) -> float:
        return self.item.variance + self.rater.variance - self.cell.variance

    @property
    def whole(self) -> float:
        return max(self.both, self.item.variance, self.crossed.variance)

    @property
    def df(self) -> float:
        """Degrees of freedom of `whole`, which is above 0."""
        if self.pools:
            pools = [(upper_limit(pool.variance, pool.df), pool.df) for pool in self.pools]
            return satterthwaite(*pools, (self.whole - self.crossed.variance, self.item.df))
        if not self.crossed.variance:
            return self.item.df
        return two_way_df(self.both, *((part.variance, part.df) for part in (self.item, self.crossed)))


def _variances(
    fit: LeastSquares, groups: Clusters, contrast: Floats, weight: Floats | None, arms: Arms | None
) -> _Variances:
    item, rater, cell = (
        cluster_variance(fit, code, contrast, weight) for code in (groups.item, groups.rater, groups.cell)
    )
    sides = [] if arms is None else [Side(groups.rater, groups.n_raters, arms), Side(groups.item, groups.n_items, arms)]
    warnings = [side.warning(what) for side, what in zip(sides, ("raters", "items"), strict=False)]
    warning = next(filter(None, warnings), "")
    if arms is None or not sides[0].is_between:
        return _Variances(item, rater, cell, rater, [], warning)
    is_crossed = _is_crossed(groups)
    crossed = rater if is_crossed.all() else rater.of(is_crossed)
    parts = [is_crossed & of_arm for of_arm in sides[0].in_arm.T] if arms.are_pools else []
    return _Variances(item, rater, cell, crossed, [rater.of(part) for part in parts if part.any()], warning)


def _is_crossed(groups: Clusters) -> Bools:
    """Return which raters have rated several items, shape (n_raters,)."""
    rater_of_cell = np.empty(groups.n_cells, dtype=np.int64)
    rater_of_cell[groups.cell] = groups.rater
    return np.asarray(np.bincount(rater_of_cell, minlength=groups.n_raters) > 1)


def _with_interval(bare: Result, fit: LeastSquares, parts: _Variances, contrast: Floats, level: float) -> Result:
    if parts.item.has_lone_cluster or parts.rater.has_lone_cluster:
        return without_interval(bare, "one_cluster", "One side of the contrast has only one item or one rater.")
    if parts.whole <= _ROUNDING**2 or parts.df <= 0:
        return without_interval(bare, "no_variation", "There is no variation between items or raters, so no interval.")
    error, df, estimate = parts.whole**0.5 * fit.scale, parts.df, fit.estimate(contrast)
    reach = t_quantile(df, level) * error
    return replace(
        bare,
        interval=Interval(estimate - reach, estimate + reach, METHOD, level, inference="items_and_raters"),
        standard_error=error,
        df=df,
        p_value=t_p_value(estimate / error, df),
    ).warned(parts.warning)
