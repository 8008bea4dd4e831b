"""Whether a model judge answers the same when it is asked again, on the same sides and on swapped sides."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.questions.answers import Choices
from app.stats.comparison import describe
from app.stats.core.clusters import for_new_items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.encoded_study import Bools, Floats, Ints
    from app.analysis.data.questions.answers import Answers
    from app.analysis.data.questions.question_data import AnyQuestionData
    from app.analysis.estimate import Estimate, Scope, Unit

SECTION = "judge"
SWAPPED = "of answers repeated with the sides swapped"
AGAIN = "of answers repeated with the same sides"


def repeated_answers(data: AnyQuestionData, own: Answers, is_again: Bools, scope: Scope) -> Iterator[Estimate]:
    """Yield which side the judge chose, and how often a repeated answer is the same.

    Args:
        data: the question data.
        own: all answers of one judge, with repeats.
        is_again: whether each answer is a repeat.
        scope: of the judge.
    """
    unit: Unit = "choice" if isinstance(own, Choices) else "rating"
    if isinstance(own, Choices):
        first = own.select(~is_again)
        left = for_new_items(describe.share(first.is_left, item=first.item, rater=first.item, null=0.5))
        yield data.record(left, first, section=SECTION, scope=scope, statistic="first_side_share", unit="choice")
    is_left = _is_left(data, own)
    one, other = _pairs(data, own, is_again)
    is_swapped = is_left[one] + is_left[other] == 1
    is_same_side = (is_left[one] == is_left[other]) | (np.isnan(is_left[one]) & np.isnan(is_left[other]))
    for statistic, kept, words in (
        ("side_consistency", is_swapped, SWAPPED),
        ("retest_agreement", is_same_side, AGAIN),
    ):
        if kept.any():
            same = (own.value[one[kept]] == own.value[other[kept]]) * 1.0
            items = own.item[one[kept]]
            share = for_new_items(describe.share(same, item=items, rater=items))
            result = replace(share, method=f"{share.method}: {words}")
            part = own.select(one[kept])
            yield data.record(result, part, section=SECTION, scope=scope, statistic=statistic, unit=unit)


def _is_left(data: AnyQuestionData, own: Answers) -> Floats:
    """Return 1 if the response rated, or the first response of a pair, was on the left, 0 if on the right, else nan."""
    if isinstance(own, Choices):
        return own.one_is_left
    rows = data.codes.rows
    left, response = rows.left[own.row], rows.response[own.row]
    return np.where((left >= 0) & (response >= 0), (left == response) * 1.0, np.nan)


def _pairs(data: AnyQuestionData, own: Answers, is_again: Bools) -> tuple[Ints, Ints]:
    """Return the positions of first answers and of their repeats: same unit, same pair, same condition."""
    rows = data.codes.rows
    left, right = rows.left[own.row], rows.right[own.row]
    condition = data.codes.kept["condition"].iloc[own.row].fillna("").tolist()
    keys = list(zip(own.unit, np.minimum(left, right), np.maximum(left, right), condition, strict=True))
    order = sorted(range(len(keys)), key=lambda place: (keys[place], is_again[place]))
    pairs = [
        (first, other)
        for _, group in groupby(order, key=keys.__getitem__)
        for first, *others in [list(group)]
        for other in others
        if not is_again[first] and is_again[other]
    ]
    one, another = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return one, another
