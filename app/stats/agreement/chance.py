"""Coefficients of many raters that differ in what they call chance: Fleiss, Gwet, Brennan and Prediger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.stats.agreement.jackknife import (
    PAIR,
    ZERO,
    Spread,
    jackknife_se,
    no_spread,
    no_variation,
    nothing_to_compare,
    t_quantile,
)
from app.stats.agreement.shares import agreeing_pairs
from app.stats.agreement.weights import Weights, disagreement_weights
from app.stats.result import Interval, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.stats.arrays import Floats
    from app.stats.ratings import Ratings

    # (shares of values per unit (N, V), agreement weights (V, V)) to chance agreement and its slope by unit (N,)
    Chance = Callable[[Floats, Floats], tuple[float, Floats]]


def fleiss_kappa(ratings: Ratings, *, weights: Weights = "none", confidence: float = 0.95) -> Result:
    """Agreement beyond chance where chance is two ratings drawn from the shares of the categories.

    The number of ratings may differ between units; shares are taken over all units that have a rating.
    Not for: skewed values (kappa collapses although agreement is high; see `gwet_ac1`).
    Source: Fleiss (1971); with gaps and weights Gwet (2014), chapter 2. Equals statsmodels' where no rating is missing.
    """
    return _corrected(ratings, _fleiss_chance, weights, None, confidence)


def gwet_ac1(ratings: Ratings, *, domain: Sequence[float] | None = None, confidence: float = 0.95) -> Result:
    """Agreement beyond chance where only ratings of units that are hard to tell count as chance.

    Stays high where nearly all ratings fall on one category and kappa collapses: show both. It depends on the
    number of declared categories (`domain`).
    Source: Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29-48.
    """
    return _corrected(ratings, _gwet_chance, "none", domain, confidence)


def gwet_ac2(
    ratings: Ratings,
    *,
    weights: Weights = "quadratic",
    domain: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> Result:
    """`gwet_ac1` with partial credit for near values. Source: Gwet (2014), chapters 2 and 5. Not for nominal values."""
    return _corrected(ratings, _gwet_chance, weights, domain, confidence)


def brennan_prediger(
    ratings: Ratings,
    *,
    weights: Weights = "none",
    domain: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> Result:
    """Agreement beyond chance where chance is blind choice among the declared categories (`domain`).

    Not for: scales with points that nobody uses; each makes chance look smaller.
    Source: Brennan and Prediger (1981), Educational and Psychological Measurement 41:687-699.
    """
    return _corrected(ratings, _uniform_chance, weights, domain, confidence)


def _corrected(
    ratings: Ratings, chance: Chance, weights: Weights, domain: Sequence[float] | None, confidence: float
) -> Result:
    missing = nothing_to_compare(ratings)
    if missing:
        return missing
    counts, values = ratings.counts_over(domain)
    if len(values) == 1:
        return no_variation(ratings)
    agreement = 1.0 - disagreement_weights(values, weights)
    expected, slope = chance(counts / counts.sum(axis=1, keepdims=True), agreement)
    is_pairable = ratings.is_pairable
    pairs = np.zeros(len(counts))
    pairs[is_pairable] = agreeing_pairs(counts[is_pairable], agreement)
    estimate = (float(pairs[is_pairable].mean()) - expected) / (1 - expected)
    excess = np.where(is_pairable, pairs - expected, 0.0) / is_pairable.mean()
    influence = (excess - (1 - estimate) * slope) / (1 - expected)
    spread = _t_spread(estimate, influence / len(counts), confidence)
    method = f"{weights} weights, {len(values)} categories"
    return Result(estimate, method=method, **spread, **ratings.sizes())


def _fleiss_chance(shares: Floats, agreement: Floats) -> tuple[float, Floats]:
    mean = shares.mean(axis=0)
    expected = float(mean @ agreement @ mean)
    return expected, 2 * (shares @ agreement @ mean - expected)


def _gwet_chance(shares: Floats, agreement: Floats) -> tuple[float, Floats]:
    q, mean = len(agreement), shares.mean(axis=0)
    scale = agreement.sum() / (q * (q - 1))
    expected = float(scale * (mean @ (1 - mean)))
    return expected, 2 * (scale * (shares @ (1 - mean)) - expected)


def _uniform_chance(shares: Floats, agreement: Floats) -> tuple[float, Floats]:
    return float(agreement.mean()), np.zeros(len(shares))


def _t_spread(estimate: float, influence: Floats, confidence: float) -> Spread:
    """Gwet's interval: the linearised standard error with t, df = units - 1, cut at 1."""
    n = len(influence)
    if n < PAIR:
        return no_spread("one_cluster")
    se = jackknife_se(influence, np.ones(n))
    if se < ZERO:
        return no_spread("no_variation")
    reach = t_quantile(confidence, n - 1) * se
    interval = Interval(estimate - reach, min(estimate + reach, 1.0), "jackknife_units", confidence)
    return {"standard_error": se, "df": float(n - 1), "interval": interval, "interval_reason": None}
