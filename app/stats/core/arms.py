"""Contrasts between clusters: raters (or items) of one arm against those of another.

A rater who saw one arm only says nothing about the other, so the contrast has as many degrees of freedom as its arms
allow: variance and degrees of freedom are those of `cr2`. Where an arm has fewer than five clusters that leaves about
one degree of freedom and an interval wider than the scale: clusters of similar size are then taken to vary alike in
both arms, as a linear mixed model takes them to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.cr2 import ClusterSums

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Ints

# in an arm of fewer clusters their spread can hardly be seen
FEW = 5
POOLED = "One arm has only {n} {what}: their variance is assumed to equal that of the other arm."
ALONE = "One arm has only {n} {what}, so the interval is wide."
# mean sizes of clusters further apart than this factor are not alike
SIMILAR = 2.0
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
        """Whether an arm has too few clusters for a variance of its own, and the other arm's are of similar size.

        How a cluster of many ratings varies cannot be learned from clusters of a few: that would take a guess of what
        the ratings of one cluster share.
        """
        clusters = self._in_arm.sum(axis=0)
        size = np.bincount(self.arms.arm) / np.maximum(clusters, 1)
        return self.fewest < FEW and bool(size.max() <= SIMILAR * size.min())

    @property
    def is_thin(self) -> bool:
        """Whether a cell stands on one cluster: its mean then shows no spread at all."""
        return bool((self._size == self._size.sum(axis=0)).any())

    @cached_property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom of `variance`, 2 E(V)^2 / Var(V); not where a cell is thin."""
        return self._sums(np.zeros(len(self.code))).variance(is_pooled=self.is_pooled).df

    def variance(self, influence: Floats) -> float:
        """CR2 of a contrast of the cells' means; `influence` shape (n,). Pooled where an arm has few clusters."""
        return self._sums(influence).variance(is_pooled=self.is_pooled).variance

    def note(self, what: str) -> str:
        """What has to be said where an arm has few clusters; `what` names them."""
        if not self.is_between or self.fewest >= FEW:
            return ""
        return (POOLED if self.is_pooled else ALONE).format(n=self.fewest, what=what)

    @cached_property
    def _in_arm(self) -> Bools:
        return _table(self.code, self.n_clusters, self.arms.arm) > 0

    @cached_property
    def _size(self) -> Floats:
        return _table(self.code, self.n_clusters, self.arms.cell).astype(np.float64)

    def _sums(self, influence: Floats) -> ClusterSums:
        """The contrast as least squares on an indicator of each cell; residual / n = influence x sign."""
        roots = np.sqrt(self._size.sum(axis=0))
        cells = len(roots)
        signs = np.where(np.isin(np.arange(cells), _NEGATIVE), -1.0, 1.0)
        moved = np.bincount(self.code * cells + self.arms.cell, influence, self.n_clusters * cells)
        gram = (self._size / roots**2)[:, :, np.newaxis] * np.eye(cells)
        score = moved.reshape(self.n_clusters, cells) * signs * roots
        return ClusterSums(gram, gram, self._size / roots, score, signs / roots)


def model_df(code: Ints, n_clusters: int, arms: Arms) -> float:
    """Degrees of freedom that the clusters of one kind leave to a contrast in a mixed model: one for each mean less.

    0 where an arm has one cluster only.
    """
    side = Side(code, n_clusters, arms)
    if not side.is_between:
        return n_clusters - 1.0
    return 0.0 if side.is_thin else n_clusters - 2.0


def _table(code: Ints, n_clusters: int, of: Ints) -> Ints:
    """How many ratings each cluster has in each arm or cell, shape (n_clusters, n_arms)."""
    k = int(of.max()) + 1
    return np.bincount(code * k + of, minlength=n_clusters * k).reshape(n_clusters, k)
