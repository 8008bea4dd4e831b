"""Cohen's kappa of two named raters, plain or weighted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import ndtri

from app.stats.agreement.weights import Weights, disagreement_weights
from app.stats.core.bounds import ends_within
from app.stats.core.jackknife import PAIR, ZERO, Spread, no_pairs, no_spread, no_variation
from app.stats.core.result import Interval, Result

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats
    from app.stats.core.ratings import Ratings


Categories = Literal["declared", "observed"]


def cohen_kappa(
    ratings: Ratings, *, weights: Weights = "none", categories: Categories = "declared", confidence: float = 0.95
) -> Result:
    """Do these two raters agree beyond what their own habits give by chance?

    `ratings` holds two raters; only units that both rated count, and of a repeated rating the first. Weights are
    distances between the values as declared; with `categories="observed"` between the places of the values that
    these two gave, which is what scikit-learn and many papers report. Values declared and never given change nothing.
    The standard error is that of large samples (Fleiss, Cohen and Everitt 1969).
    Not for: slots that are filled by different people; very skewed values, where kappa falls although agreement is
    high (show Gwet's AC1 beside it).

    Raises:
        ValueError: more than two raters.
    """
    if len(ratings.rater_codes) > PAIR:
        raise ValueError("Cohen's kappa is of two raters; select a pair first")
    first, second = paired_values(ratings)
    sizes = ratings.sizes()
    sizes["n_pairable_units"] = len(first)
    if not len(first):
        return no_pairs(ratings).with_counts(**sizes)
    used = np.union1d(first, second)
    if len(used) == 1:
        return no_variation(ratings).with_counts(**sizes)
    table = np.zeros((len(used), len(used)))
    np.add.at(table, (np.searchsorted(used, first), np.searchsorted(used, second)), 1)
    places = used if categories == "declared" else np.arange(len(used), dtype=np.float64)
    kappa, spread = kappa_of_table(table, places, weights, confidence)
    return Result(kappa, method=_method(weights, categories), **spread).with_counts(**sizes)


def paired_values(ratings: Ratings) -> tuple[Floats, Floats]:
    """The values of the units that both of two raters rated, in the order of the units."""
    cell, first_at = np.unique(ratings.unit_row * PAIR + ratings.rater_row, return_index=True)
    columns = np.full((ratings.n_units, PAIR), np.nan)
    columns.ravel()[cell] = ratings.value[first_at]
    both = columns[np.isfinite(columns).all(axis=1)]
    return both[:, 0], both[:, 1]


def kappa_of_table(table: Floats, values: Floats, weights: Weights, confidence: float) -> tuple[float, Spread]:
    """Kappa and its normal interval, from how often each pair of values was given, shape (V, V), V at least 2."""
    kappa, variance = _kappa_and_variance(table, disagreement_weights(values, weights))
    if table.sum() < PAIR:
        return kappa, no_spread("one_cluster")
    if variance < ZERO:
        return kappa, no_spread("no_variation")
    se = float(np.sqrt(variance))
    reach = float(ndtri((1 + confidence) / 2)) * se
    interval = Interval(*ends_within(kappa, reach, -1.0, 1.0), "asymptotic_normal", confidence, inference="items")
    return kappa, {"standard_error": se, "df": None, "interval": interval, "interval_reason": None}


def _kappa_and_variance(table: Floats, weights: Floats) -> tuple[float, float]:
    """Kappa and its large-sample variance, letters as in Fleiss, Cohen and Everitt (1969), equation 13.

    With weights of 1 off the diagonal this is the plain kappa and its variance. Checked against statsmodels, which
    freezes two normal distributions for each table: a hundred times the work of the formula.
    """
    n = table.sum()
    p = table / n
    p_row, p_column = p.sum(axis=1), p.sum(axis=0)
    w = 1 - weights
    kappa = 1 - (weights * p).sum() / (p_row @ weights @ p_column)
    w_row, w_column = w @ p_column, p_row @ w
    p_e = p_row @ w_row
    terms = (p * (w - (w_row[:, np.newaxis] + w_column) * (1 - kappa)) ** 2).sum()
    variance = (terms - (kappa - p_e * (1 - kappa)) ** 2) / ((1 - p_e) ** 2 * n)
    return float(kappa), float(variance)


def _method(weights: Weights, categories: Categories) -> str:
    if weights == "none":
        return "no weights"
    return "observed categories" if categories == "observed" else "distances between declared values"
