"""Correlations of ratings with ratings of another dimension or with text scores, for new items and raters."""

from dataclasses import replace
from typing import Literal

import numpy as np

from app.stats.arrays import Floats, Labels, codes, midranks, present, spread
from app.stats.clusters import METHOD, clusters, with_two_way_interval, without_interval
from app.stats.result import Result, undefined

Kind = Literal["pearson", "spearman"]
_MIN_N = 3
_PERFECT = 1 - 1e-12


def correlation(
    a: Floats, b: Floats, *, item: Labels, rater: Labels, kind: Kind = "pearson", level: float = 0.95
) -> Result:
    """Return the correlation of paired values, with a two-way cluster t interval on Fisher's z.

    Args:
        a: shape (n,); rows with nan in either are dropped.
        b: shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,); pass the item again if there is one row per item (a mean, an automatic score).
        kind: `pearson`, or `spearman` for the correlation of ranks (the influence treats the ranks as fixed).
        level: confidence level.
    """
    both = np.where(np.isfinite(b), a, np.nan)
    first, (second, items, raters) = present(both, b, item, rater)
    groups, n = clusters(items, raters), len(first)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if n < _MIN_N:
        return undefined("no_pairable_units", "A correlation needs three pairs.", method=METHOD, **counts)
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return undefined("no_variation", "One of the two does not vary.", method=METHOD, **counts)
    if kind == "spearman":
        first, second = midranks(first), midranks(second)
    u, v = (_standardized(column) for column in (first, second))
    r = float(np.clip((u * v).mean(), -1, 1))
    bare = Result(r, METHOD.with_words(f": {kind}, Fisher z")).with_counts(**counts)
    if abs(r) > _PERFECT:
        return without_interval(bare, "no_variation", "The association is perfect, so no interval.")
    influence = (u * v - r * (u**2 + v**2) / 2) / (n * (1 - r**2))
    on_z = with_two_way_interval(float(np.arctanh(r)), influence, groups, null=0.0, level=level)
    ends = on_z.interval and replace(
        on_z.interval, low=float(np.tanh(on_z.interval.low)), high=float(np.tanh(on_z.interval.high))
    )
    error = None if on_z.standard_error is None else on_z.standard_error * (1 - r**2)
    return replace(on_z, estimate=r, method=bare.method, interval=ends, standard_error=error)


def correlation_difference(
    a: Floats, b: Floats, c: Floats, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return r(a, c) - r(b, c) over the same rows, with a two-way cluster t interval.

    The influence of a row on a difference of two correlations is the difference of its influences on each; for rows
    that are independent and normal, the variance is that of two dependent correlations with one variable in common
    (Olkin and Siotani 1976).

    Args:
        a: shape (n,); rows with nan in one of the three are dropped.
        b: shape (n,).
        c: shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    known = np.where(np.isfinite(b) & np.isfinite(c), a, np.nan)
    first, (second, third, items, raters) = present(known, b, c, item, rater)
    groups, n = clusters(items, raters), len(first)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if n < _MIN_N:
        return undefined("no_pairable_units", "A correlation needs three pairs.", method=METHOD, **counts)
    if min(np.ptp(first), np.ptp(second), np.ptp(third)) == 0:
        return undefined("no_variation", "One of the three does not vary.", method=METHOD, **counts)
    u, v, w = (_standardized(column) for column in (first, second, third))
    r, s = float((u * w).mean()), float((v * w).mean())
    influence = (u * w - r * (u**2 + w**2) / 2 - v * w + s * (v**2 + w**2) / 2) / n
    found = with_two_way_interval(r - s, influence, groups, null=0.0, level=level)
    return replace(found, method=found.method.with_words(": difference of two correlations"))


def halo(a: Floats, b: Floats, *, unit: Labels, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the halo effect: correlation between a rater's deviations from the other raters on two dimensions.

    Correlates deviations from the mean of the response (`unit`), over responses with at least two ratings. Near 1, the
    two questions measure a single impression; a raw correlation cannot distinguish that from responses that are good in
    both.
    """
    together = np.isfinite(a) & np.isfinite(b)
    code, n = codes(np.asarray(unit)[together])
    size = np.bincount(code, minlength=n)
    kept = size[code] > 1
    deviations = []
    for values in (a, b):
        value = np.asarray(values, dtype=np.float64)[together]
        deviations.append((value - (np.bincount(code, value, n) / np.maximum(size, 1))[code])[kept])
    where = {"item": np.asarray(item)[together][kept], "rater": np.asarray(rater)[together][kept]}
    return correlation(
        _cleaned(deviations[0]), _cleaned(deviations[1]), item=where["item"], rater=where["rater"], level=level
    )


def _standardized(value: Floats) -> Floats:
    """Return values with mean 0 and mean square 1, for varying values of any size."""
    largest = float(np.abs(value).max())
    unit = value / largest
    centred = unit - unit.mean()
    return np.asarray(centred / (spread(unit) * ((len(unit) - 1) / len(unit)) ** 0.5))


def _cleaned(deviation: Floats) -> Floats:
    """Set deviations that are rounding errors to 0."""
    largest = float(np.abs(deviation).max(initial=0))
    return np.where(np.abs(deviation) < largest * 1e-9, 0, deviation)
