"""Forced choices between a source and its reference: shares, with ties as half or left out.

`outcome` shape (n,) holds one of LOST, WON, TIE, NEITHER for each choice, from the view of the source: the response
that was chosen, never the side of the screen. `item` and `rater` shape (n,) are labels. Intervals are for new items and
raters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.stats.comparison.describe import share
from app.stats.proportions import binomial_intervals as binomial

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.stats.core.arrays import Floats, Ints, Labels
    from app.stats.core.result import Result

LOST, WON, TIE, NEITHER = 0, 1, 2, 3
_WORTH = np.array([0.0, 1.0, 0.5, np.nan])


def worth(outcome: Ints) -> Floats:
    """1 for a win, 0 for a loss, 1/2 for a tie, nan for neither.

    >>> worth(np.array([WON, TIE]))
    array([1. , 0.5])
    """
    return _WORTH[np.asarray(outcome, dtype=np.int64)]


def share_preferred(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Share of choices for the source, a tie counted as half; tested against one half.

    Choices of neither are left out (they say nothing about the two against each other); `neither_share` gives them.
    """
    return share(worth(outcome), item=item, rater=rater, null=0.5, level=level)


def share_decisive(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Share of choices for the source among those that chose one of the two; tested against one half."""
    won = np.where(np.asarray(outcome) == TIE, np.nan, worth(outcome))
    return share(won, item=item, rater=rater, null=0.5, level=level)


def tie_share(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Share of ties among all choices, those of neither included."""
    return share((np.asarray(outcome) == TIE).astype(np.float64), item=item, rater=rater, level=level)


def neither_share(outcome: Ints, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Share of choices of neither among all choices."""
    return share((np.asarray(outcome) == NEITHER).astype(np.float64), item=item, rater=rater, level=level)


def coherence(gap: Floats, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Share of choices that took what the rater had rated higher; one half where choices and ratings have no relation.

    `gap` shape (n,): the rating of the response chosen minus that of the other one, by the same rater; nan where one is
    missing or nothing was chosen. Equal ratings (0) tell nothing and are left out.
    """
    return share(np.where(gap == 0, np.nan, np.sign(gap) / 2 + 0.5), item=item, rater=rater, null=0.5, level=level)


def share_decisive_unclustered(
    outcome: Ints, method: Callable[..., Result] = binomial.wilson, *, level: float = 0.95
) -> Result:
    """Share of decisive choices for the source, every choice taken as independent: `wilson`, `wilson_cc` or
    `clopper_pearson` of `binomial`. Ties cannot be half a success there, so they are left out.
    """
    outcomes = np.asarray(outcome)
    n_won, n_lost = int((outcomes == WON).sum()), int((outcomes == LOST).sum())
    return method(n_won, n_won + n_lost, level=level)


def first_side_share(is_first_chosen: Floats, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Share of decisive choices that took the first side (left, or above): one half where position plays no part.

    `is_first_chosen` shape (n,): 1, 0, or nan where the choice was a tie or neither, or the side is unknown.
    """
    return share(is_first_chosen, item=item, rater=rater, null=0.5, level=level)
