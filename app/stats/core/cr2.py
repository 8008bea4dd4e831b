"""The bias-reduced cluster variance CR2 of a least-squares contrast, with Satterthwaite's degrees of freedom.

For cluster g with rows X_g and residuals e_g of a fit, M = (X'X)^-1 and a contrast c:
    S_g = M^1/2 X_g'X_g M^1/2,   b_g = M^1/2 (I - S_g)^-1/2 M^1/2 c,   V = sum over g of (b_g' X_g' e_g)^2
(Bell and McCaffrey 2002, Surv. Methodol. 28:169). The degrees of freedom are 2 E(V)^2 / Var(V) under a working model in
which the ratings of a cluster share half their variance (Pustejovsky and Tipton 2018, J. Bus. Econ. Stat. 36:672).
All quantities are sums over clusters, so the cost is linear in the number of ratings and of clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats

# proportion of variance that ratings of the same cluster share in the working model
SHARED = 0.5
_ROUNDING = 1e-12
# leverage above which a cluster alone determines some direction of the estimate
_ALONE = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class ClusterVariance:
    """A variance, its degrees of freedom, and whether a single cluster determines part of the contrast."""

    variance: float
    has_lone_cluster: bool
    sums: ClusterSums

    @cached_property
    def df(self) -> float:
        """Degrees of freedom, computed on first use: those of item x rater cells are never needed."""
        return self.sums.df


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over the rows of each of G clusters, in an orthonormal basis of the p columns of a fit.

    For a row with weight w, let u be its row of the basis (which includes the root of w) and e its residual (times the
    root of w): `gram` sums u u', `noise` sums w u u', `total` sums u times the root of w, `score` sums u e.
    `direction` is the contrast in that basis. The weight of a rating is how much it counts, not its precision.
    """

    gram: Floats
    noise: Floats
    total: Floats
    score: Floats
    direction: Floats

    def variance(self) -> ClusterVariance:
        """Return the CR2 variance."""
        squares = (self._b * self.score).sum(axis=1) ** 2
        return ClusterVariance(float(squares.sum()), self.has_lone_cluster, self)

    @cached_property
    def has_lone_cluster(self) -> bool:
        """Whether a single cluster determines part of the contrast and so has no observable variance."""
        lone = np.abs(self._turned[~self._is_free])
        return bool((lone > _ROUNDING * np.abs(self.direction).max()).any())

    @cached_property
    def _eigen(self) -> tuple[Floats, Floats]:
        p = self.gram.shape[1]
        own = np.diagonal(self.gram, axis1=1, axis2=2)
        if np.array_equal(self.gram, own[:, :, np.newaxis] * np.eye(p)):
            return own, np.broadcast_to(np.eye(p), self.gram.shape)
        values, vectors = np.linalg.eigh(self.gram)
        return values, vectors

    @property
    def _is_free(self) -> Bools:
        return np.asarray(self._eigen[0] < _ALONE)

    @cached_property
    def _turned(self) -> Floats:
        return np.asarray(np.einsum("gab,a->gb", self._eigen[1], self.direction))

    @cached_property
    def _b(self) -> Floats:
        """b_g in the basis, shape (G, p)."""
        values, vectors = self._eigen
        spread = np.where(self._is_free, 1 / np.sqrt(np.where(self._is_free, 1 - values, 1.0)), 0.0)
        return np.asarray(np.einsum("gab,gb->ga", vectors, self._turned * spread))

    @property
    def df(self) -> float:
        """Squared trace over the sum of squares of the covariance of the b_g' X_g' e_g in the working model.

        That covariance is diag(d) + E N E'.
        """
        b, p = self._b, self.gram.shape[1]
        pulls, noise = (np.einsum("gab,gb->ga", sums, b) for sums in (self.gram, self.noise))
        total = (self.total * b).sum(axis=1)
        d = (1 - SHARED) * (b * noise).sum(axis=1) + SHARED * total**2
        moved = (1 - SHARED) * noise + SHARED * total[:, np.newaxis] * self.total
        whole = (1 - SHARED) * self.noise.sum(axis=0) + SHARED * self.total.T @ self.total
        one = np.eye(p)
        E, N = np.hstack([pulls, moved]), np.block([[whole, -one], [-one, np.zeros((p, p))]])
        inner, own = N @ (E.T @ E), ((E @ N) * E).sum(axis=1)
        trace = float(d.sum() + own.sum())
        squares = float(d @ d + 2 * d @ own + np.trace(inner @ inner))
        return trace**2 / squares if squares > 0 and trace > 0 else 0.0
