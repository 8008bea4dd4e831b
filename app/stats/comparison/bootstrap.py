"""Bootstraps of differences and shares.

The pigeonhole bootstrap (Owen 2007, Ann. Appl. Stat. 1:386) resamples items and raters simultaneously.

A rating counts as often as its item was drawn times its rater was drawn. This alternative, rather conservative estimate
of the two-way variance is reported as a sensitivity analysis for the two-way cluster t interval.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from app.stats.arrays import Bools, Floats, Labels, codes, present
from app.stats.clusters import Clusters, clusters, without_interval
from app.stats.comparison.t_tests import item_means, means_by_item
from app.stats.result import Interval, Method, Result, undefined

# Proportions of item means at or above a cutoff, and their ratio, with a bootstrap over items.
#
# Resampling items is equivalent to drawing counts of each *pattern* (above the cutoff or not, for source and
# reference): one multinomial draw per replicate gives exactly the distribution of drawing items one by one, but much
# faster.


SHARES = Method("bootstrap_items")
_POINT = 1e-9
_HIGH, _BELOW, _ABSENT = 0, 1, 2


def share_of_item_means_at_least(
    value: Floats,
    cut: float,
    *,
    item: Labels,
    rater: Labels,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Result:
    """Return the proportion of item means at or above `cut`, with a percentile bootstrap interval. Unit: item_mean.

    `value`, `item`, `rater` shape (n,), ratings of one source. Items are resampled; raters are treated as fixed.
    """
    number, (items, raters) = present(value, item, rater)
    means = means_by_item(number, items)
    n = len(means)
    counts = {"n_items": n, "n_units": n, "n_raters": codes(raters)[1], "n_ratings": len(number)}
    if n == 0:
        return undefined("no_pairable_units", "There are no ratings.", method=SHARES, **counts)
    portion = float((means >= cut - _POINT).mean())
    bare = Result(portion, SHARES).with_counts(**counts)
    if n == 1:
        return without_interval(bare, "one_cluster", "A bootstrap over items needs two items.")
    if portion in {0, 1}:
        return without_interval(
            bare, "no_variation", "All item means are on the same side of the cutoff, so no interval."
        )
    draws = np.random.default_rng(seed).binomial(n, portion, n_resamples) / n
    return replace(bare, interval=_percentile(draws, level), standard_error=float(draws.std(ddof=1)), seed=seed)


def share_at_least_ratio(
    value: Floats,
    is_treated: Bools,
    cut: float,
    *,
    item: Labels,
    rater: Labels,
    level: float = 0.95,
    n_resamples: int = 10_000,
    seed: int = 0,
) -> Result:
    """Return the proportion of the source's item means at or above `cut`, divided by the reference's. Unit: item_mean.

    Whole items are resampled, so an item with both sources remains a pair. If the reference's proportion is 0, the
    ratio is infinite: reason `separation`. If that occurs in too many resamples, there is no interval.
    """
    means = item_means(value, is_treated, item=item, rater=rater)
    sides = [np.isfinite(side) for side in (means.mine, means.theirs)]
    counts = means.counts(int(sides[0].sum() + sides[1].sum()))
    if not (sides[0].any() and sides[1].any()):
        return undefined("no_pairable_units", "One of the two sources has no ratings.", method=SHARES, **counts)
    pattern = np.bincount(_pattern(means.mine, cut) * 3 + _pattern(means.theirs, cut), minlength=9)
    estimate = float(_ratio(pattern[np.newaxis])[0])
    if not np.isfinite(estimate):
        return undefined(
            "separation", "No item mean of the reference reaches the cutoff, so no ratio.", method=SHARES, **counts
        )
    bare = Result(estimate, SHARES).with_counts(**counts)
    if len(means.mine) == 1:
        return without_interval(bare, "one_cluster", "A bootstrap over items needs two items.")
    n = int(pattern.sum())
    draws = _ratio(np.random.default_rng(seed).multinomial(n, pattern / n, n_resamples))
    return _with_percentile(replace(bare, seed=seed), draws, level)


def _pattern(means: Floats, cut: float) -> Labels:
    return np.where(np.isnan(means), _ABSENT, np.where(means >= cut - _POINT, _HIGH, _BELOW))


def _ratio(patterns: Labels) -> Floats:
    """Return ratios of proportions for rows of pattern counts, shape (b, 9); inf or nan if the reference's is 0."""
    table = patterns.reshape(-1, 3, 3)
    mine, theirs = table.sum(axis=2), table.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = [side[:, _HIGH] / (side[:, _HIGH] + side[:, _BELOW]) for side in (mine, theirs)]
        return np.asarray(shares[0] / shares[1])


def _with_percentile(bare: Result, draws: Floats, level: float) -> Result:
    """Return the percentile interval of the resamples with a ratio (0 / 0 has none), if its upper limit is finite."""
    kept = draws[~np.isnan(draws)]
    if np.mean(np.isposinf(kept)) >= (1 - level) / 2:
        note = "The reference's share is 0 in too many resamples, so the ratio has no upper limit."
        return without_interval(bare, "separation", note)
    if np.ptp(kept) == 0:
        return without_interval(bare, "no_variation", "The estimate is the same in all resamples.")
    return replace(bare, interval=_percentile(kept, level))


def _percentile(draws: Floats, level: float) -> Interval:
    """Return limits that are resampled values themselves, since values cannot be interpolated with infinity."""
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], method="inverted_cdf")
    return Interval(float(low), float(high), SHARES, level, inference="items")


METHOD = Method("pigeonhole")
_AT_ONCE = 100
_MIN_KEPT = 0.9


def resampled_sums(groups: Clusters, columns: Floats, n_resamples: int, rng: np.random.Generator) -> Floats:
    """Return sums of columns, shape (k, n), over resampled items and raters; shape (k, n_resamples)."""
    tables = [
        sparse.csr_matrix((column.astype(np.float32), (groups.item, groups.rater)), (groups.n_items, groups.n_raters))
        for column in columns
    ]
    found = []
    for first in range(0, n_resamples, _AT_ONCE):
        size = min(_AT_ONCE, n_resamples - first)
        by_item, by_rater = (
            rng.multinomial(n, np.full(n, 1 / n), size).T.astype(np.float32) for n in (groups.n_items, groups.n_raters)
        )
        found.append([np.einsum("ib,ib->b", table @ by_rater, by_item, dtype=np.float64) for table in tables])
    return np.concatenate(found, axis=1)


def mean_difference_pigeonhole(
    value: Floats,
    is_treated: Bools,
    *,
    item: Labels,
    rater: Labels,
    level: float = 0.95,
    n_resamples: int = 1_000,
    seed: int = 0,
) -> Result:
    """Return `mean_difference` with a percentile bootstrap interval over items and raters; arguments as there.

    Resamples that contain no rating of one of the sources are discarded. If more than one in ten is discarded, there
    are too few items or raters: reason `one_cluster`.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    groups, n = clusters(items, raters), len(number)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if int(treated.sum()) in {0, n}:
        who = "reference" if treated.any() else "source"
        return undefined("no_pairable_units", f"The {who} has no ratings.", method=METHOD, **counts)
    estimate = float(number[treated].mean() - number[~treated].mean())
    bare = Result(estimate, METHOD).with_counts(**counts)
    if groups.df < 1:
        return without_interval(bare, "one_cluster", "An interval for new items and raters needs two of each.")
    scale = float(np.ptp(number)) or 1.0
    columns = _sums_of_sources((number - number.min()) / scale, treated)
    sums = resampled_sums(groups, columns, n_resamples, np.random.default_rng(seed))
    draws = _differences(sums) * scale
    if len(draws) < _MIN_KEPT * n_resamples:
        return without_interval(
            bare, "one_cluster", "Too few items or raters: some resamples contain no ratings of one source."
        )
    if np.ptp(draws) == 0:
        return without_interval(bare, "no_variation", "The estimate is the same in all resamples.")
    error = float((draws / scale).std(ddof=1)) * scale
    return replace(bare, interval=_percentiles(draws, level), standard_error=error, seed=seed)


def _sums_of_sources(unit: Floats, treated: Bools) -> Floats:
    """Return the columns whose sums give the means: ratings and counts of the source, then of the reference."""
    return np.array([treated * unit, treated, ~treated * unit, ~treated], dtype=np.float64)


def _percentiles(draws: Floats, level: float) -> Interval:
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail])
    return Interval(float(low), float(high), METHOD, level, inference="items_and_raters")


def _differences(sums: Floats) -> Floats:
    """Return the differences of means for the resamples that contain both sources."""
    kept = sums[:, (sums[1] > 0) & (sums[3] > 0)]
    return np.asarray(kept[0] / kept[1] - kept[2] / kept[3])
