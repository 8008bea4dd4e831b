"""Cohen's kappa between two raters, unweighted or weighted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from app.stats.agreement.disagreement import Weights, disagreement_weights
from app.stats.agreement.percent_agreement import percent_agreement, within_one_agreement
from app.stats.arrays import Floats, Ints
from app.stats.clusters import ends_within, t_quantile
from app.stats.jackknife import PAIR, ZERO, Spread, fisher_ends, no_pairs, no_spread, no_variation
from app.stats.ratings import Ratings
from app.stats.result import Inference, Interval, Method, Result

Categories = Literal["declared", "observed"]


def cohen_kappa(
    ratings: Ratings, *, weights: Weights = "none", categories: Categories = "declared", confidence: float = 0.95
) -> Result:
    """Return Cohen's kappa: agreement of two raters beyond chance, given how often each rater uses each value.

    `ratings` must contain at most two raters. Only units rated by both count; of repeated ratings the first counts.
    Weights are distances between the declared values, or with `categories="observed"` between the ranks of the values
    that these two raters gave, as in scikit-learn and many papers. Declared values that were never given do not matter.
    The standard error is the large-sample one (Fleiss, Cohen and Everitt 1969).
    Not for: slots filled by different people; very skewed values, for which kappa is low although agreement is high
    (report Gwet's AC1 too).

    Raises:
        ValueError: more than two raters.
    """
    return cohen_kappas(ratings, ((weights, categories),), confidence=confidence)[0]


def cohen_kappas(
    ratings: Ratings, wanted: Sequence[tuple[Weights, Categories]], *, confidence: float = 0.95
) -> list[Result]:
    """Return `cohen_kappa` with each of these weights and categories, from one table of the two raters' values.

    Raises:
        ValueError: more than two raters.
    """
    if len(ratings.rater_codes) > PAIR:
        raise ValueError("Cohen's kappa is of two raters; select a pair first")
    first, second = paired_values(ratings)
    sizes = ratings.sizes()
    sizes["n_pairable_units"] = len(first)
    if not len(first):
        return [no_pairs(ratings).with_counts(**sizes)] * len(wanted)
    used = np.union1d(first, second)
    if len(used) == 1:
        return [no_variation(ratings).with_counts(**sizes)] * len(wanted)
    table = np.zeros((len(used), len(used)))
    np.add.at(table, (np.searchsorted(used, first), np.searchsorted(used, second)), 1)
    found = []
    for weights, categories in wanted:
        places = used if categories == "declared" else np.arange(len(used), dtype=np.float64)
        kappa, spread = kappa_of_table(table, places, weights, confidence)
        found.append(Result(kappa, method=Method(words=_words(weights, categories)), **spread, **sizes))
    return found


def paired_values(ratings: Ratings) -> tuple[Floats, Floats]:
    """Return the values of the units that both raters rated, ordered by unit; two arrays of shape (n,)."""
    cell, first_at = np.unique(ratings.unit_row * PAIR + ratings.rater_row, return_index=True)
    columns = np.full((ratings.n_units, PAIR), np.nan)
    columns.ravel()[cell] = ratings.value[first_at]
    both = columns[np.isfinite(columns).all(axis=1)]
    return both[:, 0], both[:, 1]


def kappa_of_table(table: Floats, values: Floats, weights: Weights, confidence: float) -> tuple[float, Spread]:
    """Return kappa and its normal interval from counts of value pairs, shape (V, V), V at least 2."""
    kappa, variance = _kappa_and_variance(table, disagreement_weights(values, weights))
    if table.sum() < PAIR:
        return kappa, no_spread("one_cluster")
    if variance < ZERO:
        return kappa, no_spread("no_variation")
    se = float(np.sqrt(variance))
    reach = float(ndtri((1 + confidence) / 2)) * se
    interval = Interval(
        *ends_within(kappa, reach, -1.0, 1.0), Method("asymptotic_normal"), confidence, inference="items"
    )
    return kappa, {"standard_error": se, "df": None, "interval": interval, "interval_reason": None}


def _kappa_and_variance(table: Floats, weights: Floats) -> tuple[float, float]:
    """Return kappa and its large-sample variance, in the notation of Fleiss, Cohen and Everitt (1969), equation 13.

    With weights of 1 off the diagonal this is the unweighted kappa and its variance. Checked against statsmodels, which
    creates two normal distributions per table and takes a hundred times as long.
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


def _words(weights: Weights, categories: Categories) -> str:
    if weights == "none":
        return "no weights"
    return "observed categories" if categories == "observed" else "distances between declared values"


# Agreement of every pair of raters, computed together.


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters: number of units both rated, proportion of equal values, and kappa (None if undefined)."""

    first: int
    second: int
    n_units: int
    agreement: float
    kappa: float | None


def rater_pairs(ratings: Ratings, *, weights: Weights = "quadratic", fewest_units: int = 2) -> tuple[RaterPair, ...]:
    """Return the pairs of raters with at least `fewest_units` units in common, ordered by their codes.

    Kappa is that of `cohen_kappa`, which also gives intervals; here all pairs take only a few sparse products. It is
    None if both raters gave a single value. Each rater must have rated a unit at most once.
    """
    if not len(ratings.value):
        return ()
    n_raters, n_values = len(ratings.rater_codes), len(ratings.values)
    distance = disagreement_weights(ratings.values, weights) if n_values > 1 else np.zeros((1, 1))
    given = _given(ratings)
    # how often rater i gave value v to a unit to which rater j gave value w
    met = (given @ given.T).tocoo()
    (one, value), (other, beside) = (np.divmod(place.astype(np.int64), n_values) for place in met.coords)

    def summed(number: Floats) -> Floats:
        """Sum over both values, shape (R, R)."""
        sums: Floats = np.bincount(one * n_raters + other, number, n_raters**2).astype(np.float64, copy=False)
        return sums.reshape(n_raters, n_raters)

    n_common, same = summed(met.data), summed(met.data * (value == beside))
    seen = summed(met.data * distance[value, beside])
    # how often each rater gave each value on the units shared with each other rater, shape (V, R, R)
    cell = (value * n_raters + one) * n_raters + other
    shared = np.bincount(cell, met.data, n_values * n_raters**2).reshape(n_values, n_raters, n_raters)
    by_chance = np.einsum("vij,vij->ij", shared, np.tensordot(distance, shared.transpose(0, 2, 1), 1))
    pairs = zip(*np.nonzero(np.triu(n_common >= fewest_units, k=1)), strict=True)
    return tuple(_pair(ratings.rater_codes, pair, n_common, same, seen, by_chance) for pair in pairs)


def _given(ratings: Ratings) -> Any:  # noqa: ANN401 - scipy's sparse array types have no common name
    """Return a sparse indicator of rater and value by unit, shape (n_raters x n_values, n_units)."""
    row = ratings.rater_row * len(ratings.values) + ratings.value_column
    shape = (len(ratings.rater_codes) * len(ratings.values), ratings.n_units)
    return csr_array((np.ones(len(row)), (row, ratings.unit_row)), shape=shape)


def _pair(
    codes: Ints, pair: tuple[int, int], n_common: Floats, same: Floats, seen: Floats, by_chance: Floats
) -> RaterPair:
    n, chance = float(n_common[pair]), float(by_chance[pair])
    kappa = 1 - float(seen[pair]) * n / chance if chance > 0 else None
    return RaterPair(int(codes[pair[0]]), int(codes[pair[1]]), int(n), float(same[pair]) / n, kappa)


# Intra-rater agreement: agreement of raters with themselves on repeated units.


METHOD = Method("jackknife_raters")


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """Agreement of first and repeated ratings for one rater, or for all raters together if `rater` is None."""

    rater: int | None
    percent: Result
    within_one: Result
    kappa: Result


def intra_rater_agreement(
    first: Ratings, again: Ratings, *, weights: Weights = "quadratic", confidence: float = 0.95
) -> tuple[SelfAgreement, ...]:
    """Return self-agreement of all raters combined, then of each rater who repeated ratings.

    Agreement with others cannot be expected to exceed self-agreement. `first` and `again` use the same unit and rater
    codes; a rating and its repeat are matched by both. Kappa is Cohen's, with first and repeated ratings in place of
    the two raters. For all raters combined its interval is for new raters: delete-one jackknife over raters, Fisher's
    z, t.
    Not for: repeats so soon after the first rating that the rater remembers it.
    Source: Cohen (1968); the jackknife Efron and Tibshirani (1993), chapter 11.
    """
    occasions, rater = repeated_cells(first, again)
    whole = _of(None, occasions, weights, confidence)
    jackknifed = _over_raters(whole.kappa, occasions, rater, weights, confidence)
    each = [_of(int(code), occasions.select(rater == code), weights, confidence) for code in np.unique(rater)]
    return replace(whole, kappa=jackknifed), *each


def repeated_cells(first: Ratings, again: Ratings) -> tuple[Ratings, Ints]:
    """Return the ratings that have a repeat; their units are unit-rater pairs, their raters 0 (first) or 1 (repeat).

    The second array contains the rater of each of these ratings. Of several ratings or repeats the first counts.
    """
    n_raters = int(max(first.rater.max(initial=0), again.rater.max(initial=0))) + 1
    firsts, seconds = ((each.unit * n_raters + each.rater) for each in (first, again))
    cell, at_first, at_again = np.intersect1d(firsts, seconds, return_indices=True)
    n, value = len(cell), np.concatenate([first.value[at_first], again.value[at_again]])
    occasions = Ratings(np.tile(np.arange(n), 2), np.repeat([0, 1], n), value)
    return occasions, np.tile(cell % n_raters, 2)


def _of(rater: int | None, occasions: Ratings, weights: Weights, confidence: float) -> SelfAgreement:
    """For one rater, each repeated unit counts once; for all raters, repeats are treated as independent ratings."""
    inference: Inference = "items" if rater is not None else "ratings"
    return SelfAgreement(
        rater,
        percent_agreement(occasions, confidence=confidence).with_inference(inference),
        within_one_agreement(occasions, confidence=confidence).with_inference(inference),
        cohen_kappa(occasions, weights=weights, confidence=confidence).with_inference(inference),
    )


def _over_raters(kappa: Result, occasions: Ratings, rater: Ints, weights: Weights, confidence: float) -> Result:
    """Return `kappa` with the interval from the delete-one jackknife over raters."""
    codes = np.unique(rater)
    bare = replace(kappa, n_raters=len(codes), interval=None, standard_error=None)
    if kappa.estimate is None:
        return bare
    if len(codes) < PAIR:
        return replace(bare, interval_reason="one_cluster")
    without = [cohen_kappa(occasions.select(rater != code), weights=weights).estimate for code in codes]
    known = np.array([each for each in without if each is not None])
    n = len(codes)
    if len(known) < n:
        return replace(bare, interval_reason="no_variation")
    se = float(np.sqrt((n - 1) / n * ((known - known.mean()) ** 2).sum()))
    if se < ZERO:
        return replace(bare, interval_reason="no_variation")
    low, high = fisher_ends(kappa.estimate, t_quantile(n - 1, confidence) * se)
    return replace(
        bare,
        standard_error=se,
        df=float(n - 1),
        interval=Interval(low, high, METHOD, confidence, inference="raters"),
        interval_reason=None,
    )
