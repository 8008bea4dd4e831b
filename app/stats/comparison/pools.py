"""Comparison of two groups of raters, for example experts against a crowd, or models against people.

Arguments: `value`, `is_first`, `unit`, `item`, `rater` shape (n,), one entry per rating; rows with nan are dropped.
`is_first` is the group, `unit` the response (or pair, or item); units that only one group rated are dropped.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.stats.arms import FEW, FEW_IN_POOL, Arms
from app.stats.arrays import Bools, Floats, Ints, Labels, codes, present, spread
from app.stats.clusters import (
    clusters,
    combined_df,
    satterthwaite,
    t_p_value,
    t_quantile,
    upper_limit,
    without_interval,
)
from app.stats.comparison.change import GROUPS
from app.stats.linear.cluster_robust import linear_contrast
from app.stats.result import Interval, Method, Result, undefined

NOTHING_SHARED = "No response was rated by both pools."


@dataclass(frozen=True, eq=False)
class SharedUnits:
    """The ratings of units that both pools rated, shape (n,), with unit codes 0..n_units-1."""

    value: Floats
    first: Bools
    unit: Ints
    n_units: int
    item: Labels
    rater: Labels

    @property
    def counts(self) -> dict[str, int | None]:
        return {
            "n_items": codes(self.item)[1],
            "n_units": self.n_units,
            "n_raters": codes(self.rater)[1],
            "n_ratings": len(self.value),
        }

    @property
    def place(self) -> Ints:
        """Code of unit and pool of each rating, 0..2 n_units - 1, odd for the first pool."""
        return 2 * self.unit + self.first


def shared_units(value: Floats, is_first: Bools, unit: Labels, item: Labels, rater: Labels) -> SharedUnits:
    """Drop missing ratings and the units that only one pool rated."""
    number, (first, units, items, raters) = present(value, is_first, unit, item, rater)
    first = first.astype(bool)
    code, n = codes(units)
    has_both = (np.bincount(code[first], minlength=n) > 0) & (np.bincount(code[~first], minlength=n) > 0)
    kept = has_both[code]
    kept_code, n_kept = codes(code[kept])
    return SharedUnits(number[kept], first[kept], kept_code, n_kept, items[kept], raters[kept])


def pool_difference(
    value: Floats, is_first: Bools, *, unit: Labels, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the mean rating by the first pool minus that by the second, averaged over responses. Unit: response.

    Least squares with weights by which each response, and each rater of it in a pool, counts once; CR2 errors by item
    and rater.
    """
    shared = shared_units(value, is_first, unit, item, rater)
    if not shared.n_units:
        return undefined("no_pairable_units", NOTHING_SHARED, n_units=0, n_ratings=0)
    return _difference(shared, shared.value, _weight(shared), level)


def _weight(shared: SharedUnits) -> Floats:
    """Return one over the ratings of the response by this rater, and over the raters of the response in this pool."""
    raters, n = codes(shared.rater)
    own, first = codes(shared.place * n + raters)[0], shared.place
    size = np.bincount(own)
    n_raters = np.bincount(first, 1 / size[own])
    weight: Floats = 1 / (size[own] * n_raters[first])
    return weight


def _difference(shared: SharedUnits, value: Floats, weight: Floats, level: float) -> Result:
    """Return the weighted mean of the first pool's values minus that of the second, shapes (n,)."""
    found = linear_contrast(
        value,
        np.column_stack([np.ones(len(value)), shared.first]),
        np.array([0.0, 1.0]),
        item=shared.item,
        rater=shared.rater,
        weight=weight,
        arms=Arms.of_two(shared.first, are_pools=True),
        level=level,
    )
    return found.with_counts(**shared.counts)


# Correlation between the mean ratings that two pools of raters give to the same responses.

METHOD = Method("two_way_jackknife_t", ": Fisher z")
_MIN_N = 3
_PERFECT = 1 - 1e-12


def pool_correlation(
    value: Floats, is_first: Bools, *, unit: Labels, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the Pearson correlation of the two pools' mean ratings over responses. Unit: response. As `pools`.

    Not corrected for the unreliability of the means: few ratings per response attenuate it. Interval on Fisher's z by
    deleting one item, one rater (of either pool) or one item x rater cell at a time (Efron and Stein 1981):
    V = V_item + V_rater - V_cell, at least the larger of the first two.
    """
    shared = shared_units(value, is_first, unit, item, rater)
    counts = shared.counts
    if shared.n_units < _MIN_N:
        return undefined("no_pairable_units", "A correlation needs three responses.", method=METHOD, **counts)
    z = _fisher_z(shared)
    if not np.isfinite(z):
        return _without_spread(shared, counts)
    bare = Result(float(np.tanh(z)), METHOD).with_counts(**counts)
    parts = _variances(shared)
    if parts is None:
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs more of each.")
    variance, df = parts
    reach, error = t_quantile(df, level) * variance**0.5, variance**0.5
    ends = np.tanh([z - reach, z + reach])
    interval = Interval(float(ends[0]), float(ends[1]), Method(METHOD.procedure), level, inference="items_and_raters")
    error_of_r = error * (1 - float(np.tanh(z)) ** 2)
    return replace(bare, interval=interval, standard_error=error_of_r, df=df, p_value=t_p_value(z / error, df))


def _without_spread(shared: SharedUnits, counts: dict[str, int | None]) -> Result:
    a, b = _means(shared)
    if min(np.ptp(a), np.ptp(b)) == 0:
        note = "In one of the pools, all responses have the same mean."
        return undefined("no_variation", note, method=METHOD, **counts)
    bare = Result(float(np.sign(np.corrcoef(a, b)[0, 1])), METHOD).with_counts(**counts)
    return without_interval(bare, "no_variation", "The association is perfect, so no interval.")


def _means(shared: SharedUnits) -> tuple[Floats, Floats]:
    """Return the mean of each unit by the first and by the second pool, shapes (n_units,)."""
    mean = np.bincount(shared.place, shared.value) / np.bincount(shared.place)
    return mean[1::2], mean[::2]


def _variances(shared: SharedUnits) -> tuple[float, float] | None:
    """Return the variance of z and its degrees of freedom, or None if z without some cluster is undefined."""
    groups = clusters(shared.item, shared.rater)
    by_item = _jackknife(_without_each(shared, groups.item, groups.n_items))
    by_cell = _jackknife(_without_each(shared, groups.cell, groups.n_cells))
    pools = [_of_pool(shared, side) for side in (shared.first, ~shared.first)]
    variances = [by_item, by_cell, *(variance for variance, _ in pools)]
    if min(groups.n_items - 1, *(df for _, df in pools)) < 1 or by_item <= 0 or not np.isfinite(variances).all():
        return None
    by_pool, df_raters = _apart(pools)
    # if each rater has one response, both pools include the variance between responses: their sum is no lower bound
    whole = max(by_item + sum(by_pool) - by_cell, by_item, *by_pool)
    # the raters' contribution beyond the variance over items has only the raters' degrees of freedom
    share = (whole - by_item) / whole
    return whole, combined_df(share, df_raters, groups.n_items - 1)


def _apart(pools: Sequence[tuple[float, int]]) -> tuple[list[float], float]:
    """Return the variance over raters of each pool, and the Satterthwaite degrees of freedom of their sum."""
    whole = sum(variance for variance, _ in pools)
    return [variance for variance, _ in pools], satterthwaite(*pools) if whole else 1.0


def _of_pool(shared: SharedUnits, side: Bools) -> tuple[float, int]:
    """Return the jackknife variance over the raters of one pool, and its degrees of freedom."""
    code, n = codes(shared.rater[side])
    everyone = np.full(len(shared.value), n, dtype=np.int64)
    everyone[side] = code
    return _jackknife(_without_each(shared, everyone, n + 1)[:n]), n - 1


def _jackknife(z: Floats) -> float:
    """Return (G - 1) / G times the sum of squares of the G values with one cluster deleted."""
    return float(((z - z.mean()) ** 2).sum() * (len(z) - 1) / len(z))


def _fisher_z(shared: SharedUnits) -> float:
    """Return atanh of the correlation over all units; nan if undefined."""
    return float(_from_sums(_terms(*_means(shared)).sum(axis=1, keepdims=True))[0])


def _without_each(shared: SharedUnits, code: Ints, n: int) -> Floats:
    """Return Fisher's z without the ratings of each of n clusters, shape (n,); nan if undefined.

    Only the units that contain ratings of a cluster are recomputed.
    """
    centre = tuple(mean.mean() for mean in _means(shared))
    terms = _terms(*_means(shared), centre)
    touched, at = np.unique(code * shared.n_units + shared.unit, return_inverse=True)
    cluster, unit = touched // shared.n_units, touched % shared.n_units
    size, total = (np.bincount(shared.place, weight).reshape(-1, 2) for weight in (None, shared.value))
    pair = 2 * at + shared.first
    n_gone = np.bincount(pair, minlength=2 * len(touched)).reshape(-1, 2)
    gone = np.bincount(pair, shared.value, 2 * len(touched)).reshape(-1, 2)
    n_left = size[unit] - n_gone
    mean = (total[unit] - gone) / np.maximum(n_left, 1)
    left = np.where((n_left > 0).all(axis=1), _terms(mean[:, 1], mean[:, 0], centre), 0.0)
    change = [np.bincount(cluster, row, n) for row in left - terms[:, unit]]
    return _from_sums(terms.sum(axis=1)[:, np.newaxis] + np.array(change))


def _terms(a: Floats, b: Floats, centre: tuple[float, ...] = (0.0, 0.0)) -> Floats:
    """Return 1, a, b, a^2, b^2 and ab of each unit, shape (6, n_units)."""
    u, v = a - centre[0], b - centre[1]
    return np.array([np.ones(len(u)), u, v, u**2, v**2, u * v])


def _from_sums(sums: Floats) -> Floats:
    """Return atanh of the correlation from the sums of 1, a, b, a^2, b^2 and ab, shape (6, n)."""
    n, a, b, aa, bb, ab = sums
    with np.errstate(all="ignore"):
        r = (ab - a * b / n) / np.sqrt((aa - a * a / n) * (bb - b * b / n))
        z: Floats = np.where((n >= _MIN_N) & (np.abs(r) < _PERFECT), np.arctanh(r), np.nan)
    return z


# Difference between two groups in a score of all their answers, such as F1 against a key.


SCORE = Method(words="difference of scores")


def score_difference(
    sums: Floats,
    pseudo_values: Callable[[Floats], Floats],
    is_first: Bools,
    *,
    unit: Labels,
    item: Labels,
    rater: Labels,
    level: float = 0.95,
) -> Result:
    """Return a score of the first group's answers minus that of the second's. Unit: response; see `pools`.

    Linearized: each answer's value is the score of its group plus the influence of the answer on it (the delta method;
    Deville 1999, Surv. Methodol. 25:193). The difference of their means is that of the scores, with the errors of
    `pool_difference`.

    Args:
        sums: what each answer adds to the sums that the score is made of, shape (n, m), such as its cell of a table.
        pseudo_values: the values of a group's answers from their sums, shapes (k, m) and (k,); nan if undefined.
        is_first: as in the module.
        unit: as in the module.
        item: as in the module.
        rater: as in the module.
        level: confidence level.
    """
    shared = shared_units(np.arange(len(sums), dtype=np.float64), is_first, unit, item, rater)
    if not shared.n_units:
        return undefined("no_pairable_units", NOTHING_SHARED, n_units=0, n_ratings=0)
    kept, value = sums[shared.value.astype(np.int64)], np.zeros(len(shared.value))
    for side in (shared.first, ~shared.first):
        value[side] = pseudo_values(kept[side])
    if not np.isfinite(value).all():
        note = "One of the groups has no answer that counts."
        return undefined("no_pairable_units", note, method=SCORE, **shared.counts)
    return _difference(shared, value, np.ones(len(value)), level)


# Difference between two groups of raters in what each rater has once, such as a trait or a change.

WELCH = Method("t_welch", ": means of raters")
_PAIR = 2
_ROUNDING = 1e-12


def group_difference(
    value: Floats, is_first: Bools, *, rater: Labels, cluster: Labels | None = None, level: float = 0.95
) -> Result:
    """Return the mean of the first group's raters minus that of the second's. Unit: rater; see `pools`.

    Several values of one rater are averaged first. The groups may differ in their variance: t with the standard error
    of Welch (1947, Biometrika 34:28). Its degrees of freedom are Welch's too, but each group's variance counts at its
    `upper_limit`, as in `pool_difference`: two raters who happen to be alike would get both a small variance and many
    degrees of freedom. Groups of equal size and variance have Welch's. A note below five raters. Raters of one
    `cluster`, shape (n,), who wrote with each other, count as one rater of their group, with the mean of all their
    values.
    """
    number, (first, raters, wrote_with) = present(value, is_first, rater, rater if cluster is None else cluster)
    code, n = codes(2 * codes(wrote_with)[0] + first)
    mean = np.bincount(code, number, n) / np.bincount(code, minlength=n)
    side = np.zeros(n, dtype=bool)
    side[code] = first
    sides = [mean[side], mean[~side]]
    sizes = [len(one) for one in sides]
    n_raters = codes(raters)[1]
    what = "raters" if n == n_raters else GROUPS
    counts = {"n_units": n, "n_raters": n_raters, "n_ratings": len(number)}
    if not min(sizes):
        return undefined("no_pairable_units", "One of the two groups has no answers.", method=WELCH, **counts)
    bare = Result(float(sides[0].mean() - sides[1].mean()), WELCH).with_counts(**counts)
    if min(sizes) < _PAIR:
        return without_interval(bare, "one_cluster", f"An interval needs two {what} in each group.")
    parts = [(spread(one) ** 2 / n, n - 1) for one, n in zip(sides, sizes, strict=True)]
    error = float(sum(variance for variance, _ in parts) ** 0.5)
    if error <= _ROUNDING * float(np.abs(mean).max()):
        return without_interval(bare, "no_variation", "The raters of each group do not differ, so no interval.")
    df = satterthwaite(*((upper_limit(variance, df), df) for variance, df in parts))
    estimate, reach = bare.estimate or 0.0, t_quantile(df, level) * error
    interval = Interval(estimate - reach, estimate + reach, Method(WELCH.procedure), level, inference="raters")
    found = replace(bare, interval=interval, standard_error=error, df=df, p_value=t_p_value(estimate / error, df))
    return found.warned(FEW_IN_POOL.format(n=min(sizes), what=what) if min(sizes) < FEW else "")
