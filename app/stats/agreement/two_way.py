"""Intervals for new units and new raters: the infinitesimal jackknife over both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from app.stats.agreement.disagreement import Disagreement
from app.stats.core.clusters import t_quantile
from app.stats.core.jackknife import PAIR, ZERO, Spread, fisher_ends, jackknife_se, no_spread
from app.stats.core.result import Interval

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints
    from app.stats.core.ratings import Ratings

For = Literal["new_units", "new_units_and_raters"]
METHOD = "jackknife_two_way"
# with two raters there is one pair of raters, and pairs cannot be seen to differ
MIN_RATERS = 3


def alpha_two_way(paired: Ratings, parts: Disagreement, estimate: float, confidence: float) -> Spread:
    """Interval of alpha for new units and raters; see `two_way_spread`.

    It is centred at alpha with chance taken between different raters only: in a small panel expected disagreement holds
    pairs of one rater with themselves, who share their own severity, and that pulls alpha down.
    """
    if is_too_small(paired):
        return no_spread("one_cluster")
    whole = Disagreement(paired.counts.astype(np.float64), np.ones(paired.n_units), parts.values, parts.level)
    by_units = jackknife_se(parts.unit_influence(), parts.weight) ** 2
    influence = whole.rating_influence(paired.unit_row, paired.value_column)
    centre = _alpha_between_raters(paired, whole)
    return two_way_spread(paired, by_units, influence, estimate, centre, confidence)


def is_too_small(ratings: Ratings) -> bool:
    """Whether there are too few units or raters to say anything of new ones."""
    return ratings.n_units < PAIR or len(ratings.rater_codes) < MIN_RATERS


def two_way_spread(
    ratings: Ratings,
    by_units: float,
    influence: Floats,
    estimate: float,
    centre: float,
    confidence: float,
    *,
    is_of_pairs: bool = False,
) -> Spread:
    """Interval for new units and new raters: infinitesimal jackknife over both, Fisher's z, t.

    V = V_units + max(0, V_raters - V_chance), where V_chance is what V_raters would be if raters had no habits that
    reach over units; Satterthwaite's degrees of freedom. Of a mean over pairs of raters V_raters is that of leaving one
    rater out, ((R - 1) / (R - 2))^2 times the infinitesimal one, and the degrees of freedom are min(units, raters) - 1.
    By simulation with crossed raters and units: see the documentation.

    Args:
        ratings: of at least two units by three raters.
        by_units: V_units.
        influence: shape (n_ratings,): the estimate moves by this when the rating's weight grows by one.
        estimate: what the interval is of, and holds.
        centre: where it has its middle on Fisher's z.
        confidence: of the interval.
        is_of_pairs: whether the estimate is a mean over pairs of raters, chance not taken from what these raters gave.
    """
    n = len(ratings.rater_codes)
    by_raters = rater_variance(ratings, influence) * (((n - 1) / (n - 2)) ** 2 if is_of_pairs else 1)
    variance = by_units + by_raters
    if variance < ZERO**2:
        return no_spread("no_variation")
    df = float(min(ratings.n_units, n) - 1)
    if not is_of_pairs:
        df = variance**2 / (by_units**2 / (ratings.n_units - 1) + by_raters**2 / (n - 1))
    low, high = fisher_ends(centre, np.sqrt(variance) * t_quantile(df, confidence))
    interval = Interval(min(low, estimate), max(high, estimate), METHOD, confidence, inference="items_and_raters")
    return {"standard_error": float(np.sqrt(variance)), "df": df, "interval": interval, "interval_reason": None}


def rater_variance(ratings: Ratings, influence: Floats) -> float:
    """How much new raters would move an estimate: variance of raters' influence beyond that of independent units."""
    row, rater = ratings.unit_row, ratings.rater_row
    n_units, n_raters = ratings.n_units, len(ratings.rater_codes)
    influence = influence - influence.mean()
    by_cell = np.bincount(ratings.cells[0], influence, ratings.cells[1])
    by_rater, by_unit = np.bincount(rater, influence), np.bincount(row, influence)
    between = ((by_rater - by_rater.mean()) ** 2).sum()
    chance = (by_cell**2).sum() - (by_unit**2).sum() / n_raters
    return max(float(between - chance * n_units / (n_units - 1)), 0.0) * n_raters / (n_raters - 1)


def between_raters(ratings: Ratings, column: Ints, weight: Floats, form: Floats) -> tuple[float, float]:
    """A quadratic form of the shares of categories, of all pairs and of pairs of different raters.

    Args:
        ratings: n of them.
        column: the category of each, shape (n,).
        weight: what each adds to the share of its category, shape (n,).
        form: shape (V, V).
    """
    shape = (len(ratings.rater_codes), len(form))
    cell = ratings.rater_row * shape[1] + column
    by_rater = np.bincount(cell, weight, minlength=shape[0] * shape[1]).reshape(shape)
    total = by_rater.sum(axis=0)
    every, own = float(total @ form @ total), float(((by_rater @ form) * by_rater).sum())
    size = by_rater.sum(axis=1)
    return every / float(size.sum()) ** 2, (every - own) / float(size.sum() ** 2 - size @ size)


def _alpha_between_raters(paired: Ratings, whole: Disagreement) -> float:
    """Alpha with the expected disagreement of ratings by different raters."""
    _, strangers = between_raters(paired, paired.value_column, np.ones(len(paired.value)), whole.d)
    return 1 - whole.observed / (float(whole.n.sum()) * strangers)
