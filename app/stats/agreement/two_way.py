"""The interval of alpha for new units and new raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.stats.agreement.disagreement import Disagreement
from app.stats.agreement.jackknife import PAIR, ZERO, Spread, fisher_ends, jackknife_se, no_spread, t_quantile
from app.stats.result import Interval

if TYPE_CHECKING:
    from app.stats.arrays import Floats
    from app.stats.ratings import Ratings

METHOD = "jackknife_two_way"
# with two raters there is one pair of raters, and pairs cannot be seen to differ
FEWEST_RATERS = 3


def two_way_spread(ratings: Ratings, parts: Disagreement, estimate: float, confidence: float) -> Spread:
    """Interval for new units and new raters: infinitesimal jackknife over both, Fisher's z, t.

    V = V_units + max(0, V_raters - V_chance), where V_chance is what V_raters would be if raters had no habits that
    reach over units; Satterthwaite's degrees of freedom. It is centred at alpha with chance taken between different
    raters only: in a small panel expected disagreement holds pairs of one rater with himself, who is no stranger to
    his own severity, and that pulls alpha down. By simulation with crossed raters and units: see the documentation.
    """
    n_units, n_raters = float(parts.weight.sum()), len(ratings.rater_codes)
    if n_units < PAIR or n_raters < FEWEST_RATERS:
        return no_spread("one_cluster")
    by_units = jackknife_se(parts.unit_influence(), parts.weight) ** 2
    whole = _whole(ratings, parts)
    by_raters = _rater_variance(ratings, whole)
    variance = by_units + by_raters
    if variance < ZERO**2:
        return no_spread("no_variation")
    df = variance**2 / (by_units**2 / (n_units - 1) + by_raters**2 / (n_raters - 1))
    low, high = fisher_ends(_alpha_between_raters(ratings, whole), np.sqrt(variance) * t_quantile(confidence, df))
    interval = Interval(min(low, estimate), max(high, estimate), METHOD, confidence)
    return {"standard_error": float(np.sqrt(variance)), "df": df, "interval": interval, "interval_reason": None}


def _whole(ratings: Ratings, parts: Disagreement) -> Disagreement:
    """The same disagreement with one row a unit, units with one rating kept out by weight 0."""
    counts = ratings.counts.astype(np.float64)
    # a row of one rating would divide by zero; doubled, and with no weight, it does nothing
    counts[~ratings.is_pairable] *= PAIR
    return Disagreement(counts, ratings.is_pairable.astype(np.float64), parts.values, parts.level)


def _rater_variance(ratings: Ratings, whole: Disagreement) -> float:
    """How much new raters would move alpha: variance of the raters' influence beyond that of independent units."""
    row, rater = ratings.unit_row, ratings.rater_row
    n_raters = len(ratings.rater_codes)
    influence = np.where(ratings.is_pairable[row], whole.rating_influence(row, ratings.value_column), 0.0)
    influence -= np.where(ratings.is_pairable[row], influence.sum() / ratings.is_pairable[row].sum(), 0.0)
    cells, cell = np.unique(row * n_raters + rater, return_inverse=True)
    by_cell = np.bincount(cell, influence, len(cells))
    by_rater, by_unit = np.bincount(rater, influence), np.bincount(row, influence)
    between = ((by_rater - by_rater.mean()) ** 2).sum()
    chance = (by_cell**2).sum() - (by_unit**2).sum() / n_raters
    n_units = int(ratings.is_pairable.sum())
    return max(float(between - chance * n_units / (n_units - 1)), 0.0) * n_raters / (n_raters - 1)


def _alpha_between_raters(ratings: Ratings, whole: Disagreement) -> float:
    """Alpha with the expected disagreement of ratings by different raters."""
    shape = (len(ratings.rater_codes), len(ratings.values))
    cell = ratings.rater_row * shape[1] + ratings.value_column
    weight = ratings.is_pairable[ratings.unit_row].astype(np.float64)
    by_rater: Floats = np.asarray(np.bincount(cell, weight, shape[0] * shape[1]).reshape(shape), dtype=np.float64)
    own = float(((by_rater @ whole.d) * by_rater).sum())
    own_pairs, total = float((by_rater.sum(axis=1) ** 2).sum()), float(whole.n.sum())
    strangers = (whole.spread - own) / max(total**2 - own_pairs, 1.0) * total
    return 1 - whole.observed / strangers if strangers > ZERO * whole.expected else whole.alpha
