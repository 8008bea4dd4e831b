"""Starting values of the cumulative link mixed model: from category proportions, or from a fit to a subset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from app.stats.core.arrays import codes
from app.stats.mixed.crossed import Factor, crossed
from app.stats.ordinal.clmm_laplace import Laplace

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats

# logistic noise is about this many times as wide as standard normal noise
_LOGIT_BY_PROBIT = 1.7
_START_SD = 0.6
_LEAST_SD = 0.15
_STEP = 1e-3
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
    rows = [(f.value_and_gradient(w + shift)[1] - here) / _STEP for shift in np.eye(len(w)) * _STEP]
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
