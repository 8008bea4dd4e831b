"""Agreement between rankings: each rater puts the responses of one item in order.

`rank` shape (n,) is the rank of one response in one ranking, 1 being first; `item`, `response` and `rater` shape (n,)
are codes. Each rater ranks an item once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from app.stats.agreement.concordance import complete_table, concordance_of
from app.stats.arrays import Floats, Ints
from app.stats.clusters import t_quantile, without_interval
from app.stats.jackknife import PAIR, ZERO
from app.stats.ratings import Ratings
from app.stats.result import Interval, Method, Result, undefined

METHOD = Method("t_items")
_NONE = "no item was ranked by two raters who ranked the same responses"


@dataclass(frozen=True, slots=True)
class _OneItem:
    """The concordance of one item, and its numbers of raters and responses."""

    w: float
    n_raters: int
    n_responses: int


def midranks(rank: Floats, ranking: Ints) -> Floats:
    """Return ranks in which tied responses share their mean rank, so that a ranking of k sums to k (k + 1) / 2.

    Args:
        rank: shape (n,), in any spacing; lower is first.
        ranking: shape (n,), code of the ranking that each rank belongs to.

    >>> midranks(np.array([1.0, 2, 2, 3]), np.zeros(4, dtype=np.int64))
    array([1. , 2.5, 2.5, 4. ])
    """
    return np.asarray(pd.Series(rank).groupby(ranking).rank(method="average").to_numpy(dtype=np.float64))


def concordance_within_items(rank: Floats, *, item: Ints, response: Ints, rater: Ints, level: float = 0.95) -> Result:
    """Return Kendall's W averaged over items: 0 is no agreement, 1 is the same order by all raters.

    The p-value is from Friedman's chi-square summed over items (raters x (responses - 1) x W, responses - 1 degrees of
    freedom each). The interval is for new items ranked by these raters.
    Not for: comparing studies with different numbers of raters per item, since m raters who rank at random have an
    expected W of 1/m; `rank_correlation_within_items` corrects for that.
    Source: Kendall and Babington Smith (1939), Annals of Mathematical Statistics 10:275-287.
    """
    found = list(_by_item(rank, item, response, rater))
    chi_square = sum(one.n_raters * (one.n_responses - 1) * one.w for one in found)
    df = float(sum(one.n_responses - 1 for one in found))
    p_value = float(special.chdtrc(df, chi_square)) if found else None
    return _mean(np.array([one.w for one in found]), (0.0, 1.0), rank, item, rater, level=level, p_value=p_value, df=df)


def rank_correlation_within_items(
    rank: Floats, *, item: Ints, response: Ints, rater: Ints, level: float = 0.95
) -> Result:
    """Return Spearman's correlation between two raters' orders of an item, averaged over rater pairs, then items.

    For m raters it is (m W - 1) / (m - 1), exactly so where nobody ties. Its expectation for random rankings is 0 for
    any number of raters.
    """
    found = [(one.n_raters * one.w - 1) / (one.n_raters - 1) for one in _by_item(rank, item, response, rater)]
    return _mean(np.array(found), (-1.0, 1.0), rank, item, rater, level=level)


def _by_item(rank: Floats, item: Ints, response: Ints, rater: Ints) -> Iterator[_OneItem]:
    """Yield each item that two or more raters ranked, with the responses that all ranked; skip items with only ties."""
    order = np.argsort(item, kind="stable")
    cuts = np.flatnonzero(np.diff(item[order])) + 1
    for at in np.split(order, cuts) if len(order) else ():
        table = complete_table(Ratings(response[at], rater[at], rank[at]))
        w = concordance_of(table) if min(table.shape) >= PAIR else None
        if w is not None:
            yield _OneItem(w, *table.shape)


def _mean(
    value: Floats,
    limits: tuple[float, float],
    rank: Floats,
    item: Ints,
    rater: Ints,
    *,
    level: float,
    p_value: float | None = None,
    df: float | None = None,
) -> Result:
    counts = {
        "n_items": len(np.unique(item)),
        "n_units": len(np.unique(item)),
        "n_pairable_units": len(value),
        "n_raters": len(np.unique(rater)),
        "n_ratings": len(rank),
    }
    if not len(value):
        return undefined("no_pairable_units", _NONE, method=METHOD, **counts)
    mean = float(value.mean())
    bare = Result(mean, METHOD, p_value=p_value, df=df).with_counts(**counts)
    if len(value) < PAIR:
        return without_interval(bare, "one_cluster", "An interval for new items needs two items.")
    error = float(value.std(ddof=1) / np.sqrt(len(value)))
    if error < ZERO:
        return without_interval(bare, "no_variation", "Agreement is the same on every item, so no interval.")
    reach = t_quantile(len(value) - 1, level) * error
    low, high = max(limits[0], mean - reach), min(limits[1], mean + reach)
    interval = Interval(low, high, METHOD, level, inference="items")
    return Result(mean, METHOD, interval=interval, standard_error=error, p_value=p_value, df=df).with_counts(**counts)
