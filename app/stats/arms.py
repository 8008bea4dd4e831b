"""Contrasts between clusters: raters (or items) of one arm against those of the other.

A rater who saw only one arm carries no information about the other, so the degrees of freedom of the contrast are
limited by the smaller arm: variance and degrees of freedom come from `cr2`. The variances of the arms are never pooled,
however few clusters an arm has: if the small arm varied more than the other, a pooled interval would be too short.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.stats.arrays import Bools, Floats, Ints, Labels, codes
from app.stats.result import Result, undefined

# The bias-reduced cluster variance CR2 of a least-squares contrast, with Satterthwaite's degrees of freedom.
#
# For cluster g with rows X_g and residuals e_g of a fit, M = (X'X)^-1 and a contrast c:
# S_g = M^1/2 X_g'X_g M^1/2,   b_g = M^1/2 (I - S_g)^-1/2 M^1/2 c,   V = sum over g of (b_g' X_g' e_g)^2
# (Bell and McCaffrey 2002, Surv. Methodol. 28:169). The degrees of freedom are 2 E(V)^2 / Var(V) under a working
# model in
# which the ratings of a cluster share half their variance (Pustejovsky and Tipton 2018, J. Bus. Econ. Stat. 36:672).
# All quantities are sums over clusters, so the cost is linear in the number of ratings and of clusters.

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
    is_counted: Bools | None = None

    @cached_property
    def df(self) -> float:
        """Degrees of freedom, computed on first use: those of item x rater cells are never needed."""
        return self.sums.df(self.is_counted)

    def of(self, is_counted: Bools) -> ClusterVariance:
        """Return the part of some of the G clusters, shape (G,)."""
        return self.sums.variance(is_counted)


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

    def variance(self, is_counted: Bools | None = None) -> ClusterVariance:
        """Return the CR2 variance, or the part of some clusters, shape (G,)."""
        squares = (self._b * self.score).sum(axis=1) ** 2
        counted = squares if is_counted is None else squares[is_counted]
        return ClusterVariance(float(counted.sum()), self.has_lone_cluster, self, is_counted)

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

    def df(self, is_counted: Bools | None = None) -> float:
        """Squared trace over the sum of squares of the covariance of the b_g' X_g' e_g in the working model.

        That covariance, of all or some clusters, is diag(d) + E N E'.
        """
        b, p = self._b, self.gram.shape[1]
        pulls, noise = (np.einsum("gab,gb->ga", sums, b) for sums in (self.gram, self.noise))
        total = (self.total * b).sum(axis=1)
        d = (1 - SHARED) * (b * noise).sum(axis=1) + SHARED * total**2
        moved = (1 - SHARED) * noise + SHARED * total[:, np.newaxis] * self.total
        whole = (1 - SHARED) * self.noise.sum(axis=0) + SHARED * self.total.T @ self.total
        one = np.eye(p)
        E, N = np.hstack([pulls, moved]), np.block([[whole, -one], [-one, np.zeros((p, p))]])
        if is_counted is not None:
            E, d = E[is_counted], d[is_counted]
        inner, own = N @ (E.T @ E), ((E @ N) * E).sum(axis=1)
        trace = float(d.sum() + own.sum())
        squares = float(d @ d + 2 * d @ own + np.trace(inner @ inner))
        return trace**2 / squares if squares > 0 and trace > 0 else 0.0


# with fewer clusters per arm, their variance can hardly be estimated
FEW = 5
FEW_IN_ARM = "One arm has only {n} {what}, so the interval is wide."
FEW_IN_POOL = "One pool has only {n} {what}, so the interval is wide, and its level is approximate."
# cells that enter the contrast with a negative sign
_NEGATIVE = (1, 2)


@dataclass(frozen=True, eq=False)
class Arms:
    """The arm, and the cell within the arm, of each of n ratings; codes from 0, shape (n,).

    A mean difference has two arms (0 and 1) of one cell each. An interaction has two arms, non-members (0) and
    members (1), of two cells each, reference and source: cells 0 and 1, and cells 2 and 3. Pools differ in who their
    raters are, so that their variances may differ much more than those of arms to which raters were assigned. Versions
    of items are rated by the same raters, in whose differences little but noise is left.
    """

    arm: Ints
    cell: Ints
    are_pools: bool = False
    are_versions: bool = False

    @classmethod
    def of_two(cls, is_treated: Bools, *, are_pools: bool = False, are_versions: bool = False) -> Arms:
        """Return the arms of a difference between two sources, two pools of raters, or two versions of items."""
        code = np.asarray(is_treated, dtype=np.int64)
        return cls(code, code, are_pools, are_versions)

    @classmethod
    def of_four(cls, is_treated: Bools, is_member: Bools) -> Arms:
        """Return the arms of an interaction: members against non-members, each with two sources."""
        arm = np.asarray(is_member, dtype=np.int64)
        return cls(arm, 2 * arm + np.asarray(is_treated, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Side:
    """The clusters of one kind (raters or items) in a contrast of cell means.

    Attributes:
        code: cluster of each rating, 0..n_clusters-1, shape (n,).
        n_clusters: number of clusters.
        arms: arms of the same ratings.
    """

    code: Ints
    n_clusters: int
    arms: Arms

    @cached_property
    def is_between(self) -> bool:
        """Whether most clusters appear in one arm only."""
        return 2 * int((self.in_arm.sum(axis=1) > 1).sum()) < self.n_clusters

    @property
    def fewest(self) -> int:
        """Number of clusters in the smaller arm."""
        return int(self.in_arm.sum(axis=0).min())

    @property
    def is_thin(self) -> bool:
        """Whether a cell consists of a single cluster, so that its mean has no observable variance."""
        return bool((self._size == self._size.sum(axis=0)).any())

    @cached_property
    def df(self) -> float:
        """Satterthwaite degrees of freedom of `variance`, 2 E(V)^2 / Var(V); undefined if `is_thin`."""
        return self._sums(np.zeros(len(self.code))).variance().df

    def variance(self, influence: Floats) -> float:
        """Return the CR2 variance of the contrast; `influence` shape (n,)."""
        return self._sums(influence).variance().variance

    def warning(self, what: str) -> str:
        """Return the warning to show if an arm has few clusters, else ""; `what` is their name in the plural."""
        if not self.is_between or self.fewest >= FEW:
            return ""
        return (FEW_IN_POOL if self.arms.are_pools else FEW_IN_ARM).format(n=self.fewest, what=what)

    @cached_property
    def in_arm(self) -> Bools:
        """Whether a cluster appears in an arm, shape (n_clusters, n_arms)."""
        return _table(self.code, self.n_clusters, self.arms.arm) > 0

    @cached_property
    def _size(self) -> Floats:
        return _table(self.code, self.n_clusters, self.arms.cell).astype(np.float64)

    def _sums(self, influence: Floats) -> ClusterSums:
        """Return the contrast as least squares on cell indicators; residual / n = influence x sign."""
        roots = np.sqrt(self._size.sum(axis=0))
        cells = len(roots)
        signs = np.where(np.isin(np.arange(cells), _NEGATIVE), -1.0, 1.0)
        moved = np.bincount(self.code * cells + self.arms.cell, influence, self.n_clusters * cells)
        gram = (self._size / roots**2)[:, :, np.newaxis] * np.eye(cells)
        score = moved.reshape(self.n_clusters, cells) * signs * roots
        return ClusterSums(gram, gram, self._size / roots, score, signs / roots)


def model_df(code: Ints, n_clusters: int, arms: Arms) -> float:
    """Return the degrees of freedom of a mixed-model contrast for one kind of cluster: clusters minus estimated means.

    0 if an arm has only one cluster.
    """
    side = Side(code, n_clusters, arms)
    if not side.is_between:
        return n_clusters - 1.0
    return 0.0 if side.is_thin else n_clusters - 2.0


def _table(code: Ints, n_clusters: int, of: Ints) -> Ints:
    """Return the number of ratings per cluster and arm (or cell), shape (n_clusters, n_arms)."""
    k = int(of.max()) + 1
    return np.bincount(code * k + of, minlength=n_clusters * k).reshape(n_clusters, k)


# Consistent notes for contrasts with a missing or small side.


def missing_side(is_first: Bools, first: str, second: str) -> Result | None:
    """Return an undefined Result if one side has no ratings, else None; `first` and `second` are the sides' names.

    >>> import numpy as np
    >>> missing_side(np.array([True]), "the source", "the reference").note
    'There are no ratings of the reference.'
    """
    if is_first.any() and not is_first.all():
        return None
    side = second if is_first.any() else first
    n = len(is_first)
    return undefined("no_pairable_units", f"There are no ratings of {side}.", n_units=n, n_ratings=n)


def warned_of_few(result: Result, is_first: Bools, rater: Labels, *, what: str = "raters") -> Result:
    """Add a warning if a side has fewer than five raters and the interval has none.

    `what` are the clusters whose labels `rater` has, in the plural.
    """
    fewest = min(codes(rater[side])[1] for side in (is_first, ~is_first))
    if result.interval is None or fewest >= FEW or result.interval_warnings:
        return result
    return result.warned(f"One side has only {fewest} {what}, so the interval is wide.")
