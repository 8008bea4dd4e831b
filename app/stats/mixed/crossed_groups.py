"""Levels of the large factor that meet the same number of levels of the small factor, processed together.

A level that meets few others touches few entries of the dense matrix, which are updated one by one. A level that meets
most of them is expanded to a full row, so that the update is one matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.stats.core.arrays import Floats, Ints

_MAX_NUMBERS = 4_000_000
_DENSE_FROM = 3


@dataclass(frozen=True, eq=False)
class Group:
    """Cells `first` to `last` of levels with `size` cells each; `n_small` is the number of small-factor levels."""

    first: int
    last: int
    size: int
    small: Ints
    n_small: int

    @property
    def is_dense(self) -> bool:
        return _DENSE_FROM * self.size >= self.n_small

    def subtract_outer(self, S: Floats, C: Floats, M: Floats) -> None:
        """Compute S -= C' M over these levels; S shape (q n_small, q n_small), C and M shape (p, q, n_cells)."""
        for part, small in self._parts(C.shape[0], C.shape[1]):
            if self.is_dense:
                S -= self._rows(C[:, :, part], small).T @ self._rows(M[:, :, part], small)
            else:
                left, right = (self._stack(array[:, :, part]) for array in (C, M))
                at = self._places(small, C.shape[1])
                np.subtract.at(S.reshape(-1), at.reshape(-1), (left.transpose(0, 2, 1) @ right).reshape(-1))

    def times(self, S_inverse: Floats, M: Floats, MS: Floats) -> None:
        """Write M S^-1 at the cells of these levels into `MS`, shape (p, q, n_cells)."""
        p, q, _ = M.shape
        for part, small in self._parts(p, q):
            n = len(small)
            if self.is_dense:
                whole = (self._rows(M[:, :, part], small) @ S_inverse).reshape(n, p, q, self.n_small)
                found = np.take_along_axis(whole, small[:, np.newaxis, np.newaxis, :], axis=3)
            else:
                picked = S_inverse.reshape(-1)[self._places(small, q)]
                found = (self._stack(M[:, :, part]) @ picked).reshape(n, p, q, self.size)
            MS[:, :, part] = found.transpose(1, 2, 0, 3).reshape(p, q, -1)

    def _parts(self, p: int, q: int) -> Iterator[tuple[slice, Ints]]:
        """Yield slices of cells that fit in memory, with the small levels of their cells, shape (n, size)."""
        each = p * q * self.n_small if self.is_dense else (q * self.size) ** 2
        step = max(1, _MAX_NUMBERS // max(each, 1)) * self.size
        for start in range(self.first, self.last, step):
            part = slice(start, min(start + step, self.last))
            yield part, self.small[part.start - self.first : part.stop - self.first].reshape(-1, self.size)

    def _stack(self, cells: Floats) -> Floats:
        """Reshape cells of shape (p, q, n size) to (n, p, q size)."""
        p, q, _ = cells.shape
        return cells.reshape(p, q, -1, self.size).transpose(2, 0, 1, 3).reshape(-1, p, q * self.size)

    def _rows(self, cells: Floats, small: Ints) -> Floats:
        """Return rows of the dense matrix, shape (n p, q n_small)."""
        p, q, _ = cells.shape
        n = len(small)
        rows = np.zeros((n, p, q, self.n_small))
        at = np.broadcast_to(small[:, np.newaxis, np.newaxis, :], (n, p, q, self.size))
        np.put_along_axis(rows, at, cells.reshape(p, q, n, self.size).transpose(2, 0, 1, 3), axis=3)
        return rows.reshape(n * p, q * self.n_small)

    def _places(self, small: Ints, q: int) -> Ints:
        """Return the indices of these levels' entries in the flat matrix, shape (n, q size, q size)."""
        row = (np.arange(q)[:, np.newaxis] * self.n_small + small[:, np.newaxis, :]).reshape(len(small), -1)
        return row[:, :, np.newaxis] * (q * self.n_small) + row[:, np.newaxis, :]


def groups_of_equal_size(large_start: Ints, cell_small: Ints, n_small: int) -> list[Group]:
    """Return the groups of levels, which are sorted by number of cells; `large_start` is each level's first cell."""
    sizes = np.diff(np.append(large_start, len(cell_small)))
    groups = []
    for size in np.unique(sizes):
        levels = np.flatnonzero(sizes == size)
        first, last = int(large_start[levels[0]]), int(large_start[levels[-1]] + size)
        groups.append(Group(first, last, int(size), cell_small[first:last], n_small))
    return groups
