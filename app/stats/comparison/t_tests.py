"""Classical tests on means, as published in the field: t, min F', equivalence and non-inferiority.

Items are their only source of variation: with few raters, their intervals are too narrow to hold for new raters.
`value`, `is_treated`, `item`, `rater` have shape (n,), one entry per rating; rows with nan are dropped.
"""

from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np
from scipy import special

from app.stats.arms import Arms, Side, missing_side
from app.stats.arrays import Bools, Floats, Labels, codes, present, spread
from app.stats.clusters import combined_df, t_p_value, t_quantile, without_interval
from app.stats.linear.cluster_robust import cluster_variance
from app.stats.linear.regression import LeastSquares, least_squares
from app.stats.result import Interval, Method, Result, undefined

# Min F', the test of two groups of responders who answer the same items, for new items and new responders.


METHOD = Method("min_f_t")


def mean_difference_responders(
    value: Floats, is_treated: Bools, *, item: Labels, responder: Labels, level: float = 0.95
) -> Result:
    """Return the mean rating of the source minus that of the reference, for new items and new responders.

    V = V_item + V_responder, each CR2, with Satterthwaite's degrees of freedom of the sum. In a balanced design,
    V_responder is that of the t test on responders' means, V_item that of the paired t test on item means, and the
    square of the estimate over its error is min F' = F1 F2 / (F1 + F2) (Clark 1973). Raters are no source of variance
    of their own. `n_units` counts responders.

    Args:
        value: ratings, shape (n,); nan is dropped.
        is_treated: whether the responder belongs to the source, shape (n,).
        item: labels, shape (n,).
        responder: labels, shape (n,); the same label in both groups counts as two responders.
        level: confidence level.
    """
    number, (treated, items, responders) = present(value, is_treated, item, responder)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return replace(problem, method=METHOD)
    item_code, n_items = codes(items)
    responder_code, n_responders = codes(2 * codes(responders)[0] + treated)
    # both sources have ratings, so the columns are independent
    fit = cast("LeastSquares", least_squares(number, np.column_stack([np.ones(len(number)), treated])))
    contrast = np.array([0.0, 1.0])
    bare = Result(fit.estimate(contrast), METHOD)
    bare = bare.with_counts(n_items=n_items, n_units=n_responders, n_ratings=len(number))
    by_item, by_responder = (cluster_variance(fit, code, contrast) for code in (item_code, responder_code))
    if by_item.has_lone_cluster or by_responder.has_lone_cluster:
        return without_interval(bare, "one_cluster", "One side of the contrast has only one item or one responder.")
    whole = by_item.variance + by_responder.variance
    if fit.is_perfect or whole <= _ROUNDING**2:
        note = "There is no variation between items or responders, so no interval."
        return without_interval(bare, "no_variation", note)
    df = combined_df(by_responder.variance / whole, by_responder.df, by_item.df)
    error = whole**0.5 * fit.scale
    reach, estimate = t_quantile(df, level) * error, fit.estimate(contrast)
    return replace(
        bare,
        interval=Interval(estimate - reach, estimate + reach, METHOD, level, inference="items_and_responders"),
        standard_error=error,
        df=df,
        p_value=t_p_value(estimate / error, df),
    ).warned(Side(responder_code, n_responders, Arms.of_two(treated)).warning("responders"))


# Equivalence and non-inferiority of two sources, with a margin declared in advance.


Limit = Literal["low", "high"]
_WORSE: dict[Limit, str] = {"low": "worse", "high": "worse (higher)"}


def equivalence(difference: Result, margin: float, *, alpha: float = 0.05) -> Result:
    """Run two one-sided t tests (Schuirmann 1987): equivalent if the 1 - 2 alpha interval lies within +-margin.

    Args:
        difference: difference of two means, with standard error and df, such as from `mean_difference`.
        margin: largest difference that is considered irrelevant, above 0, in scale points.
        alpha: level of each of the two tests.

    Returns:
        The difference with its 1 - 2 alpha interval; p is the larger of the two one-sided p-values. Without a standard
        error there is no test, and the reason for the missing interval is kept.

    Raises:
        ValueError: the margin is not above 0.
    """
    return _against(difference, margin, alpha, "low", "high")


def non_inferiority(difference: Result, margin: float, *, is_lower_better: bool = False, alpha: float = 0.05) -> Result:
    """Run a one-sided t test that the source is not worse than its reference by `margin` or more; as `equivalence`.

    Non-inferior if the lower limit of the 1 - 2 alpha interval is above -margin. With `is_lower_better`, high
    values are undesirable, and the upper limit must be below the margin.
    """
    return _against(difference, margin, alpha, "high" if is_lower_better else "low")


def _against(difference: Result, margin: float, alpha: float, *sides: Limit) -> Result:
    """Test that the difference is above -margin (`low`), below the margin (`high`), or both."""
    if not margin > 0:
        raise ValueError("a margin is above 0")
    estimate, error, df, interval = difference.estimate, difference.standard_error, difference.df, difference.interval
    if estimate is None or error is None or df is None or interval is None:
        return replace(difference, p_value=None)
    beyond = {"low": -(estimate + margin), "high": estimate - margin}
    p_value = max(float(special.stdtr(df, beyond[side] / error)) for side in sides)
    reach = t_quantile(df, 1 - 2 * alpha) * error
    kind = f"equivalence within {margin:g}" if len(sides) > 1 else f"not {_WORSE[sides[0]]} by {margin:g}"
    return replace(
        difference,
        method=interval.method.with_words(f": {kind}"),
        interval=replace(interval, low=estimate - reach, high=estimate + reach, level=1 - 2 * alpha),
        p_value=p_value,
    )


# Item means of a source and of its reference: the unit of analysis of the field's classical tests.


@dataclass(frozen=True, slots=True)
class ItemMeans:
    """Mean rating of the source and of the reference per item, in order of first appearance; nan if not rated."""

    mine: Floats
    theirs: Floats
    n_raters: int
    n_ratings: int

    @property
    def scale(self) -> float:
        """Absolute value of the largest item mean, as the scale for rounding errors."""
        return float(np.nanmax(np.abs([self.mine, self.theirs])))

    def counts(self, n_units: int) -> dict[str, int | None]:
        return {
            "n_items": len(self.mine),
            "n_units": n_units,
            "n_raters": self.n_raters,
            "n_ratings": self.n_ratings,
        }


def means_by_item(value: Floats, item: Labels) -> Floats:
    """Return the mean rating per item in order of first appearance. `value` must not contain nan."""
    number, n = codes(item)
    return np.bincount(number, value, n) / np.bincount(number, minlength=n)


def item_means(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels) -> ItemMeans:
    """Return the item means of both sources. All arguments have shape (n,), one entry per rating; nan is dropped."""
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    code, n_items = codes(items)
    both = [_means(number[side], code[side], n_items) for side in (treated, ~treated)]
    return ItemMeans(both[0], both[1], codes(raters)[1], len(number))


def _means(value: Floats, code: Labels, n: int) -> Floats:
    count = np.bincount(code, minlength=n)
    total = np.bincount(code, value, n)
    mean: Floats = np.divide(total, count, out=np.full(n, np.nan), where=count > 0)
    return mean


_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class _TTest:
    """Components of a t test on item means."""

    difference: float
    standard_error: float
    df: float
    method: Method
    counts: dict[str, int | None]
    scale: float
    only_one: str = ""
    """Why the difference has no standard error: a sentence; empty if it has one."""

    @property
    def is_constant(self) -> bool:
        return self.standard_error <= _ROUNDING * max(self.scale, abs(self.difference))


def _paired(means: ItemMeans) -> _TTest | Result:
    method = Method("t_paired", ": item means")
    gap = means.mine - means.theirs
    gap = gap[np.isfinite(gap)]
    n = len(gap)
    if n == 0:
        return undefined("no_pairable_units", "No item was rated in both sources.", method=method, **means.counts(0))
    if n == 1:
        alone = "Only one item was rated in both sources."
        return _TTest(float(gap[0]), np.nan, 0.0, method, means.counts(1), means.scale, alone)
    return _TTest(float(gap.mean()), spread(gap) / n**0.5, float(n - 1), method, means.counts(n), means.scale)


def _unpaired(means: ItemMeans) -> _TTest | Result:
    method = Method("t_unpaired", ": item means, pooled variance")
    mine, theirs = (side[np.isfinite(side)] for side in (means.mine, means.theirs))
    n, m = len(mine), len(theirs)
    counts = means.counts(n + m)
    if min(n, m) == 0:
        return undefined("no_pairable_units", "One of the two sources has no ratings.", method=method, **counts)
    difference = float(mine.mean() - theirs.mean())
    if min(n, m) == 1:
        alone = "One of the two sources was rated on one item only."
        return _TTest(difference, np.nan, 0.0, method, counts, means.scale, alone)
    within = np.concatenate([mine - mine.mean(), theirs - theirs.mean()])
    # `spread` divides by n + m - 1; the two estimated means leave n + m - 2 degrees of freedom
    pooled = spread(within) * ((n + m - 1) / (n + m - 2)) ** 0.5
    return _TTest(difference, pooled * (1 / n + 1 / m) ** 0.5, float(n + m - 2), method, counts, means.scale)


def _t(test: _TTest | Result) -> Result:
    if isinstance(test, Result):
        return test
    if test.only_one:
        return undefined("one_cluster", test.only_one, method=test.method, **test.counts)
    if test.is_constant:
        return undefined("no_variation", "The item means do not vary.", method=test.method, **test.counts)
    t = test.difference / test.standard_error
    return Result(t, test.method, df=test.df, p_value=t_p_value(t, test.df)).with_counts(**test.counts)


def t_paired(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels) -> Result:
    """Return the paired t statistic of item means, source minus reference, over shared items. Unit: item_mean."""
    return _t(_paired(item_means(value, is_treated, item=item, rater=rater)))


def t_unpaired(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels) -> Result:
    """Return Student's unpaired t of item means (pooled variance), as in Ayers et al. 2023. Unit: item_mean.

    The two means of one item are treated as unrelated: where items are shared, prefer the paired test.
    """
    return _t(_unpaired(item_means(value, is_treated, item=item, rater=rater)))


def item_mean_difference(
    value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, is_paired: bool, level: float = 0.95
) -> Result:
    """Return the mean difference of item means with the interval of `t_paired` or `t_unpaired`. Unit: item_mean."""
    means = item_means(value, is_treated, item=item, rater=rater)
    test = _paired(means) if is_paired else _unpaired(means)
    if isinstance(test, Result):
        return test
    if test.only_one:
        bare = Result(test.difference, test.method, interval_reason="one_cluster", note=test.only_one)
        return bare.with_counts(**test.counts)
    if test.is_constant:
        bare = Result(test.difference, test.method, interval_reason="no_variation", note="The item means do not vary.")
        return bare.with_counts(**test.counts)
    reach = t_quantile(test.df, level) * test.standard_error
    method = Method(test.method.procedure)
    interval = Interval(test.difference - reach, test.difference + reach, method, level, inference="items")
    return replace(_t(test), estimate=test.difference, interval=interval, standard_error=test.standard_error)
