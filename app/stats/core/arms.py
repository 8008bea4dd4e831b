"""Contrasts between clusters: raters (or items) of one arm against those of another.

A rater who saw one arm only says nothing about the other, so the contrast has as many degrees of freedom as its arms
allow. The bias-reduced variance CR2 corrects each cluster for its share of its arm (Bell and McCaffrey 2002), and its
degrees of freedom are Satterthwaite's under a working model (Pustejovsky and Tipton 2018, J. Bus. Econ. Stat. 36:672).
Where an arm has fewer than five clusters that leaves about one degree of freedom and an interval wider than the scale:
the clusters of both arms are then taken to vary alike, as a linear mixed model takes them to. For means of cells all of
it has a closed form, whose cost grows with the clusters and not with their squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Ints

# in an arm of fewer clusters their spread can hardly be seen
FEW = 5
# of the working model: what the ratings of one cluster have in common
_SHARED = 0.5
# cells that a contrast takes away: of two the first, of four the source elsewhere and the reference here
_NEGATIVE = (1, 2)


@dataclass(frozen=True, eq=False)
class Arms:
    """Which arm, and which cell of it, each of n ratings belongs to; codes from 0, shape (n,).

    A mean difference has two arms of one cell each, 0 and 1. An interaction has two arms, others (0) and members (1),
    of two cells each, reference and source: 0, 1 and 2, 3.
    """

    arm: Ints
    cell: Ints

    @classmethod
    def of_two(cls, is_treated: Bools) -> Arms:
        """The two sources of a difference."""
        code = np.asarray(is_treated, dtype=np.int64)
        return cls(code, code)

    @classmethod
    def of_four(cls, is_treated: Bools, is_member: Bools) -> Arms:
        """Members against others, each with two sources."""
        arm = np.asarray(is_member, dtype=np.int64)
        return cls(arm, 2 * arm + np.asarray(is_treated, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Side:
    """The clusters of one kind (raters or items) in a contrast of means of cells.

    Attributes:
        code: the cluster of each rating, 0..n_clusters-1, shape (n,).
        n_clusters: how many there are.
        arms: of the same ratings.
    """

    code: Ints
    n_clusters: int
    arms: Arms

    @cached_property
    def is_between(self) -> bool:
        """Whether most clusters are in one arm only."""
        return 2 * int((self._in_arm.sum(axis=1) > 1).sum()) < self.n_clusters

    @property
    def fewest(self) -> int:
        """How many clusters the smaller arm has."""
        return int(self._in_arm.sum(axis=0).min())

    @property
    def is_pooled(self) -> bool:
        """Whether an arm has too few clusters for a variance of its own."""
        return self.fewest < FEW

    @property
    def is_thin(self) -> bool:
        """Whether a cell stands on one cluster: its mean then shows no spread at all."""
        return bool((self._size == self._size.sum(axis=0)).any())

    @cached_property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of `variance`, 2 E(V)^2 / Var(V); not where a cell is thin."""
        expected = self._working.diagonal
        return self._working.df(1 / np.sqrt(expected) if self.is_pooled else np.ones(self.n_clusters))

    def variance(self, influence: Floats) -> float:
        """The sum over clusters of their corrected totals squared; `influence` shape (n,).

        Pooled, each square is taken relative to what the working model expects of it, and their mean holds for all.
        """
        cells = self._size.shape[1]
        totals = np.bincount(self.code * cells + self.arms.cell, influence, self.n_clusters * cells)
        squares = (totals.reshape(self.n_clusters, cells) * self._correction).sum(axis=1) ** 2
        if self.is_thin or not self.is_pooled:
            return float(squares.sum())
        expected = self._working.diagonal
        return float((squares / expected).mean() * expected.sum())

    @cached_property
    def _in_arm(self) -> Bools:
        return _table(self.code, self.n_clusters, self.arms.arm) > 0

    @cached_property
    def _size(self) -> Floats:
        return _table(self.code, self.n_clusters, self.arms.cell).astype(np.float64)

    @cached_property
    def _correction(self) -> Floats:
        """1 / sqrt(1 - share) for the share of each cluster in each cell, shape (n_clusters, n_cells)."""
        left = 1 - self._size / self._size.sum(axis=0)
        return np.asarray(1 / np.sqrt(np.where(left > 0, left, 1.0)))

    @cached_property
    def _working(self) -> _Working:
        """The covariance of the corrected totals, D + E N E', where the ratings of a cluster share half their variance.

        With w the weights of the cells, q and s are what a cluster's total takes from its own cells and, through their
        means, from all clusters; Kq are the covariances of its ratings with its total.
        """
        size, n = self._size, self._size.sum(axis=0)
        C = len(n)
        w = np.where(np.isin(np.arange(C), _NEGATIVE), -1.0, 1.0)
        q = w / n * self._correction
        s = q * size / n
        Kq = size * q * (1 - _SHARED) + size * (size * q).sum(axis=1, keepdims=True) * _SHARED
        M = np.diag(n) * (1 - _SHARED) + size.T @ size * _SHARED
        N = np.block([[np.zeros((C, C)), -np.eye(C)], [-np.eye(C), M]])
        return _Working((q * Kq).sum(axis=1), np.hstack([Kq, s]), N)


def model_df(code: Ints, n_clusters: int, arms: Arms) -> float:
    """Degrees of freedom that the clusters of one kind leave to a contrast in a mixed model: one for each mean less.

    0 where an arm has one cluster only.
    """
    side = Side(code, n_clusters, arms)
    if not side.is_between:
        return n_clusters - 1.0
    return 0.0 if side.is_thin else n_clusters - 2.0


@dataclass(frozen=True, eq=False)
class _Working:
    """A covariance matrix D + E N E' of clusters: d shape (G,), E shape (G, k), N shape (k, k)."""

    d: Floats
    E: Floats
    N: Floats

    @cached_property
    def diagonal(self) -> Floats:
        return np.asarray(self.d + ((self.E @ self.N) * self.E).sum(axis=1))

    def df(self, scale: Floats) -> float:
        """Trace squared over the sum of squares, rows and columns scaled by `scale`, shape (G,)."""
        d, E = self.d * scale**2, self.E * scale[:, np.newaxis]
        inner = self.N @ (E.T @ E)
        own = ((E @ self.N) * E).sum(axis=1)
        squares = float(d @ d + 2 * d @ own + np.trace(inner @ inner))
        return float(d.sum() + own.sum()) ** 2 / squares


def _table(code: Ints, n_clusters: int, of: Ints) -> Ints:
    """How many ratings each cluster has in each arm or cell, shape (n_clusters, n_arms)."""
    k = int(of.max()) + 1
    return np.bincount(code * k + of, minlength=n_clusters * k).reshape(n_clusters, k)
