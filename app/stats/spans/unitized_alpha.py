"""Agreement of raters on which characters to mark."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from krippendorff import alpha

from app.stats.core.clusters import t_quantile, without_interval
from app.stats.core.result import Interval, Result, undefined
from app.stats.spans.characters import marked_characters

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.stats.core.arrays import Floats, Ints
    from app.stats.spans.characters import Marked

METHOD = "jackknife_texts"
_PAIR = 2
# alphas that differ by less are equal but for rounding
_ROUNDING = 1e-12


def span_alpha(marks: Sequence[Marked], length: Mapping[object, int], *, level: float = 0.95) -> Result:
    """Return Krippendorff's nominal alpha of characters, marked or not, over texts with two or more raters. Unit: text.

    The estimate comes from the `krippendorff` package, given the counts of each character. Characters of one text are
    not independent, so the interval deletes one text at a time (jackknife, Fisher's z, t with texts - 1 degrees of
    freedom): for new texts and the same raters.

    Args:
        marks: one entry per rater and text read.
        length: number of characters of each text.
        level: confidence level.
    """
    counts = _counts(marks, length)
    raters, n_ratings = {mark.rater for mark in marks}, sum(int(table.sum(axis=1).max()) for table in counts)
    sizes = {"n_items": len(counts), "n_units": len(counts), "n_raters": len(raters), "n_ratings": n_ratings}
    if not counts:
        return undefined("no_pairable_units", "No text was read by two raters.", method=METHOD, **sizes)
    by_text = np.array([_coincidences(table) for table in counts])
    whole = by_text.sum(axis=0)
    if np.count_nonzero(whole.sum(axis=0)) < _PAIR:
        return undefined("no_variation", "All or none of the characters were marked.", method=METHOD, **sizes)
    bare = Result(_by_package(counts), METHOD).with_counts(**sizes)
    if len(counts) < _PAIR:
        return without_interval(bare, "one_cluster", "An interval for new texts needs two texts.")
    return _with_interval(bare, _alpha(whole - by_text), level)


def _counts(marks: Sequence[Marked], length: Mapping[object, int]) -> list[Ints]:
    """Return per text with two or more raters how many left each character unmarked and marked, shape (length, 2)."""
    by_text: dict[object, list[Marked]] = defaultdict(list)
    for mark in marks:
        by_text[mark.text].append(mark)
    tables = []
    for text, readers in by_text.items():
        if len(readers) >= _PAIR and length[text]:
            n = np.sum([marked_characters(mark.spans, length[text]) for mark in readers], axis=0)
            tables.append(np.column_stack([len(readers) - n, n]))
    return tables


def _by_package(counts: list[Ints]) -> float:
    return float(alpha(value_counts=np.concatenate(counts), level_of_measurement="nominal"))


def _coincidences(table: Ints) -> Floats:
    """Return counts of value pairs within characters, each weighted by 1 / (raters - 1), shape (2, 2)."""
    m = table.sum(axis=1)
    own = table.T @ table - np.diag(table.sum(axis=0))
    return np.asarray(own / (m[0] - 1), dtype=np.float64)


def _alpha(pairs: Floats) -> Floats:
    """Return nominal alpha of coincidence matrices, shape (..., 2, 2); nan if only one value is left."""
    n_of = pairs.sum(axis=-1)
    n = n_of.sum(axis=-1)
    expected = n_of[..., 0] * n_of[..., 1]
    found: Floats = np.divide(
        (n - 1) * pairs[..., 0, 1], expected, out=np.full(expected.shape, np.nan), where=expected > 0
    )
    return 1 - found


def _with_interval(bare: Result, left: Floats, level: float) -> Result:
    """Return the result with a jackknife interval on Fisher's z of the alphas without each text."""
    n, alpha = len(left), bare.estimate or 0.0
    if not np.isfinite(left).all():
        return without_interval(bare, "one_cluster", "The estimate depends on one text, so no interval for new texts.")
    if max(alpha, float(left.max())) >= 1 or np.ptp(left) < _ROUNDING:
        return without_interval(bare, "no_variation", "The texts do not differ in agreement: no interval.")
    z = np.arctanh(left)
    error = float(np.sqrt((n - 1) / n * ((z - z.mean()) ** 2).sum()))
    reach, centre = t_quantile(n - 1, level) * error, float(np.arctanh(alpha))
    low, high = (float(np.tanh(end)) for end in (centre - reach, centre + reach))
    interval = Interval(low, high, METHOD, level, inference="items")
    return replace(bare, interval=interval, standard_error=error * (1 - alpha**2), df=float(n - 1))
