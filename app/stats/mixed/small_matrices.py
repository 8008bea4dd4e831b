"""Products, factorizations and inverses of small matrices, and of many of them at once.

LAPACK's routines are called directly: with small matrices, the checks of `scipy.linalg` take longer than the routines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats


def multiplied(left: Floats, right: Floats) -> Floats:
    """Multiply many small matrices, shapes (p, r, n) and (r, q, n); einsum is ten times slower in this layout."""
    total = np.zeros((left.shape[0], *right.shape[1:]))
    for j in range(left.shape[1]):
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
