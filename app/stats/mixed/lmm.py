"""The linear counterpart of the ordinal model: mean difference of two sources, Satterthwaite degrees of freedom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from scipy import optimize

from app.stats.arrays import Bools, Floats, Labels, codes, one_thread, present
from app.stats.clusters import t_p_value, t_quantile, without_interval
from app.stats.mixed.crossed import Crossed, Factor, Factored, crossed, union_of_columns
from app.stats.mixed.lmm_name import LMM
from app.stats.mixed.model_design import random_columns
from app.stats.remembered import remembered
from app.stats.result import Interval, Result, undefined

# Linear mixed model with two crossed (or nested) random factors by REML, with Satterthwaite degrees of freedom.
#
# With Theta the standard deviations of the effects relative to the residual's, H = I + Theta Z'Z Theta, and
# V = I + Z Theta Theta Z', the criterion needs only [X y]' V^-1 [X y] and log det H (Bates et al. 2015, J. Stat.
# Softw.
# 67:1). Sums over the ratings are computed once, so the cost of an evaluation depends on cells, not on ratings.

_STEP = 1e-4
_FLAT = 1e-9
_PERFECT = 1e-12
_MAX_STEPS = 200
# largest gradient of the criterion, per rating, that is accepted as a minimum
_LEVEL = 1e-4


@dataclass(frozen=True, eq=False)
class LmmFit:
    """Estimates of a linear mixed model.

    Attributes:
        beta: fixed effects, shape (p,), one per column of X.
        covariance: covariance of beta, shape (p, p).
        sd_item, sd_rater: standard deviations of the random effects, in the order of their columns; 0 at the boundary.
        sd_residual: standard deviation of the residual.
        reml_criterion: minus twice the restricted log-likelihood.
        is_converged: whether the gradient of the criterion is close to 0; if not, the estimates are not at a minimum.
        item_effects, rater_effects: best linear unbiased predictions, shapes (q, n_items), (q, n_raters), in order of
            first appearance.
    """

    beta: Floats
    covariance: Floats
    sd_item: Floats
    sd_rater: Floats
    sd_residual: float
    reml_criterion: float
    item_effects: Floats
    rater_effects: Floats
    is_converged: bool
    _around: Callable[[], tuple[Floats, Floats]]

    @cached_property
    def around(self) -> tuple[Floats, Floats]:
        """Covariance of (relative sds, residual sd), shape (m, m), and derivatives of that of beta in them, (m, p, p).

        Computed when asked for, because it takes a third of the time of a fit, and effects alone do not need it.
        """
        with one_thread(), np.errstate(all="ignore"):
            return self._around()

    def df(self, contrast: Floats) -> float:
        """Return the Satterthwaite degrees of freedom of one contrast, shape (p,)."""
        covariance, slopes = self.around
        gradient = slopes @ contrast @ contrast
        variance = contrast @ self.covariance @ contrast
        return float(2 * variance**2 / (gradient @ covariance @ gradient))


@remembered
def fit_lmm(
    y: Floats, X: Floats, *, item: Labels, rater: Labels, item_columns: Floats, rater_columns: Floats
) -> LmmFit | None:
    """Fit y = X beta + effects of item and of rater + residual.

    Args:
        y: shape (n,).
        X: fixed columns including the intercept, shape (p, n), linearly independent.
        item: labels, shape (n,); `rater` may also be nested in it.
        rater: labels, shape (n,).
        item_columns: columns whose effects vary by item, shape (q, n), as in `fit_clmm`.
        rater_columns: columns whose effects vary by rater, shape (q, n).

    Returns:
        The fit, or None if no residual variance is left.

    Checked against lme4 1.1.31 (Penicillin) and lmerTest 3.1.3 (ham).
    """
    items, n_items = codes(item)
    raters, n_raters = codes(rater)
    columns, at_item, at_rater = union_of_columns(item_columns, rater_columns, len(y))
    by_item, by_rater = Factor(items, n_items, at_item), Factor(raters, n_raters, at_rater)
    is_item_large = n_items >= n_raters
    design = crossed(*((by_item, by_rater) if is_item_large else (by_rater, by_item)), columns)
    model = _Reml(design, np.vstack([X, y])[:, design.order])
    try:
        with one_thread(), np.errstate(all="ignore"):
            return model.fitted(is_item_large=is_item_large)
    except np.linalg.LinAlgError:
        # the search diverged to unbounded effects, as happens without residual variance
        return None


class _Reml:
    """The REML criterion of a design, from sums computed once. `Y` is [X y] by rows, sorted as the design.

    Its parameters are (theta, sigma): standard deviations relative to the residual's, then the residual's.
    """

    def __init__(self, design: Crossed, Y: Floats) -> None:
        self.design = design
        self.n, self.p = Y.shape[1], Y.shape[0] - 1
        self.cells = design.over_cells(design.products)
        self.products = Y @ Y.T
        gathered = [design.gather(row) for row in Y]
        self.large = np.array([large for large, _ in gathered])
        self.small = np.array([small for _, small in gathered])

    def at(self, theta: Floats) -> _At:
        q = self.design.large.q
        H = Factored(self.design, self.cells, theta[:q], theta[q:])
        large, small = self.large * theta[:q, np.newaxis], self.small * theta[q:, np.newaxis]
        by_large, by_small = H.solve_each(large, small)
        cross = self.products - _products_of_rows(large, by_large) - _products_of_rows(small, by_small)
        beta: Floats = np.asarray(np.linalg.solve(cross[:-1, :-1], cross[:-1, -1]), dtype=np.float64)
        # if the effects explain everything, only rounding errors are left, which may be negative
        residual = max(float(cross[-1, -1] - cross[:-1, -1] @ beta), _PERFECT * self.products[-1, -1])
        return _At(theta, H, by_large, by_small, cross, beta, residual)

    def profiled(self, theta: Floats) -> tuple[float, Floats]:
        """Return the criterion at the best sigma, and its gradient in theta."""
        at, free = self.at(theta), self.n - self.p
        value = at.log_det + free * (1 + np.log(2 * np.pi * at.residual / free))
        return value, at.log_det_slopes + at.residual_slopes * (free / at.residual)

    def gradient(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return the gradient of the criterion in (theta, sigma), and the covariance of beta, shape (p, p)."""
        at, sigma = self.at(parameters[:-1]), parameters[-1]
        by_sigma = 2 * (self.n - self.p) / sigma - 2 * at.residual / sigma**3
        return np.append(at.log_det_slopes + at.residual_slopes / sigma**2, by_sigma), at.inverse * sigma**2

    def fitted(self, *, is_item_large: bool) -> LmmFit | None:
        q, m = self.design.large.q, self.design.large.q + self.design.small.q
        nothing = 10 * _PERFECT * self.products[-1, -1]
        if self.n <= self.p or self.at(np.zeros(m)).residual <= nothing:
            return None
        theta = np.full(m, 0.5)
        if m:
            theta = optimize.minimize(
                self.profiled, theta, jac=True, method="BFGS", options={"gtol": 1e-6, "maxiter": _MAX_STEPS}
            ).x
        at = self.at(theta)
        if at.residual <= nothing or not (np.diag(at.inverse) > 0).all():
            return None
        sigma = float(np.sqrt(at.residual / (self.n - self.p)))
        parameters = np.append(np.abs(theta), sigma)
        sds = parameters[:q] * sigma, parameters[q:-1] * sigma
        effects = self._effects(at)
        (item, item_effects), (rater, rater_effects) = list(zip(sds, effects, strict=True))[
            :: 1 if is_item_large else -1
        ]
        criterion, slope = self.profiled(theta)
        return LmmFit(
            at.beta,
            at.inverse * sigma**2,
            item,
            rater,
            sigma,
            criterion,
            item_effects,
            rater_effects,
            bool(np.abs(slope).max(initial=0.0) <= _LEVEL * self.n),
            partial(self._around, parameters),
        )

    def _effects(self, at: _At) -> tuple[Floats, Floats]:
        """Return Theta H^-1 Theta Z' (y - X beta) of the large and small factor, levels in the caller's order."""
        left, q = np.append(-at.beta, 1.0), self.design.large.q
        large = np.einsum("a,akl->kl", left, at.by_large) * at.theta[:q, np.newaxis]
        small = np.einsum("a,akl->kl", left, at.by_small) * at.theta[q:, np.newaxis]
        unsorted = np.empty_like(large)
        unsorted[:, self.design.large_level] = large
        return unsorted, small

    def _around(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return twice the inverse Hessian of the criterion, and the derivatives of the covariance of beta."""
        steps = np.diag(_STEP * np.append(np.ones(len(parameters) - 1), parameters[-1]))
        sizes = np.diag(steps)[:, np.newaxis]
        sides = [(self.gradient(parameters + s), self.gradient(parameters - s)) for s in steps]
        H: Floats = np.array([above[0] - below[0] for above, below in sides]) / (2 * sizes)
        slopes = np.array([above[1] - below[1] for above, below in sides])
        # a variance at its boundary may leave a flat direction, in which nothing changes, so it is left out
        values, vectors = np.linalg.eigh((H + H.T) / 2)
        kept = values > _FLAT * values.max()
        inverse: Floats = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T
        return 2 * inverse, slopes / (2 * sizes[:, :, np.newaxis])


def _products_of_rows(left: Floats, right: Floats) -> Floats:
    """Return the inner products of the rows of Y, shape (p + 1, p + 1)."""
    rows = len(left)
    return np.asarray(left.reshape(rows, -1) @ right.reshape(rows, -1).T, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _At:
    """Components of the criterion at one theta. `by_large`, `by_small`: H^-1 Theta Z' [X y], one entry per row of Y."""

    theta: Floats
    H: Factored
    by_large: Floats
    by_small: Floats
    cross: Floats
    beta: Floats
    residual: float

    @cached_property
    def inverse(self) -> Floats:
        """(X' V^-1 X)^-1."""
        return np.asarray(np.linalg.inv(self.cross[:-1, :-1]), dtype=np.float64)

    @property
    def log_det(self) -> float:
        """Log determinant of H plus that of X' V^-1 X."""
        return self.H.log_det + float(np.linalg.slogdet(self.cross[:-1, :-1])[1])

    @property
    def log_det_slopes(self) -> Floats:
        by_h = 2 * np.concatenate(self.H.half_log_det_slopes)
        by_x = np.concatenate([self._moves(rows[:-1], self.inverse) for rows in (self.by_large, self.by_small)])
        return by_h - 2 * by_x / self._divisor

    @property
    def residual_slopes(self) -> Floats:
        left = np.append(-self.beta, 1.0)
        moves = [self._moves(rows, np.outer(left, left)) for rows in (self.by_large, self.by_small)]
        return -2 * np.concatenate(moves) / self._divisor

    @property
    def _divisor(self) -> Floats:
        """Theta, with 1 in place of 0, since all dividends are 0 there."""
        return np.where(self.theta == 0, 1.0, self.theta)

    def _moves(self, rows: Floats, weights: Floats) -> Floats:
        """Return the weighted sum over levels and pairs of rows of their products; shape (q,)."""
        weighted = (weights @ rows.reshape(len(rows), -1)).reshape(rows.shape)
        moves: Floats = (weighted * rows).sum(axis=(0, 2))
        return moves


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
    columns = random_columns(item, rater, contrast if has_slopes else None)
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
