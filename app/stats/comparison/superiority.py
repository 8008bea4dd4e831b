"""Probability of superiority: how often the source is rated above its reference, using only the order of points.

Arguments as in `describe`: `value`, `is_treated`, `item`, `rater` shape (n,), one entry per rating; nan is dropped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from app.stats.arms import Arms
from app.stats.arrays import Bools, Floats, Labels, midranks, present
from app.stats.clusters import METHOD, clusters, with_two_way_interval
from app.stats.comparison.describe import share
from app.stats.result import Result, undefined


def prob_superiority(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return P(source rated above reference) + half P(tie) by the same rater on the same item, tested against 1/2.

    Within a cell (item x rater), all pairs of a source rating and a reference rating count equally, and each cell
    counts once. Two-way cluster t interval on the logit scale. If raters see one source only, use the unpaired version.
    """
    won, items, raters, n_ratings = _cells(*present(value, is_treated, item, rater))
    if not len(won):
        note = "No rater rated both sources on the same item."
        return undefined("no_pairable_units", note, method=METHOD, n_units=0, n_items=0, n_raters=0, n_ratings=0)
    result = share(won, item=items, rater=raters, null=0.5, level=level)
    return result.with_counts(n_ratings=n_ratings)


def cliffs_delta(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return Cliff's delta within item and rater: 2 x `prob_superiority` - 1, from -1 to 1 (Cliff 1993)."""
    return _delta(prob_superiority(value, is_treated, item=item, rater=rater, level=level))


def prob_superiority_unpaired(
    value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return P(a source rating above a reference rating) + half P(tie) over all pairs of ratings.

    The influence of a rating is the deviation of its placement among the other source's ratings from the mean placement
    (Hoeffding's projection of the Mann-Whitney U); two-way cluster t interval on the logit scale.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    groups, n, n_mine = clusters(items, raters), len(number), int(treated.sum())
    if n_mine in {0, n}:
        counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
        who = "reference" if n_mine else "source"
        return undefined("no_pairable_units", f"The {who} has no ratings.", method=METHOD, **counts)
    ranks = midranks(number)
    placement = np.empty(n)
    placement[treated] = (ranks[treated] - midranks(number[treated])) / (n - n_mine)
    placement[~treated] = 1 - (ranks[~treated] - midranks(number[~treated])) / n_mine
    estimate = float(placement[treated].mean())
    influence = (placement - estimate) / np.where(treated, n_mine, n - n_mine)
    return with_two_way_interval(
        estimate, influence, groups, null=0.5, level=level, is_share=True, arms=Arms.of_two(treated)
    )


def cliffs_delta_unpaired(
    value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return Cliff's delta over all pairs of ratings: 2 x `prob_superiority_unpaired` - 1."""
    return _delta(prob_superiority_unpaired(value, is_treated, item=item, rater=rater, level=level))


def _cells(value: Floats, beside: list[Labels]) -> tuple[Floats, Labels, Labels, int]:
    """Return per item x rater with both sources: proportion of pairs won, item, rater; and the number of ratings."""
    treated, item, rater = beside
    treated = treated.astype(bool)
    groups = clusters(item, rater)
    sides = [pd.DataFrame({"cell": groups.cell[s], "value": value[s]}) for s in (treated, ~treated)]
    n_mine, n_theirs = (np.bincount(side["cell"].to_numpy(), minlength=groups.n_cells) for side in sides)
    pairs = sides[0].merge(sides[1], on="cell", suffixes=("_mine", "_theirs"))
    won = (np.sign(pairs["value_mine"].to_numpy() - pairs["value_theirs"].to_numpy()) + 1) / 2
    both = (n_mine > 0) & (n_theirs > 0)
    shares = np.bincount(pairs["cell"].to_numpy(), won, groups.n_cells)[both] / (n_mine * n_theirs)[both]
    row = np.empty(groups.n_cells, dtype=np.int64)
    row[groups.cell] = np.arange(len(value))
    return shares, item[row[both]], rater[row[both]], int((n_mine + n_theirs)[both].sum())


def _delta(share_won: Result) -> Result:
    """Rescale from 0..1 to -1..1."""
    if share_won.estimate is None:
        return share_won
    interval = share_won.interval and replace(
        share_won.interval, low=2 * share_won.interval.low - 1, high=2 * share_won.interval.high - 1
    )
    error = None if share_won.standard_error is None else 2 * share_won.standard_error
    return replace(share_won, estimate=2 * share_won.estimate - 1, interval=interval, standard_error=error)
