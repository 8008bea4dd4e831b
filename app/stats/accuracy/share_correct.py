"""Accuracy of answers against an answer key: proportion correct overall and by source, item or kind of item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.stats.comparison.describe import share
from app.stats.core.arrays import present

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Labels
    from app.stats.core.result import Result


@dataclass(frozen=True, slots=True)
class GroupAccuracy:
    """The proportion of correct answers in one group."""

    group: object
    accuracy: Result


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


def accuracy_by_group(
    is_correct: Floats, group: Labels, *, item: Labels, rater: Labels, level: float = 0.95
) -> list[GroupAccuracy]:
    """Return `accuracy_share` per group (source, item or kind of item) in order of first appearance; (n,) labels."""
    answer, (groups, items, raters) = present(is_correct, group, item, rater)
    code, names = pd.factorize(groups)
    return [
        GroupAccuracy(name, accuracy_share(answer[here], item=items[here], rater=raters[here], level=level))
        for name, here in ((name, code == k) for k, name in enumerate(names.tolist()))
    ]


def is_correct(given: Labels, key: Labels) -> Floats:
    """Return 1 if the answer equals the key, 0 if not, nan if either is missing; shape (n,).

    >>> is_correct(np.array(["joy", "fear", None]), np.array(["joy", "joy", "joy"]))
    array([ 1.,  0., nan])
    """
    known = ~(pd.isna(given) | pd.isna(key))
    return np.where(known, np.asarray(given) == np.asarray(key), np.nan).astype(np.float64)
