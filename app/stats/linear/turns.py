"""Ratings of the turns of a dialogue: their slope over turns, and how they relate to the rating of the whole dialogue.

Arguments: `value`, `turn` (1, 2, 3 ...), `dialogue` and `rater` shape (n,), one entry per rating; rows in which value
or turn is nan are dropped. A dialogue is an item with one source.
"""

from __future__ import annotations

import numpy as np

from app.stats.arms import missing_side
from app.stats.arrays import Bools, Floats, Labels, present
from app.stats.linear.cluster_robust import linear_contrast
from app.stats.mixed.random_slopes import mixed_contrast
from app.stats.result import Result


def turn_slope(value: Floats, turn: Floats, *, dialogue: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the change of the rating, in points per turn, for new dialogues and new raters.

    Linear mixed model y = b0 + b1 (turn - mean turn) + effects of dialogue and of rater, each with intercept and slope,
    by REML with Satterthwaite degrees of freedom (Bates et al. 2015; Kuznetsova et al. 2017).
    """
    number, (turns, dialogues, raters) = present(_known(value, turn), turn, dialogue, rater)
    X = np.column_stack([np.ones(len(number)), _centred(turns)])
    return mixed_contrast(number, X, np.array([0.0, 1.0]), item=dialogues, rater=raters, level=level)


def turn_slope_difference(
    value: Floats, turn: Floats, is_treated: Bools, *, dialogue: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the slope over turns of the source minus that of the reference. As `turn_slope`, with an interaction.

    `is_treated` shape (n,): whether the dialogue belongs to the source.
    """
    number, (turns, treated, dialogues, raters) = present(_known(value, turn), turn, is_treated, dialogue, rater)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return problem
    source, place = treated - 0.5, _centred(turns)
    X = np.column_stack([np.ones(len(number)), place, source, place * source])
    return mixed_contrast(number, X, np.array([0.0, 0.0, 0.0, 1.0]), item=dialogues, rater=raters, level=level)


def whole_on_turns(
    whole: Floats, turns: Floats, *, dialogue: Labels, rater: Labels, level: float = 0.95
) -> list[Result]:
    """Return the weight of each turn in the rating of the whole dialogue, adjusted for the other turns.

    Least squares of the whole on all turns at once, CR2 errors by dialogue and rater: one coefficient per turn.
    Equal coefficients mean an average over turns, a large last one recency (Fredrickson and Kahneman 1993).

    Args:
        whole: one rating per rater and dialogue, shape (n,).
        turns: the same rater's ratings of the turns, shape (n, n_turns); rows with nan are dropped.
        dialogue: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    complete = np.where(np.isfinite(turns).all(axis=1), whole, np.nan)
    number, (dialogues, raters) = present(complete, dialogue, rater)
    kept = turns[np.isfinite(complete)]
    X = np.column_stack([np.ones(len(number)), kept])
    contrasts = np.eye(X.shape[1])[1:]
    return [linear_contrast(number, X, row, item=dialogues, rater=raters, level=level) for row in contrasts]


def _known(value: Floats, turn: Floats) -> Floats:
    return np.where(np.isfinite(turn), value, np.nan)


def _centred(turn: Floats) -> Floats:
    return turn - turn.mean() if len(turn) else turn
