"""Classical t tests on item means, as published in the field.

Items are their only source of variation: with few raters, their intervals are too narrow to hold for new raters.
`value`, `is_treated`, `item`, `rater` have shape (n,), one entry per rating; rows with nan are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.stats.arrays import Bools, Floats, Labels, codes, present, spread
from app.stats.clusters import t_p_value, t_quantile
from app.stats.result import Interval, Method, Result, undefined

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
