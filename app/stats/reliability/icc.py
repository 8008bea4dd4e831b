"""Intraclass correlations: the proportion of the variance of ratings, or of their means, that is between units."""

from collections.abc import Sequence
from typing import Literal

from scipy.special import fdtri

from app.stats.jackknife import PAIR, ZERO, no_variation, nothing_to_compare
from app.stats.ratings import Ratings
from app.stats.reliability.components import MeanSquares, crossed, one_way
from app.stats.result import Inference, Interval, Method, Result, undefined

Form = Literal["1_1", "1_k", "a_1", "a_k", "c_1", "c_k"]
# forms for raters who are not identified, for absolute agreement and for consistency; those for the mean of k ratings
ONE_WAY: frozenset[Form] = frozenset({"1_1", "1_k"})
AGREEMENT: frozenset[Form] = frozenset({"a_1", "a_k"})
CONSISTENCY: frozenset[Form] = frozenset({"c_1", "c_k"})
OF_MEAN: frozenset[Form] = frozenset({"1_k", "a_k", "c_k"})
NEGATIVE = (
    "Ratings of the same unit differ at least as much as ratings of different units, so the mean has no reliability: a "
    "value below 0 counts as 0, and its size has no meaning."
)
# a mean square this small relative to the largest is 0 but for rounding, or at the end of what REML searches
_RATIO = 1e-8
_EXACT = "Either the means of the units or the ratings of a unit do not vary, so no interval."


def icc(ratings: Ratings, *, form: Form, confidence: float = 0.95) -> Result:
    """Return the proportion of the variance of one rating (or of the mean of k) that is between units.

    First part of `form`: `a` is absolute agreement, where severity of raters counts as error; `c` is consistency, where
    it does not; `1` is for unidentified raters. Second part: `1` for one rating, `k` for the mean of as many as a unit
    has (harmonic mean). The latter has no lower bound; below 0, its size has no meaning, as a proportion of variance
    cannot be negative. McGraw and Wong (1996) write ICC(1), ICC(A,1), ICC(C,k), Shrout and Fleiss (1979) ICC(1,1),
    ICC(2,1), ICC(3,k). Means can be reliable even if few raters agree: report both.
    Not for nominal values. `c` is for designs in which the same raters rate all units.
    Complete data: sums of squares, exact F or Satterthwaite intervals. Otherwise REML components, with the same
    intervals for the mean squares that such components would have in complete data.
    """
    return icc_forms(ratings, (form,), confidence=confidence)[form]


def icc_forms(ratings: Ratings, forms: Sequence[Form], *, confidence: float = 0.95) -> dict[Form, Result]:
    """Return several forms of `icc` at the cost of one: variance components of crossed raters are estimated once."""
    missing = nothing_to_compare(ratings) or _too_little(ratings)
    if missing:
        return dict.fromkeys(forms, missing)
    by_unit = one_way(ratings) if ONE_WAY.intersection(forms) else None
    by_both = crossed(ratings) if set(forms) - ONE_WAY else None
    return {form: _of(ratings, by_unit if form in ONE_WAY else by_both, form, confidence) for form in forms}


def _of(ratings: Ratings, squares: MeanSquares | None, form: Form, confidence: float) -> Result:
    if squares is None:
        note = (
            "raters and residual variance cannot be separated: one rater, or own units for each (see the one-way forms)"
        )
        return undefined("singular", note, **ratings.sizes())
    agreement = form in AGREEMENT
    single = squares.single(agreement=agreement)
    k = squares.k if form in OF_MEAN else 1.0
    estimate = _of_mean(single, k)
    if single is None or estimate is None:
        return undefined("no_variation", "the means of the units do not vary", **ratings.sizes())
    low, high = (_of_mean(end, k) for end in _ends(squares, single, agreement=agreement, confidence=confidence))
    interval = None
    if low is not None and high is not None:
        # Consistency cancels raters' main effects; the other forms generalize to new raters as well as new units.
        inference: Inference = "items" if form in CONSISTENCY else "items_and_raters"
        interval = Interval(low, high, Method("f_distribution"), confidence, inference=inference)
    return Result(
        estimate,
        method=Method(words=f"{squares.method}, k = {squares.k:.4g}"),
        interval=interval,
        interval_reason=None if interval else "no_variation",
        p_value=squares.p_value,
        note=_note(form, estimate, interval),
        **ratings.sizes(),
    )


def _note(form: Form, estimate: float, interval: Interval | None) -> str:
    sentences = [NEGATIVE] if form in OF_MEAN and estimate < 0 else []
    return " ".join(sentences if interval else [*sentences, _EXACT])


def _too_little(ratings: Ratings) -> Result | None:
    if ratings.n_units < PAIR:
        return undefined("one_cluster", "with one unit, there is no variance between units", **ratings.sizes())
    return no_variation(ratings) if len(ratings.values) == 1 else None


def _of_mean(single: float | None, k: float) -> float | None:
    """Apply the Spearman-Brown formula from one rating to the mean of k; None if such a mean has no variance."""
    if single is None or 1 + (k - 1) * single < ZERO:
        return None
    return k * single / (1 + (k - 1) * single)


def _ends(
    squares: MeanSquares, single: float, *, agreement: bool, confidence: float
) -> tuple[float | None, float | None]:
    """Return the limits by McGraw and Wong (1996), table 7; for agreement with Satterthwaite degrees of freedom."""
    smallest = max(_RATIO * max(squares.units, squares.raters, squares.rest), ZERO)
    if min(squares.rest, squares.units) < smallest:
        return None, None
    df = squares.df_units, squares.satterthwaite(single) if agreement else squares.df_rest
    up, down = float(fdtri(*df, (1 + confidence) / 2)), 1 / float(fdtri(*df, (1 - confidence) / 2))
    error = squares.error(agreement=agreement)
    low = (squares.units - up * squares.rest) / (squares.units + up * error)
    high = (down * squares.units - squares.rest) / (down * squares.units + error)
    return low, high
