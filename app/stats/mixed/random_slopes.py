"""Linear mixed models with random slopes by item and by rater, for slopes over turns and covariates."""

from dataclasses import replace

import numpy as np

from app.stats.arrays import Floats, Ints, Labels, codes
from app.stats.clusters import t_p_value, t_quantile, without_interval
from app.stats.mixed.lmm import LmmFit, fit_lmm
from app.stats.mixed.model_design import is_nested_one_to_one
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method("lmm_satterthwaite")
_ROUNDING = 1e-12
_REPEATS = 1.5


def mixed_contrast(
    y: Floats,
    X: Floats,
    contrast: Floats,
    *,
    item: Labels,
    rater: Labels,
    has_slopes: bool = True,
    level: float = 0.95,
) -> Result:
    """Return `contrast` of the fixed effects, with random effects of every column that varies within items or raters.

    REML with independent random effects of item and of rater; interval with Satterthwaite degrees of freedom.

    Args:
        y: ratings, shape (n,), finite.
        X: columns, the intercept first, the others centred, shape (n, p).
        contrast: shape (p,).
        item: labels, shape (n,).
        rater: labels, shape (n,); the same labels as `item` for one random factor.
        has_slopes: whether columns that vary within items or raters get random slopes, or only intercepts are random.
        level: confidence level.
    """
    (items, n_items), (raters, n_raters), n = codes(item), codes(rater), len(y)
    counts = {"n_items": n_items, "n_raters": n_raters, "n_units": n, "n_ratings": n}
    if n == 0:
        return undefined("no_pairable_units", "There are no ratings.", method=METHOD, **counts)
    size = np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny)
    Z, scale, direction = X / size, float(np.ptp(y)) or 1.0, contrast / size
    if np.linalg.matrix_rank(Z) < X.shape[1]:
        return undefined("singular", "These effects cannot be separated with these ratings.", method=METHOD, **counts)
    fit = _fit((y - y.min()) / scale, Z, items, raters, has_slopes=has_slopes)
    beta = np.linalg.lstsq(Z, y / scale)[0] if fit is None else fit.beta
    bare = Result(float(direction @ beta) * scale, METHOD).with_counts(**counts)
    if fit is None:
        return without_interval(bare, "no_variation", "Items and raters explain all variance, so there is no residual.")
    if min(n_items, n_raters) == 1:
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs two of each.")
    return _with_satterthwaite(bare, fit, direction, scale, level)


def _fit(y: Floats, Z: Floats, item: Ints, rater: Ints, *, has_slopes: bool) -> LmmFit | None:
    """Fit with random effects of item and, unless each item has its own rater, of rater; `item`, `rater`: codes."""
    rater_columns = _varying(Z, rater, int(rater.max()) + 1, has_slopes=has_slopes)
    return fit_lmm(
        y,
        np.ascontiguousarray(Z.T),
        item=item,
        rater=rater,
        item_columns=_varying(Z, item, int(item.max()) + 1, has_slopes=has_slopes),
        rater_columns=rater_columns[:0] if is_nested_one_to_one(item, rater) else rater_columns,
    )


def _with_satterthwaite(bare: Result, fit: LmmFit, direction: Floats, scale: float, level: float) -> Result:
    estimate, df = bare.estimate or 0.0, fit.df(direction)
    error = float(np.sqrt(direction @ fit.covariance @ direction)) * scale
    reach = t_quantile(df, level) * error
    interval = Interval(estimate - reach, estimate + reach, METHOD, level, inference="items_and_raters")
    return replace(bare, interval=interval, standard_error=error, df=df, p_value=t_p_value(estimate / error, df))


def _varying(Z: Floats, code: Ints, n: int, *, has_slopes: bool) -> Floats:
    """Return the columns that vary within levels and get random effects, shape (q, n): the intercept, and slopes.

    A column gets slopes if the levels have, on average, at least 1.5 ratings per effect.
    """
    size = np.bincount(code)
    rows: list[Floats] = []
    if 1 < n < len(code):
        for column in Z.T[: None if has_slopes else 1]:
            mean = np.bincount(code, column) / size
            varies = np.bincount(code, np.abs(column - mean[code])) > _ROUNDING * size
            is_intercept = bool(np.ptp(column) == 0)
            if is_intercept or (varies.sum() > 1 and size[varies].mean() >= _REPEATS * (len(rows) + 1)):
                rows.append(column)
    return np.array(rows).reshape(len(rows), len(code))
