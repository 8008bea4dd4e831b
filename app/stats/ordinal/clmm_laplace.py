"""The Laplace approximation of a cumulative link mixed model's likelihood, with its analytic gradient.

eta = X beta + Z_large b_large + Z_small b_small, with independent normal effects whose standard deviations may be
estimated as 0. The modes of the effects are found by Newton's method; the likelihood is the joint density at the modes
times the normal integral around them (Tierney and Kadane 1986; as `ordinal::clmm` with nAGQ = 1).

All parameters are in one vector: first threshold, logarithms of the gaps between thresholds, beta, standard deviations
of the large and the small factor. The likelihood is symmetric in the sign of a standard deviation, so 0 is a smooth
point and the sign has no meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.stats.ordinal.clmm_links import LINKS

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints
    from app.stats.mixed.crossed import Crossed, Factored
    from app.stats.ordinal.clmm_links import LinkName, Parts, Slopes

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
        large, small = design.large.columns, design.small.columns
        at = np.zeros((len(design.products), len(design.cell_large)))
        for a, k in enumerate(large):
            for b, j in enumerate(large):
                at[design.product(k, j)] += par.sd_large[a] * par.sd_large[b] * self.by_large[a, b, design.cell_large]
            for b, j in enumerate(small):
                at[design.product(k, j)] += 2 * par.sd_large[a] * par.sd_small[b] * self.by_cell[a, b]
        for a, k in enumerate(small):
            for b, j in enumerate(small):
                at[design.product(k, j)] += par.sd_small[a] * par.sd_small[b] * self.by_small[a, b, design.cell_small]
        total = np.zeros(len(self.f.y))
        for row, product in zip(at, design.products, strict=True):
            total += row[design.cell] * product
        return total

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
