"""Variance components of units, raters and residual: the crossed random model behind the intraclass correlations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import fdtrc

from app.stats.arrays import Floats, Ints, one_thread
from app.stats.jackknife import PAIR, ZERO
from app.stats.ratings import Ratings

# The crossing of units and raters, and the sums that variance components are computed from.


@dataclass(frozen=True, eq=False)
class Side:
    """Units or raters: `code` of each rating; number of ratings and sum of values per level."""

    code: Ints
    size: Ints
    total: Floats

    def __len__(self) -> int:
        return len(self.size)

    @property
    def sum_of_squares(self) -> float:
        """Sum over the levels of squared total divided by size."""
        return float((self.total**2 / self.size).sum())


class Crossing:
    """The ratings as a crossed design. Values are centred with variance 1, so that components are proportions."""

    def __init__(self, ratings: Ratings) -> None:
        largest = float(np.abs(ratings.value).max()) or 1.0
        value = ratings.value / largest
        value = value - value.mean()
        self.value: Floats = value / (float(np.sqrt((value**2).mean())) or 1.0)
        self.n = len(value)
        self.units = self._side(ratings.unit_row, ratings.n_units)
        self.raters = self._side(ratings.rater_row, len(ratings.rater_codes))

    def _side(self, code: Ints, n_levels: int) -> Side:
        size = np.bincount(code, minlength=n_levels)
        return Side(code, size, np.asarray(np.bincount(code, self.value, n_levels), dtype=np.float64))

    @cached_property
    def n_met(self) -> Any:  # noqa: ANN401 - scipy's sparse array types have no common name
        """How often each rater rated each unit, as a sparse array, shape (n_units, n_raters)."""
        return csr_array(
            (np.ones(self.n), (self.units.code, self.raters.code)), shape=(len(self.units), len(self.raters))
        )

    @property
    def is_complete(self) -> bool:
        """Whether each rater rated each unit exactly once."""
        return bool(self.n == self.n_met.nnz == len(self.units) * len(self.raters))

    @property
    def per_unit(self) -> float:
        """Harmonic mean of the number of ratings per unit."""
        return float(len(self.units) / (1 / self.units.size).sum())

    @cached_property
    def df_rest(self) -> int:
        """Number of ratings minus parameters for units and raters; 0 if each rater has their own units."""
        n_islands, _ = connected_components(self._graph(), directed=False)
        return self.n - (len(self.units) + len(self.raters) - n_islands)

    def _graph(self) -> Any:  # noqa: ANN401 - as above
        """Return units, then raters, as the points of a graph with a line between a unit and each of its raters."""
        met, n_levels = self.n_met, len(self.units) + len(self.raters)
        starts = np.concatenate([met.indptr, np.full(len(self.raters), met.nnz, dtype=met.indptr.dtype)])
        return csr_array((met.data, met.indices + len(self.units), starts), shape=(n_levels, n_levels))


# Restricted maximum likelihood of value = mean + unit + rater + residual, for any pattern of ratings.
#
# The linear mixed model of `lmm_fit` has the same maximum. Without covariates and slopes, the sums simplify further:
# a
# million ratings take a quarter of a second here and twelve seconds there.

# the maximum of a component divided by the sum of it and the residual variance
LARGEST_SHARE = 1 - 1e-9
SMALLEST = 1e-12
MAX_STEPS = 200


class RemlDeviance:
    """-2 log restricted likelihood, profiled over mean and residual variance (Patterson and Thompson 1971).

    The side with more levels is eliminated in closed form. What remains is one dense matrix of the other side, built
    once for each number of ratings per level of the larger side, so that an evaluation does not pass over the ratings.
    """

    def __init__(self, crossing: Crossing) -> None:
        self.n = crossing.n
        self.is_swapped = len(crossing.raters) > len(crossing.units)
        sides = (crossing.raters, crossing.units) if self.is_swapped else (crossing.units, crossing.raters)
        self.many, self.few = sides
        meets = crossing.n_met.T.tocsr() if self.is_swapped else crossing.n_met
        self.kinds, kind = np.unique(self.many.size, return_inverse=True)
        self.n_of_kind = np.bincount(kind)
        chosen = [meets[kind == k] for k in range(len(self.kinds))]
        self.met = np.stack([(part.T @ part).toarray() for part in chosen])
        sums = np.stack([self.many.size.astype(float), self.many.total], axis=1)
        self.many_squares = np.stack([sums[kind == k].T @ sums[kind == k] for k in range(len(self.kinds))])
        self.many_in_few = np.stack([part.T @ sums[kind == k] for k, part in enumerate(chosen)])
        self.few_sums = np.stack([self.few.size.astype(float), self.few.total], axis=1)
        total = float(crossing.value.sum())
        self.squares = np.array([[self.n, total], [total, float((crossing.value**2).sum())]])

    def __call__(self, share: Floats) -> float:
        deviance, _ = self.at(share / (1 - share))
        return deviance

    def at(self, ratio: Floats) -> tuple[float, float]:
        """Return deviance and residual variance; `ratio` is the variance of each side relative to the residual's."""
        many, few = ratio
        weight = many / (1 + many * self.kinds)
        schur = np.diag(self.few.size.astype(float)) - np.tensordot(weight, self.met, 1)
        factor = np.linalg.cholesky(np.eye(len(self.few)) + few * schur)
        seen = np.sqrt(few) * solve_triangular(
            factor, self.few_sums - np.tensordot(weight, self.many_in_few, 1), lower=True, check_finite=False
        )
        inner = self.squares - np.tensordot(weight, self.many_squares, 1) - seen.T @ seen
        residual = max(float(inner[1, 1] - inner[0, 1] ** 2 / inner[0, 0]), SMALLEST)
        log_det = float(self.n_of_kind @ np.log1p(many * self.kinds)) + 2 * float(np.log(np.diag(factor)).sum())
        deviance = (self.n - 1) * np.log(residual / (self.n - 1)) + log_det + np.log(inner[0, 0])
        return float(deviance), residual / (self.n - 1)


def reml(crossing: Crossing, start: tuple[float, float, float]) -> tuple[float, float, float] | None:
    """Return the REML variances of unit, rater and residual, none below 0, starting at `start`.

    None if the search does not converge within MAX_STEPS.
    """
    deviance = RemlDeviance(crossing)
    unit, rater, rest = (max(each, 0.01) for each in start)
    sides = [rater, unit] if deviance.is_swapped else [unit, rater]
    # as proportions, so that the slope at 0 is not flat and a component that starts at 0 can leave it
    first = [min(side / (side + rest), LARGEST_SHARE) for side in sides]
    bounds = [(0.0, LARGEST_SHARE)] * 2
    with one_thread():  # the matrices are small, and synchronizing threads takes ten times as long
        found = minimize(
            deviance, first, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-13, "maxiter": MAX_STEPS}
        )
    if found.nit >= MAX_STEPS:
        return None
    ratio = found.x / (1 - found.x)
    rest = deviance.at(ratio)[1]
    many, few = (float(each) * rest for each in ratio)
    return (few, many, rest) if deviance.is_swapped else (many, few, rest)


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


# The mean squares that intraclass correlations are computed from, for complete data or as if it were complete.


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Mean squares of units, raters and residual with their degrees of freedom, as if the data were complete.

    `k` is the (harmonic mean) number of ratings per unit, `load` the mean number of ratings per rater.
    """

    units: float
    raters: float
    rest: float
    df_units: float
    df_raters: float
    df_rest: float
    k: float
    load: float
    method: str
    is_exact: bool

    def error(self, *, agreement: bool) -> float:
        """Return the error added to the units' mean square: k - 1 times the residual, plus raters for agreement."""
        severity = self.k / self.load * (self.raters - self.rest) if agreement else 0.0
        return (self.k - 1) * self.rest + severity

    def single(self, *, agreement: bool) -> float | None:
        """Return the proportion of the variance of one rating that is between units."""
        whole = self.units + self.error(agreement=agreement)
        return (self.units - self.rest) / whole if whole > ZERO else None

    def satterthwaite(self, single: float) -> float:
        """Return the degrees of freedom of the error of one rating, from raters and residual together."""
        odds = self.k * single / (1 - single)
        raters, rest = odds / self.load * self.raters, (1 + odds - odds / self.load) * self.rest
        fewest = min(self.df_raters, self.df_rest)
        return max((raters + rest) ** 2 / (raters**2 / self.df_raters + rest**2 / self.df_rest), fewest)

    @property
    def p_value(self) -> float | None:
        """P-value of the F test that units do not differ; None unless it is exact."""
        if not self.is_exact or self.rest < ZERO:
            return None
        # a mean square of zero may have a rounding error below 0
        return float(fdtrc(self.df_units, self.df_rest, max(self.units, 0.0) / self.rest))


def one_way(ratings: Ratings) -> MeanSquares:
    """Return mean squares for units only; unequal group sizes by unweighted means (Thomas and Hultquist 1978)."""
    crossing = Crossing(ratings)
    n, units = len(crossing.units), crossing.units
    df_rest = crossing.n - n
    within = max(float((crossing.value**2).sum()) - units.sum_of_squares, 0.0) / df_rest
    between = crossing.per_unit * float((units.total / units.size).var(ddof=1))
    is_even = len(np.unique(units.size)) == 1
    return MeanSquares(
        between,
        within,
        within,
        n - 1,
        np.inf,
        df_rest,
        crossing.per_unit,
        1.0,
        "one-way sums of squares" if is_even else "one-way sums of squares, unweighted means",
        is_exact=is_even,
    )


def crossed(ratings: Ratings) -> MeanSquares | None:
    """Return mean squares for units and raters from variance components, or None if these are not estimable."""
    found = variance_components(ratings)
    if found is None or found.n_raters < PAIR:
        return None
    load = found.n_ratings / found.n_raters
    units, raters = found.per_unit * found.unit + found.rest, load * found.rater + found.rest
    return MeanSquares(
        units,
        raters,
        found.rest,
        found.n_units - 1,
        found.n_raters - 1,
        found.df_rest,
        found.per_unit,
        load,
        found.method,
        is_exact=found.method == COMPLETE,
    )
