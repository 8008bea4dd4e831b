"""Does a rater agree with themselves when a unit comes again?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.stats.agreement.cohen import cohen_kappa
from app.stats.agreement.percent_agreement import percent_agreement, within_one_agreement
from app.stats.core.clusters import t_quantile
from app.stats.core.jackknife import PAIR, ZERO, fisher_ends
from app.stats.core.ratings import Ratings
from app.stats.core.result import Interval, Result

if TYPE_CHECKING:
    from app.stats.agreement.weights import Weights
    from app.stats.core.arrays import Ints
    from app.stats.core.result import Inference

METHOD = "jackknife_raters"


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """Agreement of first and repeated ratings, of one rater or, where `rater` is None, of all together."""

    rater: int | None
    percent: Result
    within_one: Result
    kappa: Result


def intra_rater_agreement(
    first: Ratings, again: Ratings, *, weights: Weights = "quadratic", confidence: float = 0.95
) -> tuple[SelfAgreement, ...]:
    """All raters combined, then each rater who repeated something: the ceiling of what raters can agree with others.

    `first` and `again` have the same codes of units and raters; a rating and its repeat are joined by both. Kappa is
    Cohen's with first and again in the place of the two raters. Where all raters are taken together its interval is
    for new raters: delete-one jackknife over raters, Fisher's z, t.
    Not for: repeats that came so soon that the rater remembers.
    Source: Cohen (1968); the jackknife Efron and Tibshirani (1993), chapter 11.
    """
    occasions, rater = repeated_cells(first, again)
    whole = _of(None, occasions, weights, confidence)
    jackknifed = _over_raters(whole.kappa, occasions, rater, weights, confidence)
    each = [_of(int(code), occasions.select(rater == code), weights, confidence) for code in np.unique(rater)]
    return replace(whole, kappa=jackknifed), *each


def repeated_cells(first: Ratings, again: Ratings) -> tuple[Ratings, Ints]:
    """The ratings that have a repeat, with the unit and rater as the unit and 0 or 1 (again) as the rater.

    The second array, of the length of these ratings, is the rater. Of several ratings or repeats the first counts.
    """
    n_raters = int(max(first.rater.max(initial=0), again.rater.max(initial=0))) + 1
    firsts, seconds = ((each.unit * n_raters + each.rater) for each in (first, again))
    cell, at_first, at_again = np.intersect1d(firsts, seconds, return_indices=True)
    n, value = len(cell), np.concatenate([first.value[at_first], again.value[at_again]])
    occasions = Ratings(np.tile(np.arange(n), 2), np.repeat([0, 1], n), value)
    return occasions, np.tile(cell % n_raters, 2)


def _of(rater: int | None, occasions: Ratings, weights: Weights, confidence: float) -> SelfAgreement:
    """Of one rater each repeated unit counts once; of all together each repeat of each rater counts as independent."""
    inference: Inference = "items" if rater is not None else "ratings"
    return SelfAgreement(
        rater,
        percent_agreement(occasions, confidence=confidence).with_inference(inference),
        within_one_agreement(occasions, confidence=confidence).with_inference(inference),
        cohen_kappa(occasions, weights=weights, confidence=confidence).with_inference(inference),
    )


def _over_raters(kappa: Result, occasions: Ratings, rater: Ints, weights: Weights, confidence: float) -> Result:
    """`kappa` with the interval of leaving out each rater in turn."""
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
