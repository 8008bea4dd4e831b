"""Least squares of ratings on design columns, scaled so that values of any size can be squared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats

_PERFECT = 1e-10


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """A fit of y on X, shapes (n,) and (n, p), of full rank.

    Attributes:
        X: the columns, each divided by its `size`, times the roots of the weights, shape (n, p).
        root: the symmetric square root of (X'X)^-1, shape (p, p).
        beta: coefficients of the scaled columns, for y divided by `scale`, shape (p,).
        residual: residuals of y divided by `scale`, times the roots of the weights, shape (n,).
        size: largest absolute value of each column, shape (p,).
        scale: largest absolute value of y, or 1.
    """

    X: Floats
    root: Floats
    beta: Floats
    residual: Floats
    size: Floats
    scale: float

    @property
    def is_perfect(self) -> bool:
        """Whether the residuals are only rounding errors."""
        return bool(np.abs(self.residual).max() <= _PERFECT)

    def scaled(self, contrast: Floats) -> Floats:
        """Convert `contrast` of the original coefficients to one of `beta`, values divided by `scale`; shapes (p,)."""
        return np.asarray(contrast / self.size, dtype=np.float64)

    def estimate(self, contrast: Floats) -> float:
        """Return `contrast`, shape (p,), of the coefficients in the original units."""
        return float(self.scaled(contrast) @ self.beta) * self.scale


def least_squares(y: Floats, X: Floats, weight: Floats | None = None) -> LeastSquares | None:
    """Fit y, shape (n,), on X, shape (n, p).

    Args:
        y: finite values, n >= 1.
        X: finite columns, including the intercept.
        weight: shape (n,), above 0; None for equal weights.

    Returns:
        The fit, or None if the columns are linearly dependent.
    """
    roots = None if weight is None else np.sqrt(weight / weight.max())
    size = np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny)
    scale = float(np.abs(y).max()) or 1.0
    Z = X / size if roots is None else X / size * roots[:, np.newaxis]
    if np.linalg.matrix_rank(Z) < X.shape[1]:
        return None
    values, vectors = np.linalg.eigh(Z.T @ Z)
    root = (vectors / np.sqrt(values)) @ vectors.T
    target = y / scale if roots is None else y / scale * roots
    beta = root @ (root @ (Z.T @ target))
    return LeastSquares(Z, root, beta, target - Z @ beta, size, scale)
