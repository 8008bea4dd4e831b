"""Signs of careless responding: straight-lining, always choosing one side, answers that hardly vary.

They are reasons to look at a rater, not to exclude one: exclusion rules belong in the protocol before the study opens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Floats, Labels, spread
from app.stats.proportions.binomial_intervals import sign_test_p


@dataclass(frozen=True)
class Habit:
    """Variation of one rater's answers, in order of answering.

    Attributes:
        longest_run: length of the longest run of equal answers.
        modal_share: proportion of the most frequent answer.
        entropy: entropy of the answers in bits; 0 if all answers are equal.
        sd: standard deviation; None for a single answer.
    """

    rater: object
    n: int
    longest_run: int
    modal_share: float
    entropy: float
    sd: float | None


@dataclass(frozen=True)
class SideHabit:
    """Sides chosen by one rater; `p_value` is from the exact sign test against one half."""

    rater: object
    n: int
    n_first: int
    longest_run: int
    p_value: float


def habits(value: Floats, rater: Labels) -> list[Habit]:
    """Return one entry per rater, in order of first appearance. Arrays shape (n,) in order of answering."""
    return [_habit(name, own) for name, own in _by_rater(value, rater)]


def side_habits(is_first: Floats, rater: Labels) -> list[SideHabit]:
    """Return one entry per rater with a decisive choice; `is_first` is 1, 0 or nan (ties), shape (n,), in order."""
    found = []
    for name, own in _by_rater(is_first, rater):
        n_first = int(own.sum())
        p_value = sign_test_p(n_first, len(own))
        found.append(SideHabit(name, len(own), n_first, longest_run(own), p_value))
    return found


def longest_run(value: Floats) -> int:
    """Return the length of the longest run of equal values.

    >>> longest_run(np.array([3.0, 3, 1, 3]))
    2
    """
    if not len(value):
        return 0
    starts = np.flatnonzero(np.append(True, value[1:] != value[:-1]))
    return int(np.diff(np.append(starts, len(value))).max())


def _by_rater(value: Floats, rater: Labels) -> list[tuple[object, Floats]]:
    here = np.isfinite(value)
    names = np.asarray(rater)[here]
    number = np.asarray(value, dtype=np.float64)[here]
    return [(name, number[names == name]) for name in dict.fromkeys(names.tolist())]


def _habit(name: object, own: Floats) -> Habit:
    shares = np.unique(own, return_counts=True)[1] / len(own)
    entropy = float(max(0.0, -(shares * np.log2(shares)).sum()))
    sd = spread(own) if len(own) > 1 else None
    return Habit(name, len(own), longest_run(own), float(shares.max()), entropy, sd)
