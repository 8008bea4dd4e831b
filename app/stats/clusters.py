"""Confidence intervals for new items and new raters: the two-way (item x rater) cluster t interval.

Each rating has an *influence* on the estimate. Ratings of the same item are correlated, and so are ratings by the same
rater. Cameron, Gelbach and Miller (2011, J. Bus. Econ. Stat. 29:238) add the variance between items to the variance
between raters and subtract the variance between item x rater cells, which both contain.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from weakref import ref

import numpy as np
from scipy import special

from app.stats.arms import Arms, Side
from app.stats.arrays import Floats, Ints, Labels, codes
from app.stats.result import Interval, Method, Reason, Result

METHOD = Method("two_way_cluster_t")
_ROUNDING = 1e-12
BY_ITEM = Method("item_cluster_t")
BY_UNIT = Method("cluster_t_units")
# with so few raters, an interval for new raters is too wide to be useful
FEW_RATERS = 3
_UPPER = 0.75
_FEW = "With only {n} raters, an interval for new raters is very wide."

# the most recent arrays (weak references) with their clusters
_MAX_KNOWN = 6
_known: list[tuple[ref[Labels], ref[Labels], Clusters]] = []


@dataclass(frozen=True, slots=True)
class Clusters:
    """Items, raters and item x rater cells of n ratings as codes from 0, and the number of each."""

    item: Ints
    rater: Ints
    cell: Ints
    n_items: int
    n_raters: int
    n_cells: int

    @property
    def df(self) -> int:
        return min(self.n_items, self.n_raters) - 1


def clusters(item: Labels, rater: Labels) -> Clusters:
    """Return the clusters of ratings; `item` and `rater` are labels, shape (n,), and must not be modified afterwards.

    The most recent results are cached, because a report needs the clusters of the same two arrays many times in a row.
    """
    for known_item, known_rater, known in _known:
        if known_item() is item and known_rater() is rater:
            return known
    found = _clusters(item, rater)
    # clusters of a million ratings take 24 MB, so those of arrays that no longer exist are dropped
    alive = [known for known in _known if known[0]() is not None and known[1]() is not None]
    _known[:] = [(ref(item), ref(rater), found), *alive][:_MAX_KNOWN]
    return found


def _clusters(item: Labels, rater: Labels) -> Clusters:
    items, n_items = codes(item)
    raters, n_raters = codes(rater)
    cells, n_cells = codes(items * max(n_raters, 1) + raters)
    return Clusters(items, raters, cells, n_items, n_raters, n_cells)


def cluster_variance(influence: Floats, code: Ints, n: int) -> float:
    """Return the sum of squared cluster totals of the influence values, times n / (n - 1) for n clusters.

    For the mean of clusters of equal size this is the variance of the t test on the cluster means. Needs n >= 2.
    """
    totals = np.bincount(code, influence, n)
    return float(totals @ totals) * n / (n - 1)


@dataclass(frozen=True, slots=True)
class TwoWay:
    """Standard error for new items and raters, its degrees of freedom (0: none) and a warning of few of them."""

    standard_error: float
    df: float
    warning: str = ""


def two_way(influence: Floats, groups: Clusters, arms: Arms | None = None) -> TwoWay:
    """Return the two-way standard error with min(items, raters) - 1 degrees of freedom.

    It is the root of V_item + V_rater - V_cell, or of the larger of V_item and V_rater if that is greater.

    Args:
        influence: shape (n,), sums to zero; derivative of the estimate with respect to the weight of each rating.
        groups: clusters of the same n ratings, with at least two items and two raters.
        arms: arms of a contrast. If most raters (or items) are in one arm only, their variance is CR2 and their degrees
            of freedom are those of the smaller arm; see `arms`. Those of versions of items are of items and raters
            together. Raters who all have one item each, such as two who wrote with each other, are parts of their item:
            the degrees of freedom are those of the items.
    """
    largest = float(np.abs(influence).max(initial=0.0)) or 1.0
    # scale to at most 1, so that values of any size can be squared
    moves = influence / largest
    items, raters = _side(groups.item, groups.n_items, arms), _side(groups.rater, groups.n_raters, arms)
    by_item = _variance(moves, groups.item, groups.n_items, items)
    by_rater = _variance(moves, groups.rater, groups.n_raters, raters)
    by_cell = _variance(moves, groups.cell, groups.n_cells, _side(groups.cell, groups.n_cells, arms))
    both = by_item + by_rater - by_cell
    whole = max(both, by_item, by_rater)
    error = float(whole**0.5) * largest
    is_plain = items is None and raters is None and not (arms and arms.are_versions)
    if is_plain or whole == 0:
        return TwoWay(error, float(groups.df))
    is_nested = items is not None and groups.n_cells == groups.n_raters
    df_rater, df_item = _df(groups.n_raters, raters), _df(groups.n_items, items)
    if is_nested:
        df = combined_df(0.0, df_rater, df_item)
    else:
        df = two_way_df(both, (by_item, df_item), (by_rater, df_rater))
    warnings = (side.warning(what) for side, what in ((raters, "raters"), (items, "items")) if side is not None)
    return TwoWay(error, df, next(filter(None, warnings), ""))


def combined_df(share: float, df_rater: float, df_item: float) -> float:
    """Return Satterthwaite's degrees of freedom of a variance of which raters make up `share` and items the rest.

    With share p: 1 / (p^2 / df_rater + (1 - p)^2 / df_item) (Satterthwaite 1946, Biometrics Bull. 2:110). 0 if either
    has none.

    >>> combined_df(1.0, 3.0, 29.0), combined_df(0.5, 4.0, 4.0), combined_df(0.5, 0.0, 4.0)
    (3.0, 8.0, 0.0)
    """
    return satterthwaite((share, df_rater), (1 - share, df_item)) if min(df_rater, df_item) > 0 else 0.0


def satterthwaite(*parts: tuple[float, float]) -> float:
    """Return the degrees of freedom of a sum of independent variances, each with its own, above 0.

    >>> satterthwaite((2.0, 3.0), (1.0, 3.0)), satterthwaite((1.0, 4.0))
    (5.4, 4.0)
    """
    return sum(variance for variance, _ in parts) ** 2 / sum(variance**2 / df for variance, df in parts)


def two_way_df(both: float, by_item: tuple[float, float], by_rater: tuple[float, float]) -> float:
    """Return the degrees of freedom of V, the largest of `both` = V_item + V_rater - V_cell, V_item and V_rater.

    V_item and V_rater come with their own; 0 if either has none. V is V_rater and the rest items. But if V is more than
    `both`, and not by rounding only, it is the larger of V_item and V_rater: see `larger_df`. Not with fewer than
    three, as in `crossed_df`.

    >>> two_way_df(3.0, (2.0, 29), (3.0, 3)), round(two_way_df(2.9, (2.0, 29), (3.0, 3)), 1)
    (3.0, 5.1)
    >>> two_way_df(2.9, (2.0, 29), (3.0, 2)), two_way_df(1.0, (1.0, 29), (0.0, 0))
    (2.0, 0.0)
    """
    (item, df_item), (rater, df_rater) = by_item, by_rater
    whole = max(both, item, rater)
    if whole - both > _ROUNDING * whole and min(df_item, df_rater) >= FEW_RATERS:
        return larger_df(by_item, by_rater)
    return combined_df(rater / whole, df_rater, df_item)


def larger_df(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return the degrees of freedom of the larger of two independent variances, each with its own, above 0.

    2 E(V)^2 / Var(V), as Satterthwaite (1946) has it for their sum. Of V1 = v1 chi-square / df1 and V2, E(V^k) is the
    sum of E(V1^k) P(V1' > V2), where chi-square has 2 k more degrees of freedom in V1', and of the same of V2.

    >>> [round(larger_df((1.0, 3.0), second), 1) for second in ((0.0, 29.0), (1.0, 3.0), (1.0, 29.0))]
    [3.0, 5.3, 8.7]
    """
    (v1, df1), (v2, df2) = first, second
    bound = v1 * df2 / (v1 * df2 + v2 * df1)

    def moment(k: int) -> float:
        beyond = special.betainc(df2 / 2, df1 / 2 + k, bound), special.betainc(df1 / 2, df2 / 2 + k, 1 - bound)
        raw = ((v**k * (1 + 2 * (k - 1) / df)) for v, df in (first, second))
        return float(sum(one * share for one, share in zip(raw, beyond, strict=True)))

    return 2 * moment(1) ** 2 / (moment(2) - moment(1) ** 2)


def crossed_df(by_item: tuple[float, float], by_rater: tuple[float, float], by_cell: tuple[float, float]) -> float:
    """Return Satterthwaite's degrees of freedom of V_item + V_rater - V_cell, the larger of the first two at least.

    Each variance comes with its own: V^2 / (V_item^2 / df_item + V_rater^2 / df_rater + V_cell^2 / df_cell), as in the
    quasi-F test of crossed random effects (Satterthwaite 1946; Clark 1973, J. Verbal Learn. Verbal Behav. 12:335).
    Never fewer than the smaller of both numbers of clusters, minus 1: more are right where raters hardly differ. Not
    with three clusters or fewer, whose variance is too uncertain (`benchmarks.prediction_powered`).

    >>> round(crossed_df((4.0, 20), (1.0, 5), (1.0, 100)), 1), crossed_df((0.0, 20), (1.0, 5), (0.0, 100))
    (15.8, 5.0)
    >>> crossed_df((4.0, 20), (1.0, 2), (1.0, 100))
    2.0
    """
    (item, df_item), (rater, df_rater) = by_item, by_rater
    whole = max(item + rater - by_cell[0], item, rater)
    spread = sum(variance**2 / df for variance, df in (by_item, by_rater, by_cell))
    fewest = float(min(df_item, df_rater))
    return max(whole**2 / spread, fewest) if spread > 0 and fewest >= FEW_RATERS else fewest


def upper_limit(variance: float, df: float) -> float:
    """Return the upper limit of the one-sided 75% interval of a variance: variance x df / the chi-square quantile.

    Where a variance decides about degrees of freedom, its limit is the safer value than its estimate. The level is our
    choice by the simulations of `benchmarks.few_experts`. The interval is that of a normal variance (Snedecor and
    Cochran 1989, Statistical Methods).

    >>> [round(upper_limit(1.0, df), 2) for df in (1, 2, 3, 20, 1e9)]
    [9.85, 3.48, 2.47, 1.29, 1.0]
    """
    return variance * df / float(special.chdtri(df, _UPPER))


def _df(n: int, side: Side | None) -> float:
    if side is None:
        return n - 1.0
    return 0.0 if side.is_thin else side.df


def _side(code: Ints, n: int, arms: Arms | None) -> Side | None:
    """Return the clusters as those of two arms; None if most of them are in both."""
    side = None if arms is None else Side(code, n, arms)
    return side if side is not None and side.is_between else None


def _variance(influence: Floats, code: Ints, n: int, side: Side | None) -> float:
    return cluster_variance(influence, code, n) if side is None else side.variance(influence)


def t_quantile(df: float, level: float) -> float:
    """Return the t value with (1 - level) / 2 of the distribution above it."""
    return float(special.stdtrit(df, 0.5 + level / 2))


def t_p_value(t: float, df: float) -> float:
    """Return the two-sided p-value of a t statistic."""
    return float(2 * special.stdtr(df, -abs(t)))


def has_few_raters(result: Result) -> bool:
    """Whether an interval for new raters is based on only two or three raters."""
    return result.interval is not None and 1 < (result.n_raters or 0) <= FEW_RATERS


def for_new_items(result: Result, what: str = "") -> Result:
    """Relabel a result in which items took the place of raters as clustered by item.

    Its interval generalizes to new items and treats the raters (if there are any) as fixed.
    """
    method = _by(BY_ITEM, result.method).with_words(f": {what}" if what else "")
    interval = result.interval and replace(result.interval, method=BY_ITEM, inference="items")
    return replace(result, method=method, interval=interval)


def for_new_raters(result: Result) -> Result:
    """Relabel a result about raters, in which they took the place of items too: its interval is for new raters."""
    interval = result.interval
    interval = interval and replace(interval, method=_by(BY_UNIT, interval.method), inference="raters")
    note = result.note.replace("items and raters needs two of each", "raters needs two of them")
    note = note.replace("items or raters", "raters")
    return replace(result, method=_by(BY_UNIT, result.method), interval=interval, note=note)


def _by(clusters: Method, method: Method) -> Method:
    """The method, if it is that of items and raters, with the name for one kind of clusters in both places."""
    return replace(method, procedure=clusters.procedure) if method.procedure == METHOD.procedure else method


def without_interval(result: Result, reason: Reason, note: str) -> Result:
    """Return the result with the reason why it has no interval."""
    return replace(result, interval_reason=reason, note=note, interval_warnings=())


def with_two_way_interval(
    estimate: float,
    influence: Floats,
    groups: Clusters,
    *,
    null: float | None = None,
    level: float = 0.95,
    is_share: bool = False,
    scale: float = 1.0,
    arms: Arms | None = None,
) -> Result:
    """Return the estimate with its two-way cluster t interval, df = min(items, raters) - 1.

    Args:
        estimate: the estimate.
        influence: influence of each rating on the estimate, shape (n,).
        groups: clusters of the same n ratings.
        null: value that the p-value tests against; None for no test.
        level: confidence level.
        is_share: whether to compute the interval (and the test) on the logit scale, so that it stays between 0 and 1.
        scale: size of the values; a standard error below the rounding error of this size is treated as zero.
        arms: arms of a contrast, which may have fewer degrees of freedom; see `two_way`.

    No interval for the reasons `one_cluster` (one item or one rater) and `no_variation`. Checked against R's
    sandwich::vcovCL(type = "HC0", cadjust = TRUE) by formula.
    """
    n = len(influence)
    bare = Result(estimate, METHOD, n_items=groups.n_items, n_raters=groups.n_raters, n_units=n, n_ratings=n)
    if groups.df < 1:
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs two of each.")
    spread = two_way(influence, groups, arms)
    if spread.standard_error <= _ROUNDING * scale:
        return without_interval(bare, "no_variation", "There is no variation between items or raters, so no interval.")
    if spread.df == 0:
        return without_interval(bare, "one_cluster", "One side of the contrast has only one item or one rater.")
    bare = bare.warned(spread.warning).warned(few_raters_warning(groups))
    return _with_t_interval(bare, estimate, spread, null, level, is_share=is_share)


def _with_t_interval(
    bare: Result, estimate: float, spread: TwoWay, null: float | None, level: float, *, is_share: bool
) -> Result:
    se, df = spread.standard_error, spread.df
    slope = 1 / (estimate * (1 - estimate)) if is_share else 1.0
    centre, error = _on_scale(estimate, is_share=is_share), se * slope
    reach = t_quantile(df, level) * error
    low, high = special.expit([centre - reach, centre + reach]) if is_share else (centre - reach, centre + reach)
    interval = Interval(float(low), float(high), METHOD, level, inference="items_and_raters")
    p_value = None if null is None else t_p_value((centre - _on_scale(null, is_share=is_share)) / error, df)
    return replace(bare, interval=interval, standard_error=se, df=float(df), p_value=p_value)


def _on_scale(value: float, *, is_share: bool) -> float:
    return float(special.logit(value)) if is_share else value


def few_raters_warning(groups: Clusters) -> str:
    """Return a warning of few raters, unless each item has its own: they are no separate source of variance."""
    is_of_raters = groups.n_cells > groups.n_items
    return _FEW.format(n=groups.n_raters) if is_of_raters and groups.n_raters <= FEW_RATERS else ""


# Confidence intervals of bounded quantities: scale means, their differences, proportions, coefficients.

CUT = "limits cut at the possible range"
ON_LOGIT_SCALE = "limits on the logit scale of the possible range"


def ends_within(estimate: float, reach: float, low: float, high: float) -> tuple[float, float]:
    """Return the limits `reach` either side of the estimate, on the logit scale of the range if one would leave it.

    The logit scale maps the range to the real line (from -1 to 1 it is Fisher's z), so that no limit leaves the range.
    An estimate at the end of the range has no logit: its interval is truncated there.

    >>> ends_within(0.5, 0.1, 0, 1)
    (0.4, 0.6)
    >>> [round(end, 3) for end in ends_within(0.95, 0.1, 0, 1)]
    [0.698, 0.994]
    """
    ends = (estimate - reach, estimate + reach)
    if low <= ends[0] and ends[1] <= high:
        return ends
    place = (estimate - low) / (high - low)
    if not 0 < place < 1:
        return max(ends[0], low), min(ends[1], high)
    centre, slope = float(special.logit(place)), 1 / (place * (1 - place) * (high - low))
    back = [low + (high - low) * float(special.expit(centre + side * reach * slope)) for side in (-1, 1)]
    return back[0], back[1]


def kept_within(result: Result, low: float, high: float) -> Result:
    """Return the result with an interval that does not leave the range from `low` to `high`; the method says how.

    The interval of a test is cut at the end of the range: the true value is never beyond it, so the coverage is the
    same, and the interval excludes the value that was tested exactly if p does. Other intervals are symmetric, and
    computed on the logit scale; see `ends_within`. An estimate outside the range (from values that the scale does not
    declare) is returned unchanged.
    """
    interval, estimate = result.interval, result.estimate
    if interval is None or estimate is None or not low <= estimate <= high:
        return result
    if low <= interval.low and interval.high <= high:
        return result
    if result.p_value is not None:
        ends, how = (max(interval.low, low), min(interval.high, high)), CUT
    else:
        ends, how = ends_within(estimate, (interval.high - interval.low) / 2, low, high), ON_LOGIT_SCALE
    method = (result.method or interval.method).with_words(f", {how}")
    return replace(result, method=method, interval=replace(interval, low=ends[0], high=ends[1]))
