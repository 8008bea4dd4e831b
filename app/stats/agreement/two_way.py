"""The interval of alpha for new units and new raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.stats.agreement.disagreement import Disagreement
from app.stats.agreement.jackknife import PAIR, ZERO, Spread, fisher_ends, jackknife_se, no_spread, t_quantile
from app.stats.result import Interval

if TYPE_CHECKING:
    from app.stats.ratings import Ratings

METHOD = "jackknife_two_way"
# with two raters there is one pair of raters, and pairs cannot be seen to differ
FEWEST_RATERS = 3


def two_way_spread(paired: Ratings, parts: Disagreement, estimate: float, confidence: float) -> Spread:
    """Interval for new units and new raters: infinitesimal jackknife over both, Fisher's z, t.

    V = V_units + max(0, V_raters - V_chance), where V_chance is what V_raters would be if raters had no habits that
    reach over units; Satterthwaite's degrees of freedom. It is centred at alpha with chance taken between different
    raters only: in a small panel expected disagreement holds pairs of one rater with himself, who is no stranger to
    his own severity, and that pulls alpha down. By simulation with crossed raters and units: see the documentation.
    """
    n_units, n_raters = paired.n_units, len(paired.rater_codes)
    if n_units < PAIR or n_raters < FEWEST_RATERS:
        return no_spread("one_cluster")
    by_units = jackknife_se(parts.unit_influence(), parts.weight) ** 2
    whole = Disagreement(paired.counts.astype(np.float64), np.ones(n_units), parts.values, parts.level)
    by_raters = _rater_variance(paired, whole)
    variance = by_units + by_raters
    if variance < ZERO**2:
        return no_spread("no_variation")
    df = variance**2 / (by_units**2 / (n_units - 1) + by_raters**2 / (n_raters - 1))
    low, high = fisher_ends(_alpha_between_raters(paired, whole), np.sqrt(variance) * t_quantile(confidence, df))
    interval = Interval(min(low, estimate), max(high, estimate), METHOD, confidence)
    return {"standard_error": float(np.sqrt(variance)), "df": df, "interval": interval, "interval_reason": None}


def _rater_variance(paired: Ratings, whole: Disagreement) -> float:
    """How much new raters would move alpha: variance of the raters' influence beyond that of independent units."""
    row, rater = paired.unit_row, paired.rater_row
    n_units, n_raters = paired.n_units, len(paired.rater_codes)
    influence = whole.rating_influence(row, paired.value_column)
    influence -= influence.mean()
    cells, cell = np.unique(row * n_raters + rater, return_inverse=True)
    by_cell = np.bincount(cell, influence, len(cells))
    by_rater, by_unit = np.bincount(rater, influence), np.bincount(row, influence)
    between = ((by_rater - by_rater.mean()) ** 2).sum()
    chance = (by_cell**2).sum() - (by_unit**2).sum() / n_raters
    return max(float(between - chance * n_units / (n_units - 1)), 0.0) * n_raters / (n_raters - 1)


def _alpha_between_raters(paired: Ratings, whole: Disagreement) -> float:
    """Alpha with the expected disagreement of ratings by different raters."""
    shape = (len(paired.rater_codes), len(paired.values))
    cell = paired.rater_row * shape[1] + paired.value_column
    by_rater = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    own = float(((by_rater @ whole.d) * by_rater).sum())
    total = float(whole.n.sum())
    strangers = (whole.spread - own) / (total**2 - float((by_rater.sum(axis=1) ** 2).sum()))
    return 1 - whole.observed / (total * strangers)
