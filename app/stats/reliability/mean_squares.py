"""The mean squares that intraclass correlations are computed from, for complete data or as if it were complete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import fdtrc

from app.stats.core.jackknife import PAIR, ZERO
from app.stats.reliability.components import COMPLETE, variance_components
from app.stats.reliability.crossing import Crossing

if TYPE_CHECKING:
    from app.stats.core.ratings import Ratings


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
