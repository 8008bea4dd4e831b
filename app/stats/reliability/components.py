"""Variance components of units, raters and residual: the crossed random model behind the intraclass correlations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.stats.reliability.crossing import Crossing
from app.stats.reliability.reml import reml

if TYPE_CHECKING:
    from app.stats.core.ratings import Ratings

# REML solves a dense matrix of the smaller side; above these numbers of levels or elements, use sums of squares
REML_LEVELS = 1000
REML_CELLS = 20_000_000
# the method for data in which each rater rated each unit
COMPLETE = "sums of squares"

# A report needs the same components for several coefficients, and fitting them passes over the ratings many times.
# Each cache entry contains only eight numbers.
_MAX_FOUND = 256
_found: dict[bytes, Components | None] = {}


@dataclass(frozen=True, slots=True)
class Components:
    """Variance between units, between raters, and residual, as proportions of the variance of the ratings.

    The residual (`rest`) includes the interaction of rater and unit. `per_unit` is the harmonic mean number of ratings
    per unit, `df_rest` the residual degrees of freedom.
    """

    unit: float
    rater: float
    rest: float
    n_units: int
    n_raters: int
    n_ratings: int
    per_unit: float
    df_rest: int
    method: str


def variance_components(ratings: Ratings) -> Components | None:
    """Return the variance components, or None if rater and residual variance cannot be separated.

    Needs at least two units and two raters. Complete data (each rater rated each unit once): sums of squares, where a
    component can be negative. Otherwise REML, where none is below 0; for thousands of raters and units Henderson's
    (1953) method 1, which is unbiased too.
    Source: Searle, Casella and McCulloch (1992), Variance Components, chapters 4 to 6.
    """
    digest = ratings.digest
    if digest not in _found:
        while len(_found) >= _MAX_FOUND:
            _found.pop(next(iter(_found)), None)
        _found[digest] = _components(Crossing(ratings))
    return _found[digest]


def _components(crossing: Crossing) -> Components | None:
    if crossing.df_rest <= 0:
        return None
    if crossing.is_complete:
        return _described(crossing, _complete(crossing), COMPLETE)
    start = _henderson(crossing)
    few, many = sorted((crossing.units, crossing.raters), key=len)
    if len(few) > REML_LEVELS or len(np.unique(many.size)) * len(few) ** 2 > REML_CELLS:
        return _described(crossing, start, "Henderson's method 1")
    found = reml(crossing, start)
    if found is None:
        return _described(crossing, start, "Henderson's method 1 (REML did not converge)")
    return _described(crossing, found, "REML")


def _described(crossing: Crossing, shares: tuple[float, float, float], method: str) -> Components:
    unit, rater, rest = shares
    return Components(
        float(unit),
        float(rater),
        float(rest),
        n_units=len(crossing.units),
        n_raters=len(crossing.raters),
        n_ratings=crossing.n,
        per_unit=crossing.per_unit,
        df_rest=crossing.df_rest,
        method=method,
    )


def _complete(crossing: Crossing) -> tuple[float, float, float]:
    n, k = len(crossing.units), len(crossing.raters)
    by_units, by_raters = crossing.units.sum_of_squares, crossing.raters.sum_of_squares
    rest = max(float((crossing.value**2).sum()) - by_units - by_raters, 0.0) / ((n - 1) * (k - 1))
    return (by_units / (n - 1) - rest) / k, (by_raters / (k - 1) - rest) / n, rest


def _henderson(crossing: Crossing) -> tuple[float, float, float]:
    """Return the components whose expected sums of squares equal the observed ones; the values are centred."""
    units, raters, n = crossing.units, crossing.raters, crossing.n
    squares = crossing.n_met.multiply(crossing.n_met)
    unit_in_raters = float((squares.sum(axis=0) / raters.size).sum())
    rater_in_units = float((squares.sum(axis=1) / units.size).sum())
    unit_in_mean, rater_in_mean = (float((side.size**2).sum()) / n for side in (units, raters))
    expected = np.array(
        [
            [n - unit_in_mean, rater_in_units - rater_in_mean, len(units) - 1],
            [unit_in_raters - unit_in_mean, n - rater_in_mean, len(raters) - 1],
            [n - unit_in_mean, n - rater_in_mean, n - 1],
        ]
    )
    seen = [units.sum_of_squares, raters.sum_of_squares, float((crossing.value**2).sum())]
    unit, rater, rest = np.linalg.lstsq(expected, seen)[0]
    return float(unit), float(rater), float(rest)
