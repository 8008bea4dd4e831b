"""The pigeonhole bootstrap (Owen 2007, Ann. Appl. Stat. 1:386): items and raters are resampled simultaneously.

A rating counts as often as its item was drawn times its rater was drawn. This alternative, rather conservative estimate
of the two-way variance is reported as a sensitivity analysis for the two-way cluster t interval.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from app.stats.arrays import Bools, Floats, Labels, present
from app.stats.clusters import Clusters, clusters, without_interval
from app.stats.result import Interval, Method, Result, undefined

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
