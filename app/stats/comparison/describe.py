"""Descriptive statistics of ratings: means, spreads, proportions, and differences between two sources.

Every function takes `value` shape (n,), one entry per rating; rows with nan are missing and are dropped.
`item` and `rater` shape (n,) are labels of any kind.
"""

from dataclasses import replace

import numpy as np

from app.stats.arms import Arms
from app.stats.arrays import Bools, Floats, Labels, present, spread
from app.stats.clusters import METHOD, clusters, with_two_way_interval, without_interval
from app.stats.result import Method, Result, undefined

_NO_RATINGS = "There are no ratings."
_POINT = 1e-9


def mean(value: Floats, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the mean of ratings with the two-way cluster t interval. Unit: rating."""
    number, (items, raters) = present(value, item, rater)
    groups = clusters(items, raters)
    if not len(number):
        return undefined("no_pairable_units", _NO_RATINGS, method=METHOD, n_items=0, n_raters=0, n_units=0, n_ratings=0)
    centre = float(number.mean())
    influence = (number - centre) / len(number)
    return with_two_way_interval(centre, influence, groups, level=level, scale=float(np.abs(number).max()))


def sd(value: Floats, *, item: Labels, rater: Labels) -> Result:
    """Return the standard deviation of ratings, divisor n - 1. Includes variation of items, raters and sources."""
    number, (items, raters) = present(value, item, rater)
    groups, n = clusters(items, raters), len(number)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if n < 2:  # noqa: PLR2004  # a standard deviation needs two values
        return undefined(
            "no_pairable_units", "A standard deviation needs two ratings.", method=Method(words="sd"), **counts
        )
    return Result(spread(number), Method(words="sd")).with_counts(**counts)


def mean_difference(
    value: Floats,
    is_treated: Bools,
    *,
    item: Labels,
    rater: Labels,
    null: float = 0.0,
    level: float = 0.95,
    are_versions: bool = False,
) -> Result:
    """Return the mean rating of the source (`is_treated`) minus that of the reference, for new items and new raters.

    The influence of a rating is its deviation from its source's mean divided by its source's number of ratings,
    negative for the reference. Influences are summed per item and per rater over both sources, so a design in which
    each rater sees both gains precision. If each rater sees one source only, the degrees of freedom are those of
    `arms`. With a single rater or item, the interval is undefined and only the estimate is returned.

    `are_versions`: both are versions of the same items; see `arms`.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    groups, n = clusters(items, raters), len(number)
    n_treated = int(treated.sum())
    if n_treated in {0, n}:
        counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
        who = "source" if n_treated == 0 else "reference"
        return undefined("no_pairable_units", f"The {who} has no ratings.", method=METHOD, **counts)
    mine, theirs = float(number[treated].mean()), float(number[~treated].mean())
    influence = np.where(treated, (number - mine) / n_treated, (theirs - number) / (n - n_treated))
    scale = float(np.abs(number).max())
    arms = Arms.of_two(treated, are_versions=are_versions)
    result = with_two_way_interval(mine - theirs, influence, groups, null=null, level=level, scale=scale, arms=arms)
    if result.interval and _has_lone_cluster(treated, groups.item, groups.rater):
        bare = replace(result, interval=None, standard_error=None, p_value=None, df=None)
        return without_interval(bare, "one_cluster", "One of the two was rated on only one item or by only one rater.")
    return result


def _has_lone_cluster(treated: Bools, *labels: Labels) -> bool:
    """Whether a source was rated on only one item or by only one rater: no variation between clusters is observed."""
    return any(np.ptp(code[side]) == 0 for code in labels for side in (treated, ~treated))


def share(value: Floats, *, item: Labels, rater: Labels, null: float | None = None, level: float = 0.95) -> Result:
    """Return the mean of values from 0 to 1 (yes or no, wins with ties as half) with the two-way cluster t interval.

    The interval and the test against `null` are computed on the logit scale, so that they stay between 0 and 1. A mean
    of exactly 0 or 1 has no logit and no spread: no interval, reason `no_variation`. Clopper-Pearson gives one there.
    """
    number, (items, raters) = present(value, item, rater)
    if not len(number):
        return undefined("no_pairable_units", _NO_RATINGS, method=METHOD, n_items=0, n_raters=0, n_units=0, n_ratings=0)
    portion = float(number.mean())
    influence = (number - portion) / len(number)
    return with_two_way_interval(portion, influence, clusters(items, raters), null=null, level=level, is_share=True)


def share_at_least(value: Floats, cut: float, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of ratings at or above `cut`, with the two-way cluster interval. Unit: rating."""
    number, (items, raters) = present(value, item, rater)
    return share((number >= cut - _POINT).astype(np.float64), item=items, rater=raters, level=level)
