"""The Laplace approximation of a cumulative link mixed model's likelihood, with its analytic gradient.

eta = X beta + Z_large b_large + Z_small b_small, with independent normal effects whose standard deviations may be
estimated as 0. The modes of the effects are found by Newton's method; the likelihood is the joint density at the modes
times the normal integral around them (Tierney and Kadane 1986; as `ordinal::clmm` with nAGQ = 1).

All parameters are in one vector: first threshold, logarithms of the gaps between thresholds, beta, standard deviations
of the large and the small factor. The likelihood is symmetric in the sign of a standard deviation, so 0 is a smooth
point and the sign has no meaning.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import special

from app.stats.arrays import Floats, Ints
from app.stats.mixed.crossed import Crossed, Factored

Parts = tuple[Floats, ...]


# Log-likelihood of one ordinal rating and its derivatives, for the logit and the probit link.
#
# A rating y is given if a latent value eta + noise falls between two thresholds: p = F(upper) - F(lower) with
# upper = theta_y - eta and lower = theta_(y-1) - eta, infinite at the ends of the scale.

LinkName = Literal["logit", "probit"]
_FAR = 500.0
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Slopes:
    """Per rating: log p, its first derivative in eta, and minus its second derivative, the weight."""

    log_p: Floats
    d1: Floats
    weight: Floats


@dataclass(frozen=True, slots=True)
class Curves:
    """Per rating: derivatives of the weight in eta, and of log p, d1 and weight in both thresholds."""

    weight_eta: Floats
    log_p_upper: Floats
    log_p_lower: Floats
    d1_upper: Floats
    d1_lower: Floats
    weight_upper: Floats
    weight_lower: Floats


class Link(NamedTuple):
    """The functions of a link. `parts` of (upper, lower) are what `slopes` and `curves` have in common."""

    parts: Callable[[Floats, Floats], Parts]
    slopes: Callable[[Parts], Slopes]
    curves: Callable[[Floats, Floats, Parts], Curves]


def _logit_slopes(parts: Parts) -> Slopes:
    """P = F(upper) (1 - F(lower)) (1 - exp(lower - upper)), which is precise in the tails."""
    below, above, gap = parts
    weight = below * (1 - below) + above * (1 - above)
    return Slopes(np.log(np.maximum(below * above * gap, _TINY)), below - above, weight)


def _logit_curves(upper: Floats, lower: Floats, parts: Parts) -> Curves:
    below, above, gap = parts
    f_upper, f_lower = below * (1 - below), above * (1 - above)
    g_upper, g_lower = f_upper * (1 - 2 * below), f_lower * (2 * above - 1)
    log_p_upper = np.where(np.isinf(upper), 0, (1 - below) / (above * gap))
    log_p_lower = np.where(np.isinf(lower), 0, -(1 - above) / (below * gap))
    return Curves(-(g_upper + g_lower), log_p_upper, log_p_lower, f_upper, f_lower, g_upper, g_lower)


def _logit_parts(upper: Floats, lower: Floats) -> Parts:
    """Return F(upper), 1 - F(lower) and 1 - exp(lower - upper)."""
    below = 1 / (1 + np.exp(_cut(-upper)))
    above = 1 / (1 + np.exp(_cut(lower)))
    return below, above, -np.expm1(np.maximum(lower - upper, -_FAR))


def _cut(latent: Floats) -> Floats:
    """Return what exp can take; np.clip takes longer."""
    cut: Floats = np.minimum(np.maximum(latent, -_FAR), _FAR)
    return cut


def _probit_slopes(parts: Parts) -> Slopes:
    p, f_upper, f_lower, g_upper, g_lower = parts
    d1 = (f_lower - f_upper) / p
    return Slopes(np.log(p), d1, d1 * d1 - (g_upper - g_lower) / p)


def _probit_curves(upper: Floats, lower: Floats, parts: Parts) -> Curves:
    p, f_upper, f_lower, g_upper, g_lower = parts
    h_upper, h_lower = _second(upper, f_upper), _second(lower, f_lower)
    d1, second = (f_lower - f_upper) / p, (g_upper - g_lower) / p
    weight_eta = (h_upper - h_lower) / p + 3 * d1 * second - 2 * d1**3
    log_p_upper, log_p_lower = f_upper / p, -f_lower / p
    d1_upper, d1_lower = -g_upper / p - d1 * log_p_upper, g_lower / p - d1 * log_p_lower
    weight_upper = 2 * d1 * d1_upper - (h_upper / p - second * log_p_upper)
    weight_lower = 2 * d1 * d1_lower - (-h_lower / p - second * log_p_lower)
    return Curves(weight_eta, log_p_upper, log_p_lower, d1_upper, d1_lower, weight_upper, weight_lower)


def _probit_parts(upper: Floats, lower: Floats) -> Parts:
    """Return p, and the densities f and their derivatives g = -t f at both ends; p is computed in the nearer tail."""
    is_right = lower > 0
    near, far = np.where(is_right, -lower, upper), np.where(is_right, -upper, lower)
    p = np.maximum(special.ndtr(near) - special.ndtr(far), _TINY)
    f_upper, f_lower = (np.exp(-(end**2) / 2) / np.sqrt(2 * np.pi) for end in (upper, lower))
    return p, f_upper, f_lower, -_finite(upper) * f_upper, -_finite(lower) * f_lower


def _second(end: Floats, f: Floats) -> Floats:
    return (_finite(end) ** 2 - 1) * f


def _finite(end: Floats) -> Floats:
    return np.where(np.isinf(end), 0, end)


LINKS: dict[LinkName, Link] = {
    "logit": Link(_logit_parts, _logit_slopes, _logit_curves),
    "probit": Link(_probit_parts, _probit_slopes, _probit_curves),
}


_MAX_NEWTON = 60
# a step that lowers the penalized likelihood is halved, down to a ten-thousandth of its length
_LENGTHS = tuple(0.5**k for k in range(15))
_ZERO_SCORE = 1e-8
_WIDEST = 50.0
_KEPT = 0.03


class At(NamedTuple):
    """The ratings at given effects: ends of each rating's interval, what its derivatives share, and `height`.

    `height` is the penalized log-likelihood.
    """

    upper: Floats
    lower: Floats
    parts: Parts
    slopes: Slopes
    height: float


class Parameters(NamedTuple):
    """Parameters on their own scales: thresholds (K - 1,), beta (p,), standard deviations (q_large,), (q_small,)."""

    thresholds: Floats
    beta: Floats
    sd_large: Floats
    sd_small: Floats


@dataclass(eq=False)
class Laplace:
    """The objective function to minimize. Keeps the modes of the last call as the start of the next.

    Attributes:
        y: category 0..K-1 of each rating, shape (n,), sorted as the design; each category occurs.
        X: fixed columns, shape (p, n), without an intercept, sorted as the design.
    """

    y: Ints
    X: Floats
    design: Crossed
    link: LinkName
    n_categories: int

    def __post_init__(self) -> None:
        design = self.design
        self.large = np.zeros((design.large.q, design.large.n_levels))
        self.small = np.zeros((design.small.q, design.small.n_levels))
        self._factored: Factored | None = None
        self._above = self.y + 1

    def parameters(self, w: Floats) -> Parameters:
        cuts = self.n_categories - 1
        thresholds = np.cumsum(np.concatenate([w[:1], np.exp(np.minimum(w[1:cuts], _WIDEST))]))
        beta, sd_large, sd_small = np.split(w[cuts:], [len(self.X), len(self.X) + self.design.large.q])
        return Parameters(thresholds, beta, sd_large, sd_small)

    def modes(self, par: Parameters) -> At:
        """Return the ratings at the modes of the effects.

        Factorization is expensive if the smaller factor has many levels. One from a nearby point also gives good steps,
        so it is reused as long as a step removes most of the score.
        """
        fixed = par.beta @ self.X
        at = self._at(par, fixed, self.large, self.small)
        score, H = self._score(par, at.slopes), self._factored
        for _ in range(_MAX_NEWTON):
            if self._is_zero(score):
                break
            H = H or self.design.factored(at.slopes.weight, par.sd_large, par.sd_small)
            before, step = _largest(score), H.solve(*score)
            for length in _LENGTHS:
                large, small = self.large + length * step[0], self.small + length * step[1]
                moved = self._at(par, fixed, large, small)
                if moved.height >= at.height - 1e-9 * abs(at.height):
                    break
            self.large, self.small, at = large, small, moved
            score = self._score(par, at.slopes)
            if length < 1 or _largest(score) > _KEPT * before:
                H = None
        return at

    def _is_zero(self, score: tuple[Floats, Floats]) -> bool:
        """Whether the score is 0 within the rounding error of sums over this many ratings."""
        per_level = max(1.0, len(self.y) / max(self.design.small.n_levels, 1))
        return _largest(score) < _ZERO_SCORE * per_level

    def _at(self, par: Parameters, fixed: Floats, large: Floats, small: Floats) -> At:
        eta = fixed + self.design.spread(large * par.sd_large[:, np.newaxis], small * par.sd_small[:, np.newaxis])
        upper, lower = self._ends(par.thresholds, eta)
        link = LINKS[self.link]
        parts = link.parts(upper, lower)
        slopes = link.slopes(parts)
        height = float(slopes.log_p.sum() - ((large**2).sum() + (small**2).sum()) / 2)
        return At(upper, lower, parts, slopes, height)

    def _ends(self, thresholds: Floats, eta: Floats) -> tuple[Floats, Floats]:
        ends = np.concatenate([[-np.inf], thresholds, [np.inf]])
        return ends[self._above] - eta, ends[self.y] - eta

    def _score(self, par: Parameters, slopes: Slopes) -> tuple[Floats, Floats]:
        large, small = self.design.gather(slopes.d1)
        return large * par.sd_large[:, np.newaxis] - self.large, small * par.sd_small[:, np.newaxis] - self.small

    def value_and_gradient(self, w: Floats) -> tuple[float, Floats]:
        """Return minus the log-likelihood, and its gradient."""
        par = self.parameters(w)
        at = self.modes(par)
        H = self._factored = self.design.factored(at.slopes.weight, par.sd_large, par.sd_small)
        return -at.height + H.log_det / 2, _Gradient(self, par, H, at).assembled()

    def conditional_variances(self, w: Floats) -> tuple[Floats, Floats]:
        """Return conditional variances of the standardized effects at the modes, in the caller's order.

        Shapes (q_large, n_large) and (q_small, n_small): the diagonal of H^-1.
        """
        par = self.parameters(w)
        weight = self.modes(par).slopes.weight
        by_large, _, by_small = self.design.factored(weight, par.sd_large, par.sd_small).inverse
        large = np.empty_like(self.large)
        large[:, self.design.large_level] = np.array([by_large[k, k] for k in range(len(by_large))])
        return large, np.array([by_small[k, k] for k in range(len(by_small))])


def _largest(score: tuple[Floats, Floats]) -> float:
    return max(float(np.abs(part).max(initial=0)) for part in score)


class _Gradient:
    """The gradient at the modes: directly, through log det H, and through the modes as functions of the parameters.

    q = H^-1 Z' v with v = half the derivative of log det H in eta reduces the last part to a single solve.
    """

    def __init__(self, f: Laplace, par: Parameters, H: Factored, at: At) -> None:
        self.f, self.par, self.H, self.slopes = f, par, H, at.slopes
        self.curves = LINKS[f.link].curves(at.upper, at.lower, at.parts)
        design = f.design
        self.by_large, self.by_cell, self.by_small = H.inverse
        self.leverage = self._leverage()
        v = self.leverage * self.curves.weight_eta / 2
        large, small = design.gather(v)
        self.q_large, self.q_small = H.solve(large * par.sd_large[:, np.newaxis], small * par.sd_small[:, np.newaxis])
        self.moved = design.spread(
            self.q_large * par.sd_large[:, np.newaxis], self.q_small * par.sd_small[:, np.newaxis]
        )
        self.by_eta = -at.slopes.d1 + v - self.moved * at.slopes.weight

    def _leverage(self) -> Floats:
        """Return z' H^-1 z for each rating, shape (n,)."""
        design, par = self.f.design, self.par
        outer, places = np.multiply.outer, design.places
        by_large = outer(par.sd_large, par.sd_large)[:, :, np.newaxis] * self.by_large.take(design.cell_large, axis=2)
        by_cell = outer(2 * par.sd_large, par.sd_small)[:, :, np.newaxis] * self.by_cell
        by_small = outer(par.sd_small, par.sd_small)[:, :, np.newaxis] * self.by_small.take(design.cell_small, axis=2)
        at = np.zeros((len(design.products), len(design.cell_large)))
        for a in range(design.large.q):
            _add(at, places.large[a], by_large[a])
            _add(at, places.both[a], by_cell[a])
        for b in range(design.small.q):
            _add(at, places.small[b], by_small[b])
        return design.over_columns(at, design.products)

    def assembled(self) -> Floats:
        f = self.f
        by_sd_large, by_sd_small = self._by_sd()
        return np.concatenate([self._by_thresholds(), f.X @ self.by_eta, by_sd_large, by_sd_small])

    def _by_thresholds(self) -> Floats:
        curves, y, n = self.curves, self.f.y, self.f.n_categories
        half = self.leverage / 2
        upper = -curves.log_p_upper + half * curves.weight_upper + self.moved * curves.d1_upper
        lower = -curves.log_p_lower + half * curves.weight_lower + self.moved * curves.d1_lower
        by_threshold = np.bincount(y, upper, n)[:-1] + np.bincount(y, lower, n)[1:]
        onward: Floats = np.cumsum(by_threshold[::-1])[::-1]
        onward[1:] *= np.diff(self.par.thresholds)
        return onward

    def _by_sd(self) -> tuple[Floats, Floats]:
        design = self.f.design
        moved, score = design.gather(self.by_eta), design.gather(self.slopes.d1)
        modes, q = (self.f.large, self.f.small), (self.q_large, self.q_small)
        by_large, by_small = (
            (moved[k] * modes[k]).sum(axis=1) + (score[k] * q[k]).sum(axis=1) + self.H.half_log_det_slopes[k]
            for k in (0, 1)
        )
        return by_large, by_small


def _add(sums: Floats, places: Ints, rows: Floats) -> None:
    """Add each row to the sum at its place; places may repeat."""
    for place, row in zip(places, rows, strict=True):
        sums[place] += row
