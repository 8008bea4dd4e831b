"""Fitting a cumulative link mixed model: BFGS from a start with curvature, then Newton steps on the exact gradient."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

from app.stats.core.arrays import codes
from app.stats.core.one_thread import one_thread
from app.stats.mixed.crossed import Factor, crossed, union_of_columns
from app.stats.ordinal.clmm_laplace import Laplace
from app.stats.ordinal.clmm_start import SearchEnd, inverse_start, off_the_edge, part_of, shares_start

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints, Labels
    from app.stats.ordinal.clmm_links import LinkName

BOUNDARY = 0.01
_STEP = 1e-4
_POLISHES = 4
_SETTLED = 1e-9
# squared distance in standard errors within which the information is almost constant
_NEAR = 1e-3
_LOOSE = 1e-5
# maximum number of Newton steps with one inverse, and of halvings of a step that does not improve the likelihood
_MAX_STEPS, _MAX_HALVINGS = 40, 10
# an increase within the rounding error of the value does not count as a worse likelihood
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ClmmFit:
    """Estimates of a cumulative link mixed model on the latent scale.

    Attributes:
        thresholds: shape (K - 1,), ascending.
        beta: fixed effects, shape (p,), one per column of X.
        sd_item, sd_rater: standard deviations of the random effects, in the order of the columns; below `BOUNDARY`, a
            component is regarded as 0, at the boundary.
        covariance: covariance of (thresholds, beta, sd_item, sd_rater), the inverse of the observed information.
        item_effects, rater_effects: modes of the effects, shapes (q, n_items), (q, n_raters), in order of first
            appearance.
        end: where the search ended, as a start for the other link.
    """

    log_likelihood: float
    thresholds: Floats
    beta: Floats
    sd_item: Floats
    sd_rater: Floats
    covariance: Floats
    item_effects: Floats
    rater_effects: Floats
    end: SearchEnd

    @property
    def beta_errors(self) -> Floats:
        """Standard errors of beta, shape (p,)."""
        first = len(self.thresholds)
        errors: Floats = np.sqrt(np.diag(self.covariance)[first : first + len(self.beta)])
        return errors

    @property
    def parameters(self) -> Floats:
        return np.concatenate([self.thresholds, self.beta, self.sd_item, self.sd_rater])


def fit_clmm(
    y: Ints,
    X: Floats,
    *,
    item: Labels,
    rater: Labels,
    item_columns: Floats,
    rater_columns: Floats,
    link: LinkName = "logit",
    logit: ClmmFit | None = None,
) -> ClmmFit | None:
    """Fit P(y <= k) = F(theta_k - eta), eta = X beta + effects of item and of rater, by the Laplace approximation.

    Args:
        y: categories 0..K-1, shape (n,), all of them present, K >= 2.
        X: fixed columns without intercept, shape (p, n).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        item_columns: columns whose effects vary by item, shape (q, n): a row of ones for intercepts, the source for
            slopes. Effects of different rows are assumed independent, so code the source -1/2 and 1/2.
        rater_columns: columns whose effects vary by rater, shape (q, n).
        link: `logit` or `probit`.
        logit: the logit fit of the same model to the same data, from which a probit fit starts.

    Returns:
        The fit, or None if no finite maximum of the likelihood was found (an unbounded effect).

    Checked against ordinal::clm and ordinal::clmm 2022.11.16 of R on the wine data.
    """
    columns, at_item, at_rater = union_of_columns(item_columns, rater_columns, len(y))
    by_item, by_rater = Factor(*codes(item), at_item), Factor(*codes(rater), at_rater)
    is_item_large = by_item.n_levels >= by_rater.n_levels
    design = crossed(*((by_item, by_rater) if is_item_large else (by_rater, by_item)), columns)
    f = Laplace(y[design.order], X[:, design.order], design, link, int(y.max()) + 1)
    minimum, q = None, design.large.q + design.small.q
    start = None if logit is None else logit.end.for_probit(f.n_categories - 1, q)
    # small matrices are slower on many threads than on one, especially if other programs use the machine
    with one_thread(), np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
        minimum = _minimized(f, start)
    return None if minimum is None else _fit_at(f, *minimum, is_item_large=is_item_large)


def _fit_at(f: Laplace, w: Floats, covariance: Floats, *, is_item_large: bool) -> ClmmFit:
    """Return the fit at the minimum, with effects in the order of the codes of items and raters."""
    par = f.parameters(w)
    unsorted = np.empty_like(f.large)
    unsorted[:, f.design.large_level] = f.large
    large = (np.abs(par.sd_large), par.sd_large[:, np.newaxis] * unsorted)
    small = (np.abs(par.sd_small), par.sd_small[:, np.newaxis] * f.small)
    (sd_item, item_effects), (sd_rater, rater_effects) = (large, small) if is_item_large else (small, large)
    value, order = f.value_and_gradient(w)[0], _item_first(f, is_item_large=is_item_large)
    inverse = _of_thresholds(covariance, w, f)[np.ix_(order, order)]
    end = SearchEnd(w, covariance, f.large, f.small)
    return ClmmFit(-value, par.thresholds, par.beta, sd_item, sd_rater, inverse, item_effects, rater_effects, end)


def _minimized(f: Laplace, start: SearchEnd | None) -> tuple[Floats, Floats] | None:
    """Return the minimum and the inverse information there, or None if Newton steps do not converge."""
    w = _approached(f) if start is None else _continued(f, start)
    for _ in range(_POLISHES):
        value, gradient = f.value_and_gradient(w)
        information = _information(f, w)
        if not (np.isfinite(information).all() and np.linalg.eigvalsh(information)[0] > 0):
            return None
        inverse: Floats = np.asarray(np.linalg.inv(information), dtype=np.float64)
        w, gain = _polished(f, w, inverse, value, gradient)
        if gain < _SETTLED * len(w):
            return w, inverse
    return None


def _polished(f: Laplace, w: Floats, inverse: Floats, value: float, gradient: Floats) -> tuple[Floats, float]:
    """Take Newton steps with one inverse of the information while they are short; return also the last predicted gain.

    If an effect diverges to infinity, full steps can alternate between two points forever: a step that does not improve
    the likelihood is therefore halved, and the number of steps is limited.
    """
    gain = _NEAR
    for _ in range(_MAX_STEPS):
        step = inverse @ gradient
        gain = float(gradient @ step)
        for _ in range(_MAX_HALVINGS):
            reached, gradient = f.value_and_gradient(w - step)
            if reached <= value + _ROUNDING * max(abs(value), 1.0):
                break
            step = step / 2
        w, value = w - step, reached
        if not _SETTLED * len(w) <= gain <= _NEAR:
            break
    return w, gain


def _approached(f: Laplace) -> Floats:
    """Return a point near the minimum by BFGS; for large data, starting at the minimum for a subset."""
    part = part_of(f)
    start, inverse = shares_start(f), None
    if part is not None:
        start = off_the_edge(_approached(part), f.design.large.q + f.design.small.q)
        inverse = inverse_start(part, start) * (len(part.y) / len(f.y))
    return _descended(f, start, inverse_start(f, start) if inverse is None else inverse)


def _continued(f: Laplace, start: SearchEnd) -> Floats:
    """Return a point near the minimum by BFGS from where another search ended."""
    f.large, f.small = start.large, start.small
    return _descended(f, start.w, start.inverse)


def _descended(f: Laplace, start: Floats, inverse: Floats) -> Floats:
    found = optimize.minimize(
        f.value_and_gradient,
        start,
        jac=True,
        method="BFGS",
        options={"gtol": _LOOSE * len(f.y) ** 0.75, "hess_inv0": inverse, "maxiter": 200},
    )
    return np.asarray(found.x, dtype=np.float64)


def _information(f: Laplace, w: Floats) -> Floats:
    sides = [[f.value_and_gradient(w + sign * shift)[1] for sign in (1, -1)] for shift in np.eye(len(w)) * _STEP]
    rows: Floats = np.array([(up - down) / (2 * _STEP) for up, down in sides])
    return (rows + rows.T) / 2


def _of_thresholds(covariance: Floats, w: Floats, f: Laplace) -> Floats:
    """Return the covariance in terms of thresholds instead of their gaps, and of positive standard deviations."""
    cuts = f.n_categories - 1
    J = np.eye(len(w))
    J[:cuts, :cuts] = np.tril(np.tile(np.concatenate([[1.0], np.exp(w[1:cuts])]), (cuts, 1)))
    is_sd = np.arange(len(w)) >= cuts + len(f.X)
    J[is_sd & (w < 0)] *= -1
    return np.asarray(J @ covariance @ J.T)


def _item_first(f: Laplace, *, is_item_large: bool) -> Ints:
    """Return the parameter order that puts the standard deviations of items before those of raters."""
    first, q = f.n_categories - 1 + len(f.X), f.design.large.q
    order = np.arange(first + q + f.design.small.q)
    return order if is_item_large else np.concatenate([order[:first], order[first + q :], order[first : first + q]])
