"""Intra-rater agreement: agreement of raters with themselves on repeated units."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.stats.agreement.cohen import cohen_kappa
from app.stats.agreement.disagreement import Weights
from app.stats.agreement.percent_agreement import percent_agreement, within_one_agreement
from app.stats.arrays import Ints
from app.stats.clusters import t_quantile
from app.stats.jackknife import PAIR, ZERO, fisher_ends
from app.stats.ratings import Ratings
from app.stats.result import Inference, Interval, Method, Result

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
