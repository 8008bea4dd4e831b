"""Fitting a cumulative link mixed model: BFGS from a start with curvature, then Newton steps on the exact gradient."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from app.stats.arrays import Bools, Floats, Ints, Labels, codes, one_thread
from app.stats.mixed.clmm_laplace import Laplace, LinkName
from app.stats.mixed.crossed import Factor, crossed, union_of_columns
from app.stats.remembered import remembered

# Starting values of the cumulative link mixed model: from category proportions, or from a fit to a subset.

# logistic noise is about this many times as wide as standard normal noise
_LOGIT_BY_PROBIT = 1.7
_START_SD = 0.6
_LEAST_SD = 0.15
_START_STEP = 1e-3
_FLATTEST = 1e-3
# a subset pays off from this number of ratings or of effects of the smaller factor (whose cost is cubic)
_MANY_RATINGS, _MANY_EFFECTS = 20_000, 600
_RATINGS_OF_PART, _EFFECTS_OF_PART = 5_000, 300


@dataclass(frozen=True, eq=False)
class SearchEnd:
    """Where a search ended: parameters, inverse information, and modes of the effects, as in `Laplace`."""

    w: Floats
    inverse: Floats
    large: Floats
    small: Floats

    def for_probit(self, n_cuts: int, n_sd: int) -> SearchEnd:
        """Return the start of a probit fit for the end of a logit fit to the same ratings.

        All parameters but the logarithms of the gaps between thresholds are on the latent scale, which is narrower.
        """
        factor = np.full(len(self.w), 1 / _LOGIT_BY_PROBIT)
        factor[1:n_cuts] = 1.0
        w = self.w * factor
        w[1:n_cuts] -= np.log(_LOGIT_BY_PROBIT)
        inverse = self.inverse * np.outer(factor, factor)
        return SearchEnd(off_the_edge(w, n_sd), (inverse + inverse.T) / 2, self.large, self.small)


def shares_start(f: Laplace) -> Floats:
    """Return thresholds from category proportions, no fixed effects, and moderate standard deviations."""
    shares = np.cumsum(np.bincount(f.y, minlength=f.n_categories))[:-1] / len(f.y)
    cuts = special.logit(shares) if f.link == "logit" else special.ndtri(shares)
    gaps = np.log(np.maximum(np.diff(cuts), 0.05))
    n_sd = f.design.large.q + f.design.small.q
    return np.concatenate([cuts[:1], gaps, np.zeros(len(f.X)), np.full(n_sd, _START_SD)])


def inverse_start(f: Laplace, w: Floats) -> Floats:
    """Return a positive definite approximation of the inverse information, from one gradient per parameter."""
    here = f.value_and_gradient(w)[1]
    rows = [(f.value_and_gradient(w + shift)[1] - here) / _START_STEP for shift in np.eye(len(w)) * _START_STEP]
    values, vectors = np.linalg.eigh((np.array(rows) + np.array(rows).T) / 2)
    sizes = np.maximum(np.abs(values), _FLATTEST * np.abs(values).max())
    inverse = (vectors / sizes) @ vectors.T
    return np.asarray((inverse + inverse.T) / 2)


def part_of(f: Laplace) -> Laplace | None:
    """Return the function for a subset of the levels, or None if that does not save time.

    Levels are taken at equal distances, so their selection is not random. The subset must contain every category.
    """
    design, n = f.design, len(f.y)
    n_effects = design.small.q * design.small.n_levels
    is_in = np.ones(n, dtype=bool)
    if n_effects > _MANY_EFFECTS:
        is_in &= _every(design.small, n_effects // _EFFECTS_OF_PART)
    if n > _MANY_RATINGS and int(is_in.sum()) > _RATINGS_OF_PART:
        is_in &= _every(design.large, int(is_in.sum()) // _RATINGS_OF_PART)
    if is_in.all() or len(np.unique(f.y[is_in])) < f.n_categories:
        return None
    part = crossed(_factor(design.large, is_in), _factor(design.small, is_in), design.columns[:, is_in])
    return Laplace(f.y[is_in][part.order], f.X[:, is_in][:, part.order], part, f.link, f.n_categories)


def _every(factor: Factor, k: int) -> Bools:
    """Return which ratings belong to every k-th level."""
    return np.asarray(factor.code % max(k, 1) == 0)


def _factor(factor: Factor, is_in: Bools) -> Factor:
    code, n_levels = codes(factor.code[is_in])
    return Factor(code, n_levels, factor.columns)


def off_the_edge(w: Floats, n_sd: int) -> Floats:
    """Return a start without standard deviations of 0, where the likelihood is flat."""
    start = w.copy()
    start[len(w) - n_sd :] = np.maximum(np.abs(start[len(w) - n_sd :]), _LEAST_SD)
    return start


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


@remembered
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
