"""Answers held against a key: how many are right, overall and by source, item or kind of item."""

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
    """The share of right answers in one group."""

    group: object
    accuracy: Result


def accuracy_share(
    is_correct: Floats, *, item: Labels, rater: Labels, chance: float | None = None, level: float = 0.95
) -> Result:
    """Share of answers that the key calls right, for new items and raters. Unit: rating.

    Args:
        is_correct: 1, 0, or nan where not answered, shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        chance: the share that guessing would give, for a test against it.
        level: of the two-way cluster t interval, got on the logit scale.
    """
    return share(is_correct, item=item, rater=rater, null=chance, level=level)


def accuracy_by_group(
    is_correct: Floats, group: Labels, *, item: Labels, rater: Labels, level: float = 0.95
) -> list[GroupAccuracy]:
    """`accuracy_share` of each group (a source, an item, a kind of item), in order of first appearance; (n,) labels."""
    answer, (groups, items, raters) = present(is_correct, group, item, rater)
    code, names = pd.factorize(groups)
    return [
        GroupAccuracy(name, accuracy_share(answer[here], item=items[here], rater=raters[here], level=level))
        for name, here in ((name, code == k) for k, name in enumerate(names.tolist()))
    ]


def is_correct(given: Labels, key: Labels) -> Floats:
    """1 where the answer is the one of the key, 0 where not, nan where the answer or the key is missing; (n,).

    >>> is_correct(np.array(["joy", "fear", None]), np.array(["joy", "joy", "joy"]))
    array([ 1.,  0., nan])
    """
    known = ~(pd.isna(given) | pd.isna(key))
    return np.where(known, np.asarray(given) == np.asarray(key), np.nan).astype(np.float64)
