"""Association of a covariate (a rater's questionnaire score, age, the length of a text) with ratings, by source.

No median splits: dichotomizing a score discards information and can produce spurious effects (MacCallum et al. 2002,
Psychol. Methods 7:19).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Bools, Floats, Labels, codes, present
from app.stats.linear.cluster_robust import METHOD, linear_contrast
from app.stats.result import Result, undefined

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class CovariateSlopes:
    """Change of the rating, in points, per unit of the covariate.

    Attributes:
        within: within raters (undefined if the covariate is constant within raters).
        between: between the means of raters (undefined if all raters have the same mean).
    """

    within: Result
    between: Result


def covariate_slope(
    value: Floats, covariate: Floats, *, item: Labels, rater: Labels, level: float = 0.95
) -> CovariateSlopes:
    """Return slopes of the ratings of one source on a covariate, within and between raters.

    Least squares y = b0 + b1 (x - mean x of the rater) + b2 (mean x of the rater), CR2 errors by item and rater. The
    two slopes answer different questions and may differ in sign (Enders and Tofighi 2007, Psychol. Methods 12:121).

    Args:
        value: ratings, shape (n,); rows with nan here or in the covariate are dropped.
        covariate: shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, (x, items, raters) = present(np.where(np.isfinite(covariate), value, np.nan), covariate, item, rater)
    columns = _split(x, raters)
    slopes = [_last(number, columns, name, name, items, raters, level) for name in ("within", "between")]
    return CovariateSlopes(*slopes)


def covariate_slope_difference(
    value: Floats, covariate: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> CovariateSlopes:
    """Return slopes for the source minus slopes for the reference; `is_treated` shape (n,). As `covariate_slope`."""
    known = np.where(np.isfinite(covariate), value, np.nan)
    number, (x, treated, items, raters) = present(known, covariate, is_treated, item, rater)
    source = treated.astype(np.float64)
    columns = _split(x, raters) | {"source": source}
    both = [
        _last(number, columns | {"product": columns[name] * source}, "product", name, items, raters, level)
        for name in ("within", "between")
    ]
    return CovariateSlopes(*both)


def _split(x: Floats, rater: Labels) -> dict[str, Floats]:
    """Return the centred within-rater and between-rater components of the covariate, shapes (n,)."""
    code, n = codes(rater)
    mean = (np.bincount(code, x, n) / np.maximum(np.bincount(code, minlength=n), 1))[code]
    scale = float(np.abs(x).max(initial=0)) or 1.0
    within, between = x - mean, mean - (mean.mean() if len(mean) else 0.0)
    return {
        "within": np.where(np.abs(within) > _ROUNDING * scale, within, 0.0),
        "between": np.where(np.abs(between) > _ROUNDING * scale, between, 0.0),
    }


def _last(
    y: Floats, columns: dict[str, Floats], name: str, where: str, item: Labels, rater: Labels, level: float
) -> Result:
    """Return the slope on the named column, which varies within or between raters, adjusted for all other columns."""
    n = len(y)
    if n and np.ptp(columns[name]) == 0:
        note = f"The covariate does not vary {where} raters."
        return undefined("no_variation", note, method=METHOD, n_units=n, n_ratings=n)
    others = [column for key, column in columns.items() if key != name and np.ptp(column) > 0] if n else []
    X = np.column_stack([np.ones(n), *others, columns[name]])
    return linear_contrast(y, X, np.eye(X.shape[1])[-1], item=item, rater=rater, level=level)
