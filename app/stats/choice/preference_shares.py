"""Forced choices between a source and its reference: proportions, with ties counted as half or dropped.

`outcome` shape (n,) is LOST, WON, TIE or NEITHER for each choice, from the source's point of view: it refers to the
chosen response, never to the side of the screen. `item` and `rater` shape (n,) are labels. Intervals are for new items
and raters.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from app.stats.arrays import Floats, Ints, Labels
from app.stats.comparison.describe import share
from app.stats.proportions import binomial_intervals as binomial
from app.stats.result import Result

LOST, WON, TIE, NEITHER = 0, 1, 2, 3
_WORTH = np.array([0.0, 1.0, 0.5, np.nan])


def worth(outcome: Ints) -> Floats:
    """Return 1 for a win, 0 for a loss, 1/2 for a tie, nan for neither.

    >>> worth(np.array([WON, TIE]))
    array([1. , 0.5])
    """
    return _WORTH[np.asarray(outcome, dtype=np.int64)]


def share_preferred(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of choices for the source, with ties as half, tested against one half.

    Choices of neither are dropped, as they do not compare the two; see `neither_share`.
    """
    return share(worth(outcome), item=item, rater=rater, null=0.5, level=level)


def share_decisive(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of choices for the source among those for one of the two, tested against one half."""
    won = np.where(np.asarray(outcome) == TIE, np.nan, worth(outcome))
    return share(won, item=item, rater=rater, null=0.5, level=level)


def tie_share(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of ties among all choices, including those of neither."""
    return share((np.asarray(outcome) == TIE).astype(np.float64), item=item, rater=rater, level=level)


def win_share(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of choices for the source among all choices, including ties and those of neither."""
    return share((np.asarray(outcome) == WON).astype(np.float64), item=item, rater=rater, level=level)


def lose_share(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of choices for the reference among all choices, including ties and those of neither."""
    return share((np.asarray(outcome) == LOST).astype(np.float64), item=item, rater=rater, level=level)


def neither_share(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of choices of neither among all choices."""
    return share((np.asarray(outcome) == NEITHER).astype(np.float64), item=item, rater=rater, level=level)


def coherence(gap: Floats, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of choices for the response that the rater had rated higher; 1/2 if unrelated.

    `gap` shape (n,): rating of the chosen response minus that of the other, by the same rater; nan if one is missing or
    nothing was chosen. Equal ratings (0) are not informative and are dropped.
    """
    return share(np.where(gap == 0, np.nan, np.sign(gap) / 2 + 0.5), item=item, rater=rater, null=0.5, level=level)


def share_decisive_unclustered(
    outcome: Ints, method: Callable[..., Result] = binomial.wilson, *, level: float = 0.95
) -> Result:
    """Return the proportion of decisive choices for the source, treating all choices as independent.

    `method` is `wilson`, `wilson_cc` or `clopper_pearson` of `binomial`. These cannot count ties as half, so ties are
    dropped.
    """
    outcomes = np.asarray(outcome)
    n_won, n_lost = int((outcomes == WON).sum()), int((outcomes == LOST).sum())
    return method(n_won, n_won + n_lost, level=level)


def first_side_share(is_first_chosen: Floats, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion of decisive choices for the first side (left, or above); 1/2 without a position effect.

    `is_first_chosen` shape (n,): 1, 0, or nan if the choice was a tie or neither, or the side is unknown.
    """
    return share(is_first_chosen, item=item, rater=rater, null=0.5, level=level)


# The pairwise comparisons that a ranking implies.


@dataclass(frozen=True, slots=True)
class RankedPairs:
    """All response pairs in each ranking, as indices into the ranks: `one` before `other`; `worth` shape (n_pairs,).

    `worth`: 1 if `one` is ranked above `other`, 0 if below, one half if they are tied.
    """

    one: Ints
    other: Ints
    worth: Floats


def ranked_pairs(rank: Floats, ranking: Ints) -> RankedPairs:
    """Return the pairs of all rankings. Pairs of one ranking are not independent: cluster them by item and rater.

    Args:
        rank: shape (n,), lower is first.
        ranking: shape (n,), code of the ranking that each rank belongs to.

    >>> ranked_pairs(np.array([1.0, 2, 2]), np.zeros(3, dtype=np.int64)).worth
    array([1. , 1. , 0.5])
    """
    table = pd.DataFrame({"ranking": ranking, "at": np.arange(len(rank))})
    both = table.merge(table, on="ranking")
    both = both[both["at_x"] < both["at_y"]]
    one, other = both["at_x"].to_numpy(dtype=np.int64), both["at_y"].to_numpy(dtype=np.int64)
    return RankedPairs(one, other, np.sign(rank[other] - rank[one]) / 2 + 0.5)
