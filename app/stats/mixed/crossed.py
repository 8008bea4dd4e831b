"""Two crossed random factors: the sums, factorizations and solutions of their models.

With random effects b ~ N(0, I) scaled by their standard deviations, a model needs H = I + S Z' W Z S (W: weights of the
ratings, S: standard deviations). The blocks of the larger factor are eliminated one by one; the Schur complement of the
smaller factor is dense. Ratings of one item by one rater form a *cell*, and all values are summed to cells first. The
first axis of an array is the component: `(d, n)` for d columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import linalg

from app.stats.arrays import Floats, Ints

# Levels of the large factor, processed together.
#
# A level that meets few others touches few entries of the dense matrix, which are updated one by one. A level that
# meets most of them, and every level of a small design, is expanded to a full row: the update is one matrix product.

_MAX_NUMBERS = 4_000_000
_DENSE_FROM = 3
# products of a dense update, per pair of components, that take less time than the calls of several sparse ones
_SMALL = 200_000


@dataclass(frozen=True, eq=False)
class Dense:
    """Cells `first` to `last`: `at` gives the flat places of their numbers, shape (p, q, n), in rows of `shape`."""

    first: int
    last: int
    at: Ints
    shape: tuple[int, int]

    def subtract_outer(self, S: Floats, C: Floats, M: Floats) -> None:
        """Compute S -= C' M over these levels; S shape (q n_small, q n_small), C and M shape (p, q, n_cells)."""
        S -= self._rows(C).T @ self._rows(M)

    def times(self, S_inverse: Floats, M: Floats, MS: Floats) -> None:
        """Write M S^-1 at the cells of these levels into `MS`, shape (p, q, n_cells)."""
        MS[:, :, self.first : self.last] = (self._rows(M) @ S_inverse).reshape(-1)[self.at]

    def _rows(self, cells: Floats) -> Floats:
        """Return rows of the dense matrix, shape (levels p, q n_small)."""
        rows = np.zeros(self.shape[0] * self.shape[1])
        rows[self.at] = cells[:, :, self.first : self.last]
        return rows.reshape(self.shape)


@dataclass(frozen=True, eq=False)
class Sparse:
    """Cells `first` to `last` of levels with as many cells each: `small` gives their small levels, shape (n, size)."""

    first: int
    last: int
    small: Ints
    n_small: int

    def subtract_outer(self, S: Floats, C: Floats, M: Floats) -> None:
        """See `Dense`."""
        left, right = self._stack(C), self._stack(M)
        products = left.transpose(0, 2, 1) @ right
        np.subtract.at(S.reshape(-1), self._places(C.shape[1]).reshape(-1), products.reshape(-1))

    def times(self, S_inverse: Floats, M: Floats, MS: Floats) -> None:
        """See `Dense`."""
        p, q, _ = M.shape
        found = self._stack(M) @ S_inverse.reshape(-1)[self._places(q)]
        by_component = found.reshape(len(self.small), p, q, -1).transpose(1, 2, 0, 3)
        MS[:, :, self.first : self.last] = by_component.reshape(p, q, -1)

    def _stack(self, cells: Floats) -> Floats:
        """Reshape cells of shape (p, q, n size) to (n, p, q size)."""
        p, q, _ = cells.shape
        n, size = self.small.shape
        parts = cells[:, :, self.first : self.last].reshape(p, q, n, size)
        return parts.transpose(2, 0, 1, 3).reshape(n, p, q * size)

    def _places(self, q: int) -> Ints:
        """Return the indices of these levels' entries in the flat matrix, shape (n, q size, q size)."""
        row = (np.arange(q)[:, np.newaxis] * self.n_small + self.small[:, np.newaxis, :]).reshape(len(self.small), -1)
        return row[:, :, np.newaxis] * (q * self.n_small) + row[:, np.newaxis, :]


def groups_of_levels(start: Ints, small: Ints, n_small: int, p: int, q: int) -> Iterator[Dense | Sparse]:
    """Yield groups that fit in memory of levels sorted by their number of cells.

    `start` is each level's first cell, `small` each cell's level of the small factor; p and q are the numbers of
    components of both factors.
    """
    ends = np.append(start, len(small))
    sizes = np.diff(ends)
    is_dense = (_DENSE_FROM * sizes >= n_small) | (len(start) * n_small**2 <= _SMALL)
    n_sparse = int((~is_dense).sum())
    for size in np.unique(sizes[:n_sparse]):
        levels = np.flatnonzero(sizes == size)
        for first, last in _parts(ends, levels[0], levels[-1] + 1, (q * int(size)) ** 2):
            yield Sparse(first, last, small[first:last].reshape(-1, size), n_small)
    components = np.arange(p * q).reshape(p, q, 1)
    for first, last in _parts(ends, n_sparse, len(start), p * q * n_small):
        level = np.repeat(np.arange(len(sizes)), sizes)[first:last]
        rows = level - level[0]
        yield Dense(
            first, last, (rows * p * q + components) * n_small + small[first:last], ((rows[-1] + 1) * p, q * n_small)
        )


def _parts(ends: Ints, begin: int, end: int, each: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last cell of as many levels as fit in memory, at `each` numbers per level."""
    step = max(1, _MAX_NUMBERS // max(each, 1))
    for level in range(begin, end, step):
        yield int(ends[level]), int(ends[min(level + step, end)])


# Products, factorizations and inverses of small matrices, and of many of them at once.
#
# LAPACK's routines are called directly: with small matrices, the checks of `scipy.linalg` take longer than the
# routines.


def multiplied(left: Floats, right: Floats) -> Floats:
    """Multiply many small matrices, shapes (p, r, n) and (r, q, n); einsum is ten times slower in this layout."""
    if not len(right):
        return np.zeros((left.shape[0], *right.shape[1:]))
    total: Floats = left[:, 0, np.newaxis] * right[0]
    for j in range(1, len(right)):
        total += left[:, j, np.newaxis] * right[j]
    return total


def cholesky_of(S: Floats) -> Floats:
    """Return the lower triangle L with L L' = S.

    Raises:
        numpy.linalg.LinAlgError: S is not positive definite.
    """
    if not len(S):
        return S
    lower, info = linalg.lapack.dpotrf(S, lower=1, clean=1)
    if info:
        raise np.linalg.LinAlgError("not positive definite")
    return np.asarray(lower, dtype=np.float64)


def solved(cholesky: Floats, right: Floats) -> Floats:
    """Return x of L L' x = right."""
    if not len(cholesky):
        return right
    x, _ = linalg.lapack.dpotrs(cholesky, right, lower=1)
    return np.asarray(x, dtype=np.float64)


def inverse_of_cholesky(cholesky: Floats) -> Floats:
    """Return (L L')^-1 of a lower triangle with LAPACK's potri, a third of the cost of solving for the identity."""
    if not len(cholesky):
        return cholesky
    lower, _ = linalg.lapack.dpotri(cholesky, lower=1)
    # the upper triangle contains the zeros of the factor
    full: Floats = lower + lower.T
    full.flat[:: len(full) + 1] /= 2
    return full


def inverse_of_blocks(blocks: Floats) -> tuple[Floats, float]:
    """Return the inverses of symmetric blocks, shape (q, q, n), and the sum of their log determinants."""
    if blocks.shape[0] == 1:
        return 1 / blocks, float(np.log(blocks).sum())
    if blocks.shape[0] == 2:  # noqa: PLR2004  # an intercept and a slope: by Cramer's rule, ten times faster
        a, b, d = blocks[0, 0], blocks[0, 1], blocks[1, 1]
        det = a * d - b * b
        return np.array([[d, -b], [-b, a]]) / det, float(np.log(det).sum())
    stack = blocks.transpose(2, 0, 1)
    inverses: Floats = np.asarray(np.linalg.inv(stack), dtype=np.float64)
    return inverses.transpose(1, 2, 0), float(np.linalg.slogdet(stack)[1].sum())


@dataclass(frozen=True, eq=False)
class Factor:
    """A random factor: the level of each rating as a code, and the design columns whose effects vary by level."""

    code: Ints
    n_levels: int
    columns: tuple[int, ...]

    @property
    def q(self) -> int:
        return len(self.columns)


class Places(NamedTuple):
    """Rows of the products of pairs of columns: of the large factor, of both, and of the small one; shape (q, q)."""

    large: Ints
    both: Ints
    small: Ints


@dataclass(frozen=True, eq=False)
class Crossed:
    """Ratings of two crossed factors, sorted by cell; `order` gives their positions in the caller's arrays.

    `large` is eliminated and `small` kept dense, so pass the factor with more levels as `large`. Codes refer to the
    sorted ratings with the levels of `large` renumbered: `large_level` maps them to the caller's levels.
    """

    order: Ints
    large_level: Ints
    large: Factor
    small: Factor
    columns: Floats
    cell: Ints
    cell_start: Ints
    cell_large: Ints
    cell_small: Ints
    large_start: Ints

    @cached_property
    def products(self) -> Floats:
        """Products of all pairs of columns, shape (d (d + 1) / 2, n)."""
        d = len(self.columns)
        pairs = [self.columns[k] * self.columns[j] for k in range(d) for j in range(k, d)]
        return np.array(pairs)

    @cached_property
    def groups(self) -> list[Dense | Sparse]:
        p, q = self.large.q, self.small.q
        return [*groups_of_levels(self.large_start, self.cell_small, self.small.n_levels, p, q)] if p and q else []

    @cached_property
    def places(self) -> Places:
        """The row of `products` for each pair of columns of the factors."""
        d = len(self.columns)
        above = np.zeros((d, d), dtype=np.int64)
        above[np.triu_indices(d)] = np.arange(d * (d + 1) // 2)
        every, large, small = above + np.triu(above, 1).T, self.large.columns, self.small.columns
        return Places(*(every[np.ix_(*pair)] for pair in ((large, large), (large, small), (small, small))))

    def over_cells(self, value: Floats) -> Floats:
        """Return sums over the ratings of each cell; `value` shape (d, n)."""
        return np.add.reduceat(value, self.cell_start, axis=1)

    def over_large(self, cells: Floats) -> Floats:
        """Return sums over the cells of each level of the large factor; `cells` shape (d, n_cells)."""
        return np.add.reduceat(cells, self.large_start, axis=1)

    def over_small(self, cells: Floats) -> Floats:
        """Return sums over the cells of each level of the small factor; `cells` shape (d, n_cells)."""
        n = self.small.n_levels
        return np.array([np.bincount(self.cell_small, row, n) for row in cells]).reshape(len(cells), n)

    def gather(self, value: Floats) -> tuple[Floats, Floats]:
        """Return unscaled Z' value for both factors: shapes (q_large, n_large) and (q_small, n_small)."""
        cells = self.over_cells(self.columns * value)
        return self.over_large(cells[list(self.large.columns)]), self.over_small(cells[list(self.small.columns)])

    def spread(self, large: Floats, small: Floats) -> Floats:
        """Return Z b, shape (n,), for effects (already scaled) in the shapes that `gather` returns."""
        at_cell = np.zeros((len(self.columns), len(self.cell_large)))
        at_cell[list(self.large.columns)] += large.take(self.cell_large, axis=1)
        at_cell[list(self.small.columns)] += small.take(self.cell_small, axis=1)
        return self.over_columns(at_cell, self.columns)

    def over_columns(self, cells: Floats, columns: Floats) -> Floats:
        """Return the sum over columns, shape (d, n), of each times the value of its cell, shape (d, n_cells)."""
        total: Floats = (cells.take(self.cell, axis=1) * columns).sum(axis=0)
        return total

    def factored(self, weight: Floats, sd_large: Floats, sd_small: Floats) -> Factored:
        """Factorize H for these weights, shape (n,), and standard deviations.

        Raises:
            numpy.linalg.LinAlgError: H is not positive definite (negative weights).
        """
        cells = self.over_cells(self.products * weight)
        return Factored(self, cells, sd_large, sd_small)


def crossed(large: Factor, small: Factor, columns: Floats) -> Crossed:
    """Return the crossed design of ratings in the caller's order: codes of both factors, `columns` shape (d, n)."""
    key = large.code * small.n_levels + small.code
    cells, cell = np.unique(key, return_inverse=True)
    n_cells_of = np.bincount(cells // small.n_levels, minlength=large.n_levels)
    level = np.argsort(n_cells_of, kind="stable")
    rank = np.empty_like(level)
    rank[level] = np.arange(len(level))
    cell_rank = np.argsort(rank[cells // small.n_levels], kind="stable")
    place = np.empty_like(cell_rank)
    place[cell_rank] = np.arange(len(cell_rank))
    order = np.argsort(place[cell], kind="stable")
    sorted_cell = place[cell][order]
    return Crossed(
        order=order,
        large_level=level,
        large=Factor(rank[large.code][order], large.n_levels, large.columns),
        small=Factor(small.code[order], small.n_levels, small.columns),
        columns=np.ascontiguousarray(columns[:, order]),
        cell=sorted_cell,
        cell_start=_starts(np.bincount(sorted_cell)),
        cell_large=rank[cells // small.n_levels][cell_rank],
        cell_small=(cells % small.n_levels)[cell_rank],
        large_start=_starts(n_cells_of[level]),
    )


def union_of_columns(large: Floats, small: Floats, n: int) -> tuple[Floats, tuple[int, ...], tuple[int, ...]]:
    """Return the distinct columns, shape (d, n) with d >= 1, and the indices of each factor's columns among them."""
    found: list[Floats] = []

    def place(column: Floats) -> int:
        for k, known in enumerate(found):
            if np.array_equal(known, column):
                return k
        found.append(column)
        return len(found) - 1

    at_large, at_small = (tuple(place(row) for row in columns) for columns in (large, small))
    return np.array(found or [np.ones(n)]), at_large, at_small


def _starts(counts: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)[:-1]])


class Factored:
    """The factorization of H with blocks A (large), B (small) and C (large by small): M = A^-1 C and S = B - C' M."""

    def __init__(self, design: Crossed, cells: Floats, sd_large: Floats, sd_small: Floats) -> None:
        self.design, self.cells = design, cells
        self.sd_large, self.sd_small = sd_large, sd_small
        self.large_sums = design.over_large(cells)
        self.small_sums = design.over_small(cells)
        A = _blocks(self.large_sums[design.places.large], sd_large, sd_large)
        B = _blocks(self.small_sums[design.places.small], sd_small, sd_small)
        for block in (A, B):
            block[np.arange(len(block)), np.arange(len(block))] += 1
        self.C = _blocks(cells[design.places.both], sd_large, sd_small)
        self.A_inverse, log_det = inverse_of_blocks(A)
        self.M = multiplied(self.A_inverse.take(design.cell_large, axis=2), self.C)
        self.cholesky = cholesky_of(self._schur(B))
        self.log_det = log_det + 2 * float(np.log(np.diag(self.cholesky)).sum())

    def _schur(self, B: Floats) -> Floats:
        q, n = B.shape[0], B.shape[2]
        S = np.zeros((q * n, q * n))
        levels = np.arange(n)
        for a in range(q):
            for b in range(q):
                S[a * n + levels, b * n + levels] = B[a, b]
        for group in self.design.groups:
            group.subtract_outer(S, self.C, self.M)
        return S

    def solve(self, large: Floats, small: Floats) -> tuple[Floats, Floats]:
        """Return H^-1 g for g in the shapes that `Crossed.gather` returns."""
        x_large, x_small = self.solve_each(large[np.newaxis], small[np.newaxis])
        return x_large[0], x_small[0]

    def solve_each(self, large: Floats, small: Floats) -> tuple[Floats, Floats]:
        """Return H^-1 g for several g, shapes (r, q_large, n_large) and (r, q_small, n_small)."""
        design, r, n_cells = self.design, len(large), len(self.design.cell_large)
        shift = multiplied(large.take(design.cell_large, axis=2), self.M)
        right = small - design.over_small(shift.reshape(-1, n_cells)).reshape(small.shape)
        x_small = solved(self.cholesky, right.reshape(r, len(self.cholesky)).T).T.reshape(small.shape)
        by_component = x_small.transpose(1, 0, 2)
        back = multiplied(self.C, by_component.take(design.cell_small, axis=2)).reshape(-1, n_cells)
        rest = large.transpose(1, 0, 2) - design.over_large(back).reshape(len(self.C), r, large.shape[2])
        return multiplied(self.A_inverse, rest).transpose(1, 0, 2), x_small

    @cached_property
    def inverse(self) -> tuple[Floats, Floats, Floats]:
        """Nonzero blocks of H^-1 for the ratings: per large level, per cell (large by small), per small level.

        Shapes (q_large, q_large, n_large), (q_large, q_small, n_cells), (q_small, q_small, n_small).
        """
        design, (q, n) = self.design, (self.design.small.q, self.design.small.n_levels)
        S_inverse = inverse_of_cholesky(self.cholesky)
        MS = np.empty_like(self.M)
        for group in design.groups:
            group.times(S_inverse, self.M, MS)
        levels = np.arange(n)
        by_small = S_inverse.reshape(q, n, q, n)[:, levels, :, levels].transpose(1, 2, 0)
        corrections = multiplied(MS, self.M.transpose(1, 0, 2))
        p = design.large.q
        flat = corrections.reshape(p * p, len(design.cell_large))
        by_large = self.A_inverse + design.over_large(flat).reshape(self.A_inverse.shape)
        return by_large, -MS, by_small

    @cached_property
    def half_log_det_slopes(self) -> tuple[Floats, Floats]:
        """Half the derivative of log det H in each standard deviation, weights fixed: shapes (q_large,), (q_small,)."""
        sums = zip((self.large_sums, self.cells, self.small_sums), self.design.places, self.inverse, strict=True)
        within_large, shared, within_small = ((sum_[at] * inverse).sum(axis=2) for sum_, at, inverse in sums)
        return (
            within_large @ self.sd_large + shared @ self.sd_small,
            within_small @ self.sd_small + self.sd_large @ shared,
        )


def _blocks(sums: Floats, sd_rows: Floats, sd_columns: Floats) -> Floats:
    """Return blocks of shape (rows, columns, levels or cells)."""
    found: Floats = sums * np.multiply.outer(sd_rows, sd_columns)[:, :, np.newaxis]
    return found
