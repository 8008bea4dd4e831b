"""Confidence intervals for new units and new raters: the infinitesimal jackknife over both."""

from typing import Literal

import numpy as np

from app.stats.agreement.disagreement import Disagreement
from app.stats.arrays import Floats, Ints
from app.stats.clusters import t_quantile
from app.stats.jackknife import PAIR, ZERO, Spread, fisher_ends, jackknife_se, no_spread
from app.stats.ratings import Ratings
from app.stats.result import Interval, Method

For = Literal["new_units", "new_units_and_raters"]
METHOD = Method("jackknife_two_way")
# two raters form a single pair, so that variation between pairs cannot be observed
MIN_RATERS = 3


def alpha_two_way(paired: Ratings, parts: Disagreement, estimate: float, confidence: float) -> Spread:
    """Return the spread of alpha for new units and raters; see `two_way_spread`.

    The interval is centred at alpha with expected disagreement between different raters only. In a small panel,
    expected disagreement includes pairs of ratings by the same rater, which share that rater's severity, and this
    lowers alpha.
    """
    if is_too_small(paired):
        return no_spread("one_cluster")
    whole = Disagreement(paired.counts.astype(np.float64), np.ones(paired.n_units), parts.values, parts.level)
    by_units = jackknife_se(parts.unit_influence(), parts.weight) ** 2
    influence = whole.rating_influence(paired.unit_row, paired.value_column)
    centre = _alpha_between_raters(paired, whole)
    return two_way_spread(paired, by_units, influence, estimate, centre, confidence)


def is_too_small(ratings: Ratings) -> bool:
    """Whether there are too few units or raters for an interval for new ones."""
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
    """Return the spread for new units and new raters: infinitesimal jackknife over both, Fisher's z, t.

    V = V_units + max(0, V_raters - V_chance), where V_chance is the expected V_raters if raters had no tendencies that
    extend across units; Satterthwaite degrees of freedom. For a mean over pairs of raters, V_raters is that of leaving
    out one rater, ((R - 1) / (R - 2))^2 times the infinitesimal one, with min(units, raters) - 1 degrees of freedom.
    Validated by simulation with crossed raters and units: see the documentation.

    Args:
        ratings: ratings of at least two units by at least three raters.
        by_units: V_units.
        influence: derivative of the estimate with respect to the weight of each rating, shape (n_ratings,).
        estimate: the estimate, which the interval always contains.
        centre: centre of the interval on Fisher's z.
        confidence: confidence level.
        is_of_pairs: whether the estimate is a mean over pairs of raters whose chance agreement is not estimated from
            the ratings.
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
    """Return the variance due to raters: variance of raters' influence beyond that of independent units."""
    row, rater = ratings.unit_row, ratings.rater_row
    n_units, n_raters = ratings.n_units, len(ratings.rater_codes)
    influence = influence - influence.mean()
    cell, n_cells = ratings.cells
    by_cell = influence if n_cells == len(cell) else np.bincount(cell, influence, n_cells)
    by_rater, by_unit = np.bincount(rater, influence), np.bincount(row, influence)
    between = ((by_rater - by_rater.mean()) ** 2).sum()
    chance = (by_cell**2).sum() - (by_unit**2).sum() / n_raters
    return max(float(between - chance * n_units / (n_units - 1)), 0.0) * n_raters / (n_raters - 1)


def between_raters(ratings: Ratings, column: Ints, weight: Floats, form: Floats) -> tuple[float, float]:
    """Return a quadratic form of the category proportions over all pairs and over pairs of different raters.

    Args:
        ratings: n ratings.
        column: category of each rating, shape (n,).
        weight: contribution of each rating to its category's proportion, shape (n,).
        form: quadratic form, shape (V, V).
    """
    shape = (len(ratings.rater_codes), len(form))
    cell = ratings.rater_row * shape[1] + column
    by_rater = np.bincount(cell, weight, minlength=shape[0] * shape[1]).reshape(shape)
    total = by_rater.sum(axis=0)
    every, own = float(total @ form @ total), float(((by_rater @ form) * by_rater).sum())
    size = by_rater.sum(axis=1)
    return every / float(size.sum()) ** 2, (every - own) / float(size.sum() ** 2 - size @ size)


def _alpha_between_raters(paired: Ratings, whole: Disagreement) -> float:
    """Return alpha with the expected disagreement between ratings by different raters."""
    _, strangers = between_raters(paired, paired.value_column, np.ones(len(paired.value)), whole.d)
    return 1 - whole.observed / (float(whole.n.sum()) * strangers)
