"""Effects of attributes of the sources, such as reasoning models against others, or one model family and another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.arms import Arms
from app.stats.core.arrays import codes, present
from app.stats.core.clusters import cluster_variance, clusters, t_p_value, t_quantile
from app.stats.core.contrast_sides import missing_side
from app.stats.core.result import Interval, Result
from app.stats.linear.cluster_robust import linear_contrast

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Ints, Labels

METHOD = "three_way_cluster_t: sources random"
# on each side: the variance between two or three sources is too unstable for an interval that anyone can use
MIN_SOURCES = 5


def attribute_effect(
    value: Floats, has_level: Bools, source: Labels, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the mean of the sources with the attribute minus that of the others, each source weighted equally.

    With at least five sources on each side, the interval is for new sources, items and raters: V_source
    from the means of the sources (s1^2 / n1 + s0^2 / n0), plus the two-way variance of items and raters for fixed
    sources, minus the variance of single ratings, which both contain. Its degrees of freedom combine those of sources
    (Satterthwaite, equal variances) with those of items and raters, weighted by their proportions of the variance. With
    fewer sources, the interval is for new items and raters and these sources only, and the note says so.

    Args:
        value: ratings, shape (n,); nan is dropped.
        has_level: whether the source of the rating has the level of the attribute, shape (n,).
        source: labels, shape (n,); each source is on one side.
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, (at_level, sources, items, raters) = present(value, has_level, source, item, rater)
    at_level = at_level.astype(bool)
    problem = missing_side(at_level, "sources with this attribute", "sources without this attribute")
    if problem:
        return problem
    code, n_sources = codes(sources)
    side = np.zeros(n_sources, dtype=bool)
    side[code] = at_level
    X, weight = np.column_stack([~at_level, at_level]).astype(np.float64), 1 / np.bincount(code)[code]
    arms, slope = Arms.of_two(at_level), np.array([-1.0, 1.0])
    fixed = linear_contrast(number, X, slope, item=items, rater=raters, weight=weight, arms=arms, level=level)
    if min(side.sum(), (~side).sum()) < MIN_SOURCES or fixed.standard_error is None:
        return replace(fixed, note=f"For these {n_sources} sources only. {fixed.note}".strip())
    return _for_new_sources(number, code, side, fixed, _rating_variance(number, code, side, items, raters), level)


def _for_new_sources(value: Floats, code: Ints, side: Bools, fixed: Result, of_ratings: float, level: float) -> Result:
    means = np.bincount(code, value) / np.bincount(code)
    sizes = [int(half.sum()) for half in (side, ~side)]
    between = sum(float(means[half].var(ddof=1)) / n for half, n in zip((side, ~side), sizes, strict=True))
    # assumes equal variances on both sides: with so few sources, Welch's degrees of freedom are unstable
    of_sources = sum(1 / n for n in sizes) ** 2 / sum(1 / n**2 / (n - 1) for n in sizes)
    fixed_variance = (fixed.standard_error or 0.0) ** 2
    variance = max(between + fixed_variance - of_ratings, between, fixed_variance)
    share = between / variance
    df = 1 / (share**2 / of_sources + (1 - share) ** 2 / (fixed.df or 1.0))
    error, estimate = variance**0.5, fixed.estimate or 0.0
    reach = t_quantile(df, level) * error
    interval = Interval(estimate - reach, estimate + reach, METHOD, level, inference="items_and_raters")
    p_value = t_p_value(estimate / error, df)
    return replace(fixed, method=METHOD, interval=interval, standard_error=error, df=df, p_value=p_value)


def _rating_variance(value: Floats, code: Ints, side: Bools, item: Labels, rater: Labels) -> float:
    """Return the variance due to single ratings within sources, contained in both other variance components."""
    size = np.bincount(code)
    mean = np.bincount(code, value) / size
    n_of_side = np.where(side, side.sum(), (~side).sum())
    influence = (value - mean[code]) / (size * n_of_side)[code]
    groups = clusters(item, rater)
    return cluster_variance(influence, groups.cell, groups.n_cells)
