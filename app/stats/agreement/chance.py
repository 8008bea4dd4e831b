"""Agreement coefficients of many raters with different definitions of chance: Fleiss, Gwet, Brennan-Prediger."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from app.stats.agreement.disagreement import Weights, disagreement_weights
from app.stats.agreement.percent_agreement import agreeing_pairs, agreement_influence
from app.stats.agreement.two_way import For, between_raters, is_too_small, two_way_spread
from app.stats.arrays import Floats, Ints
from app.stats.clusters import t_quantile
from app.stats.jackknife import PAIR, ZERO, Spread, jackknife_se, no_spread, no_variation, nothing_to_compare
from app.stats.ratings import Ratings
from app.stats.result import Interval, Method, Result

# maps proportions of values (V,) and agreement weights (V, V) to chance agreement and its gradient (V,)
Chance = Callable[[Floats, Floats], tuple[float, Floats]]


_UNTESTED = (
    "All ratings that can be compared are the same. A value of 1 then follows from the declared scale alone: it does "
    "not show that raters tell units apart."
)


class Wanted(NamedTuple):
    """What the interval generalizes to, and its confidence level."""

    inference: For
    confidence: float


class _Parts(NamedTuple):
    """Components of a coefficient by pattern of counts; shapes (P, V), (P,), (V,), (V, V), scalar, (V,), (P,)."""

    counts: Ints
    n_units: Floats
    values: Floats
    agreement: Floats
    expected: float
    gradient: Floats
    by_unit: Floats


def fleiss_kappa(
    ratings: Ratings, *, weights: Weights = "none", inference: For = "new_units", confidence: float = 0.95
) -> Result:
    """Return Fleiss' kappa: chance agreement is that of two ratings drawn from the overall category proportions.

    The number of ratings may differ between units; proportions are taken over all units with a rating.
    Not for: skewed values (kappa collapses although agreement is high; see `gwet_ac1`).
    Source: Fleiss (1971); with gaps and weights Gwet (2014), chapter 2. Equals statsmodels' if no rating is missing.
    """
    return _corrected(ratings, _fleiss_chance, weights, None, Wanted(inference, confidence))


def gwet_ac1(
    ratings: Ratings,
    *,
    domain: Sequence[float] | None = None,
    inference: For = "new_units",
    confidence: float = 0.95,
) -> Result:
    """Return Gwet's AC1: only ratings of units that are hard to classify are assumed to agree by chance.

    Stays high where nearly all ratings fall into one category and kappa collapses: report both. Depends on the
    number of declared categories (`domain`).
    Source: Gwet (2008), British Journal of Mathematical and Statistical Psychology 61:29-48.
    """
    return _corrected(ratings, _gwet_chance, "none", domain, Wanted(inference, confidence))


def gwet_ac2(
    ratings: Ratings,
    *,
    weights: Weights = "quadratic",
    domain: Sequence[float] | None = None,
    inference: For = "new_units",
    confidence: float = 0.95,
) -> Result:
    """Return `gwet_ac1` with partial credit for close values. Not for nominal values.

    Source: Gwet (2014), chapters 2 and 5.
    """
    return _corrected(ratings, _gwet_chance, weights, domain, Wanted(inference, confidence))


def brennan_prediger(
    ratings: Ratings,
    *,
    weights: Weights = "none",
    domain: Sequence[float] | None = None,
    inference: For = "new_units",
    confidence: float = 0.95,
) -> Result:
    """Return agreement beyond chance, where chance is a uniform choice among the declared categories (`domain`).

    Not for: scales with points that no one uses; each lowers the chance agreement.
    Source: Brennan and Prediger (1981), Educational and Psychological Measurement 41:687-699.
    """
    return _corrected(ratings, _uniform_chance, weights, domain, Wanted(inference, confidence))


def finn_r(
    ratings: Ratings,
    *,
    domain: Sequence[float] | None = None,
    inference: For = "new_units",
    confidence: float = 0.95,
) -> Result:
    """Return 1 - mean variance within units / variance of ratings at random among the declared points (`domain`).

    Stays meaningful where units hardly differ and the ICC collapses. Not for nominal values, nor for scales with points
    that no one uses; each lowers the agreement expected by chance.

    The variance of a unit is half the mean squared difference of its pairs, so this is `brennan_prediger` with
    quadratic weights, which has the intervals.
    Source: Finn (1970), Educational and Psychological Measurement 30:71-76.
    """
    return brennan_prediger(ratings, weights="quadratic", domain=domain, inference=inference, confidence=confidence)


def _corrected(
    ratings: Ratings, chance: Chance, weights: Weights, domain: Sequence[float] | None, wanted: Wanted
) -> Result:
    missing = nothing_to_compare(ratings)
    if missing:
        return missing
    counts, values = ratings.patterns_over(domain)
    if len(values) == 1:
        return no_variation(ratings)
    n_units = np.bincount(ratings.patterns[1], minlength=len(counts)).astype(np.float64)
    agreement = 1.0 - disagreement_weights(values, weights)
    shares = counts / counts.sum(axis=1, keepdims=True)
    mean = n_units @ shares / ratings.n_units
    expected, gradient = chance(mean, agreement)
    is_pairable = counts.sum(axis=1) >= PAIR
    n_pairable = n_units[is_pairable]
    pairs = np.zeros(len(counts))
    pairs[is_pairable] = agreeing_pairs(counts[is_pairable], agreement)
    estimate = (float(n_pairable @ pairs[is_pairable] / n_pairable.sum()) - expected) / (1 - expected)
    excess = np.where(is_pairable, pairs - expected, 0.0) * ratings.n_units / n_pairable.sum()
    slope = (shares - mean) @ gradient
    by_unit = (excess - (1 - estimate) * slope) / (1 - expected) / ratings.n_units
    if wanted.inference == "new_units":
        spread = _t_spread(estimate, by_unit, n_units, wanted.confidence)
    else:
        parts = _Parts(counts, n_units, values, agreement, expected, gradient, by_unit)
        spread = _two_way(ratings, parts, chance, estimate, wanted.confidence)
    method = Method(words=f"{weights} weights, {len(values)} categories")
    note = _UNTESTED if len(ratings.paired.values) == 1 else ""
    return Result(estimate, method=method, note=note, **spread, **ratings.sizes())


def _two_way(ratings: Ratings, parts: _Parts, chance: Chance, estimate: float, confidence: float) -> Spread:
    """Return the spread for new units and raters, centred at the coefficient with chance between different raters."""
    if is_too_small(ratings) or is_too_small(ratings.paired):
        return no_spread("one_cluster")
    size = parts.counts.sum(axis=1)
    pull = parts.gradient / size[:, np.newaxis] / ratings.n_units
    pull -= (parts.n_units @ (parts.counts * pull).sum(axis=1) / size / ratings.n_units)[:, np.newaxis]
    moved = agreement_influence(parts.counts, parts.n_units, parts.agreement)
    influence = (moved - (1 - estimate) * pull) / (1 - parts.expected)
    form = _form(chance, parts.agreement)
    column = np.searchsorted(parts.values, ratings.values)[ratings.value_column]
    every, strangers = between_raters(ratings, column, (1 / size)[ratings.pattern_row], form)
    centre = _between_raters(estimate, parts.expected, parts.expected + strangers - every)
    by_units = jackknife_se(parts.by_unit, parts.n_units) ** 2
    of_rating = influence[ratings.pattern_row, column]
    return two_way_spread(
        ratings, by_units, of_rating, estimate, centre, confidence, is_of_pairs=chance is not _fleiss_chance
    )


def _between_raters(estimate: float, expected: float, apart: float) -> float:
    """Return the coefficient with the chance agreement of different raters, `apart`, in place of `expected`.

    If hardly any two raters use the same categories, that chance is close to 1, and the coefficient is far below its
    range or undefined. The estimate itself is returned then.
    """
    if 1 - apart < ZERO:
        return estimate
    centre = 1 - (1 - estimate) * (1 - expected) / (1 - apart)
    return centre if centre >= min(-1.0, estimate) else estimate


def _form(chance: Chance, agreement: Floats) -> Floats:
    """Return the quadratic form of the proportions in the chance agreement: Fleiss' in full, Gwet's squares, or 0."""
    if chance is _fleiss_chance:
        return agreement
    identity = np.eye(len(agreement))
    return -_gwet_scale(agreement) * identity if chance is _gwet_chance else 0 * identity


def _fleiss_chance(mean: Floats, agreement: Floats) -> tuple[float, Floats]:
    return float(mean @ agreement @ mean), 2 * (agreement @ mean)


def _gwet_chance(mean: Floats, agreement: Floats) -> tuple[float, Floats]:
    scale = _gwet_scale(agreement)
    return scale * float(mean @ (1 - mean)), scale * (1 - 2 * mean)


def _gwet_scale(agreement: Floats) -> float:
    q = len(agreement)
    return float(agreement.sum() / (q * (q - 1)))


def _uniform_chance(mean: Floats, agreement: Floats) -> tuple[float, Floats]:
    return float(agreement.mean()), np.zeros(len(mean))


def _t_spread(estimate: float, influence: Floats, weight: Floats, confidence: float) -> Spread:
    """Return Gwet's interval: linearized standard error with t, df = units - 1, cut at 1 as irrCAC does."""
    n = float(weight.sum())
    if n < PAIR:
        return no_spread("one_cluster")
    se = jackknife_se(influence, weight)
    if se < ZERO:
        return no_spread("no_variation")
    reach = t_quantile(n - 1, confidence) * se
    interval = Interval(
        estimate - reach, min(estimate + reach, 1.0), Method("jackknife_units"), confidence, inference="items"
    )
    return {"standard_error": se, "df": n - 1, "interval": interval, "interval_reason": None}
