"""Intraclass correlations: the share of the variance of ratings, or of their means, that the units make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from scipy.special import fdtri

from app.stats.core.jackknife import PAIR, ZERO, no_variation, nothing_to_compare
from app.stats.core.result import Interval, Result, undefined
from app.stats.reliability.mean_squares import MeanSquares, crossed, one_way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.stats.core.ratings import Ratings
    from app.stats.core.result import Inference

Form = Literal["1_1", "1_k", "a_1", "a_k", "c_1", "c_k"]


def icc(ratings: Ratings, *, form: Form, confidence: float = 0.95) -> Result:
    """What share of the variance of one rating (or of the mean of k) is that of the units?

    `a`: absolute agreement, severity of raters counts as error. `c`: consistency, it does not. `1`: nothing is known
    of who rated (slots filled by different people). `1` or `k` after it: of one rating, or of the mean of as many as
    a unit has (harmonic mean). McGraw and Wong (1996) write ICC(1), ICC(A,1), ICC(C,k), Shrout and Fleiss (1979)
    ICC(1,1), ICC(2,1), ICC(3,k). Few agreeing raters can still give reliable means: read both.
    Not for nominal values. `c` is for designs in which the same raters rate all units.
    Complete data: sums of squares, exact F or Satterthwaite intervals. Else REML components, with the same intervals
    on the mean squares that such components would have in complete data.
    """
    return icc_forms(ratings, (form,), confidence=confidence)[form]


def icc_forms(ratings: Ratings, forms: Sequence[Form], *, confidence: float = 0.95) -> dict[Form, Result]:
    """Several forms of `icc` at the cost of one: the variance components of crossed raters are found once."""
    missing = nothing_to_compare(ratings) or _too_little(ratings)
    if missing:
        return dict.fromkeys(forms, missing)
    is_crossed = any(not form.startswith("1") for form in forms)
    by_unit, by_both = one_way(ratings), crossed(ratings) if is_crossed else None
    return {form: _of(ratings, by_unit if form.startswith("1") else by_both, form, confidence) for form in forms}


def _of(ratings: Ratings, squares: MeanSquares | None, form: Form, confidence: float) -> Result:
    if squares is None:
        note = (
            "raters and residual variance cannot be separated: one rater, or own units for each (see the one-way forms)"
        )
        return undefined("singular", note, **ratings.sizes())
    agreement = form.startswith("a")
    single = squares.single(agreement=agreement)
    k = squares.k if form.endswith("k") else 1.0
    estimate = _of_mean(single, k)
    if single is None or estimate is None:
        return undefined("no_variation", "the means of the units do not vary", **ratings.sizes())
    low, high = (_of_mean(end, k) for end in _ends(squares, single, agreement=agreement, confidence=confidence))
    interval = None
    if low is not None and high is not None:
        # Consistency cancels what raters have of their own; the other forms draw raters anew with the units.
        inference: Inference = "items" if form.startswith("c") else "items_and_raters"
        interval = Interval(low, high, "f_distribution", confidence, inference=inference)
    return Result(
        estimate,
        method=f"{squares.method}, k = {squares.k:.4g}",
        interval=interval,
        interval_reason=None if interval else "no_variation",
        p_value=squares.p_value,
        **ratings.sizes(),
    )


def _too_little(ratings: Ratings) -> Result | None:
    if ratings.n_units < PAIR:
        return undefined("one_cluster", "with one unit, there is no variance between units", **ratings.sizes())
    return no_variation(ratings) if len(ratings.values) == 1 else None


def _of_mean(single: float | None, k: float) -> float | None:
    """Spearman and Brown: from one rating to the mean of k; None where such a mean would have no variance."""
    if single is None or 1 + (k - 1) * single < ZERO:
        return None
    return k * single / (1 + (k - 1) * single)


def _ends(
    squares: MeanSquares, single: float, *, agreement: bool, confidence: float
) -> tuple[float | None, float | None]:
    """McGraw and Wong (1996), table 7; for agreement with Satterthwaite's degrees of freedom."""
    if squares.rest < ZERO:
        return None, None
    df = squares.df_units, squares.satterthwaite(single) if agreement else squares.df_rest
    up, down = float(fdtri(*df, (1 + confidence) / 2)), 1 / float(fdtri(*df, (1 - confidence) / 2))
    error = squares.error(agreement=agreement)
    low = (squares.units - up * squares.rest) / (squares.units + up * error)
    high = (down * squares.units - squares.rest) / (down * squares.units + error)
    return low, high
