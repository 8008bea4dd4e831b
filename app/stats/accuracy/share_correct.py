"""Accuracy of answers against an answer key: proportion correct."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.stats.comparison.describe import share

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Labels
    from app.stats.core.result import Result


def accuracy_share(
    is_correct: Floats, *, item: Labels, rater: Labels, chance: float | None = None, level: float = 0.95
) -> Result:
    """Return the proportion of correct answers, for new items and raters. Unit: rating.

    Args:
        is_correct: 1, 0, or nan if not answered, shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        chance: proportion expected from guessing, as null value of the test.
        level: confidence level of the two-way cluster t interval, computed on the logit scale.
    """
    return share(is_correct, item=item, rater=rater, null=chance, level=level)


def is_correct(given: Labels, key: Labels) -> Floats:
    """Return 1 if the answer equals the key, 0 if not, nan if either is missing; shape (n,).

    >>> is_correct(np.array(["joy", "fear", None]), np.array(["joy", "joy", "joy"]))
    array([ 1.,  0., nan])
    """
    known = ~(pd.isna(given) | pd.isna(key))
    return np.where(known, np.asarray(given) == np.asarray(key), np.nan).astype(np.float64)
