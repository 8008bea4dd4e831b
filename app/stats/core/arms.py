"""Contrasts between clusters: raters (or items) of one arm against those of the other.

A rater who saw only one arm carries no information about the other, so the degrees of freedom of the contrast are
limited by the smaller arm: variance and degrees of freedom come from `cr2`. The variances of the arms are never pooled,
however few clusters an arm has: if the small arm varied more than the other, a pooled interval would be too short.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.cr2 import ClusterSums

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Ints

# with fewer clusters per arm, their variance can hardly be estimated
FEW = 5
FEW_IN_ARM = "One arm has only {n} {what}, so the interval is wide."
# cells that enter the contrast with a negative sign
_NEGATIVE = (1, 2)


@dataclass(frozen=True, eq=False)
class Arms:
    """The arm, and the cell within the arm, of each of n ratings; codes from 0, shape (n,).

    A mean difference has two arms (0 and 1) of one cell each. An interaction has two arms, non-members (0) and
    members (1), of two cells each, reference and source: cells 0 and 1, and cells 2 and 3.
    """

    arm: Ints
    cell: Ints

    @classmethod
    def of_two(cls, is_treated: Bools) -> Arms:
        """Return the arms of a difference between two sources."""
        code = np.asarray(is_treated, dtype=np.int64)
        return cls(code, code)

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
        return 2 * int((self._in_arm.sum(axis=1) > 1).sum()) < self.n_clusters

    @property
    def fewest(self) -> int:
        """Number of clusters in the smaller arm."""
        return int(self._in_arm.sum(axis=0).min())

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

    def note(self, what: str) -> str:
        """Return the note to show if an arm has few clusters, else ""; `what` is their name in the plural."""
        if not self.is_between or self.fewest >= FEW:
            return ""
        return FEW_IN_ARM.format(n=self.fewest, what=what)

    @cached_property
    def _in_arm(self) -> Bools:
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
