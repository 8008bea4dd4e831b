"""Linear regression of ratings, or of the difference between two sources, on a numeric covariate.

Least squares with two-way clustered errors; for a score of the rater, the length of a text, the turn of a dialogue.
"""

from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Bools, Floats, Labels, present
from app.stats.clusters import METHOD, clusters, with_two_way_interval, without_interval
from app.stats.result import Result, undefined

_PERFECT = 1e-10


@dataclass(frozen=True, slots=True)
class AtEqual:
    """Source minus reference at equal covariate values, and the slope in points per unit of the covariate."""

    difference: Result
    slope: Result


def difference_at_equal(
    value: Floats, is_treated: Bools, covariate: Floats, *, item: Labels, rater: Labels, level: float = 0.95
) -> AtEqual:
    """Return the difference between two sources at equal `covariate`, shape (n,), with one slope for both sources.

    Reason `disconnected` if the difference would be an extrapolation: the ranges of the covariate do not overlap, or
    the line of the common slope leads to a difference that no two ratings have.
    """
    known = np.where(np.isfinite(covariate), value, np.nan)
    number, (treated, x, items, raters) = present(known, is_treated, covariate, item, rater)
    source, one = treated.astype(np.float64), np.ones(len(number))
    difference = _last(number, np.column_stack([one, x, source]), items, raters, level)
    slope_of_both = _last(number, np.column_stack([one, source, x]), items, raters, level)
    return AtEqual(_within_the_data(difference, number, x, treated), slope_of_both)


def _within_the_data(difference: Result, number: Floats, x: Floats, is_treated: Bools) -> Result:
    """Return the difference, or the reason why the data contain no equal values of the covariate to compare."""
    if difference.estimate is None:
        return difference
    mine, theirs = x[is_treated], x[~is_treated]
    counts = {key: getattr(difference, key) for key in ("n_items", "n_raters", "n_units", "n_ratings")}
    if max(mine.min(), theirs.min()) > min(mine.max(), theirs.max()):
        note = "No value of the covariate is in the range of both sources, so nothing can be compared at equal values."
        return undefined("disconnected", note, method=METHOD, **counts)
    if abs(difference.estimate) > np.ptp(number) * (1 + _PERFECT):
        note = "At equal values of the covariate the line leads to a difference that is larger than the scale in use."
        return undefined("disconnected", note, method=METHOD, **counts)
    return difference


def slope(value: Floats, covariate: Floats, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the slope in points per unit of `covariate`, shape (n,); rows with a missing covariate are dropped."""
    number, (x, items, raters) = present(np.where(np.isfinite(covariate), value, np.nan), covariate, item, rater)
    X = np.column_stack([np.ones(len(number)), x])
    return _last(number, X, items, raters, level)


def _last(y: Floats, X: Floats, item: Labels, rater: Labels, level: float) -> Result:
    """Return the last least-squares coefficient; a rating's influence is its residual times its effect on it.

    Scales the columns of X in place: a copy would be the largest array of a report.
    """
    groups, n = clusters(item, rater), len(y)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if n == 0:
        return undefined("no_pairable_units", "There are no ratings with a known value.", method=METHOD, **counts)
    size = np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny)
    unit = np.divide(X, size, out=X)
    if np.linalg.matrix_rank(unit) < X.shape[1]:
        note = "The covariate does not vary within both sources."
        return undefined("singular", note, method=METHOD, **counts)
    largest = float(np.abs(y).max()) or 1.0
    pull = np.linalg.pinv(unit)
    beta = pull @ (y / largest)
    residual = y / largest - unit @ beta
    back = largest / float(size[-1])
    bare = Result(float(beta[-1]) * back, METHOD).with_counts(**counts)
    if np.abs(residual).max() <= _PERFECT:
        return without_interval(bare, "no_variation", "The line fits all ratings exactly, so no interval.")
    influence = residual * pull[-1] * back
    return with_two_way_interval(float(beta[-1]) * back, influence, groups, null=0.0, level=level, scale=back)


# Least squares of ratings on design columns, scaled so that values of any size can be squared.


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
