"""The answers to one question, as every section takes them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, TypedDict
from zlib import crc32

import numpy as np
import pandas as pd

from app.stats.core.ratings import Ratings

if TYPE_CHECKING:
    from typing import Self

    from app.analysis.data.encoded_study import Bools, Codes, Floats, Ints
    from app.analysis.estimate import Unit
    from app.design.questions.choice import ChoiceQuestion
    from app.design.questions.kinds import ScaledQuestion
    from app.design.questions.question import Target

# places in OUTCOMES
RESPONSE, TIE, NEITHER = 0, 1, 2
UNITS: dict[str, Unit] = {
    "response": "response",
    "pair": "item",
    "set": "item",
    "item": "item",
    "turn": "item",
    "rater": "rating",
}


class Counts(TypedDict):
    """The counts that every estimate carries."""

    n_items: int
    n_units: int
    n_pairable_units: int
    n_raters: int
    n_ratings: int


class Where(TypedDict):
    """Item and rater of each answer, as the statistics that look through both take them."""

    item: Ints
    rater: Ints


@dataclass(frozen=True, eq=False)
class Answers:
    """Equally long arrays, one place an answer that has a value.

    `unit` is what raters can agree on: the response, the item's pair, the item, or the item's turn; `source` is -1
    where there is none; `is_first` is False where a rater had already rated that unit (another pair, another
    condition): within a rater there is nothing to agree on. `row` is the place in `Codes.rows`.
    """

    item: Ints
    unit: Ints
    rater: Ints
    source: Ints
    value: Floats
    is_first: Bools
    row: Ints

    def select(self, rows: Bools | Ints) -> Self:
        """The answers where the mask holds, or at these places."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def within(self, rows: Bools | Ints) -> Self:
        """As `select`, but each rater's first rating of a unit is the first among these."""
        part = self.select(rows)
        return replace(part, is_first=_is_first(part.unit, part.rater))

    @property
    def where(self) -> Where:
        """Item and rater."""
        return {"item": self.item, "rater": self.rater}

    @cached_property
    def seed(self) -> int:
        """Whatever is drawn at random for these answers is drawn alike each time, whoever else answers."""
        return crc32(self.unit.tobytes(), crc32(self.value.tobytes()))

    @cached_property
    def hash(self) -> str:
        """Which answers these are: who gave which value to what, whoever else answers."""
        digest = blake2b(digest_size=8)
        for part in (self.item, self.unit, pd.factorize(self.rater)[0], self.value):
            digest.update(part.tobytes())
        return digest.hexdigest()

    @cached_property
    def ratings(self) -> Ratings:
        """What the agreement statistics take: one rating of each rater for each unit."""
        first = self.is_first
        if first.all():
            return Ratings(self.unit, self.rater, self.value)
        return Ratings(self.unit[first], self.rater[first], self.value[first])

    @cached_property
    def counts(self) -> Counts:
        """How much there is. A unit is pairable when two raters or more rated it."""
        sizes = self.ratings.sizes()
        return {"n_items": n_distinct(self.item), **sizes, "n_ratings": len(self.value)}


@dataclass(frozen=True, eq=False)
class Choices(Answers):
    """Answers to a forced choice. `value` is the category: the place of the response in its item, then tie, neither.

    `chosen` is the source of the response chosen (-1 for tie and neither), `one` and `other` are the sources of the
    pair, in the order of the responses, `one_response` and `other_response` their codes; `is_left` is 1 where the left
    response was chosen, 0 where the right one was, `one_is_left` where `one` stood; nan where that is not known.
    `strength` is how much better, nan where not asked.
    """

    outcome: Ints
    chosen: Ints
    one: Ints
    other: Ints
    one_response: Ints
    other_response: Ints
    is_left: Floats
    one_is_left: Floats
    strength: Floats


def n_distinct(codes: Ints) -> int:
    """How many different codes there are; -1 (none) does not count."""
    return int(np.count_nonzero(np.bincount(codes[codes >= 0])))


def scaled_answers(codes: Codes, question: ScaledQuestion) -> Answers:
    """The numbers given to a rating or slider question; answers without a number (cannot judge) are missing."""
    number = codes.rows.number
    at = codes.rows_of(question.key)
    at = at[np.isfinite(number[at])]
    return answers_at(codes, question.target, at, number[at])


def answers_at(codes: Codes, target: Target, at: Ints, value: Floats) -> Answers:
    """The answers at these places in `Codes.rows`, with the unit that raters of such a question can agree on."""
    rows = codes.rows
    item, rater = rows.item[at], rows.rater[at]
    unit, source = item, np.full(len(at), -1)
    if target == "response":
        unit = rows.response[at]
        source = codes.responses.source[unit]
    elif target == "turn":
        # A conversation may be a response: its third turn is not that of another response to the same item.
        response = rows.response[at]
        unit = _codes(_codes(item, response), np.nan_to_num(rows.turn[at], nan=-1).astype(np.int64))
        of_response = response >= 0
        source[of_response] = codes.responses.source[response[of_response]]
    elif target == "rater":
        unit = rater
    return Answers(item, unit, rater, source, value, _is_first(unit, rater), at)


def choice_answers(codes: Codes, question: ChoiceQuestion) -> Choices:
    """The choices of a question; cannot judge is missing."""
    rows, responses = codes.rows, codes.responses
    at = codes.rows_of(question.key)
    at = at[(rows.outcome[at] >= 0) & (rows.outcome[at] <= NEITHER)]
    item, rater, outcome, chosen = rows.item[at], rows.rater[at], rows.outcome[at], rows.chosen[at]
    left, right = rows.left[at], rows.right[at]
    one, other = _pair(codes, item, left, right)
    last = int(responses.place.max(initial=0))
    category = np.where(outcome == RESPONSE, responses.place[chosen], last + outcome)
    unit = _codes(_codes(item, one), other)
    is_known = left >= 0
    return Choices(
        item,
        unit,
        rater,
        np.full(len(at), -1),
        category.astype(np.float64),
        _is_first(unit, rater),
        at,
        outcome=outcome,
        chosen=np.where(outcome == RESPONSE, responses.source[chosen], -1),
        one=np.where(one >= 0, responses.source[one], -1),
        other=np.where(other >= 0, responses.source[other], -1),
        one_response=one,
        other_response=other,
        is_left=np.where(is_known & (outcome == RESPONSE), (chosen == left) * 1.0, np.nan),
        one_is_left=np.where(is_known, (one == left) * 1.0, np.nan),
        strength=rows.strength[at],
    )


def _pair(codes: Codes, item: Ints, left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """The two responses of each choice, in the table's order; those of the item where it has two and none is named."""
    one, other = np.minimum(left, right), np.maximum(left, right)
    first, second = codes.responses.two
    is_unnamed = one < 0
    return np.where(is_unnamed, first[item], one), np.where(is_unnamed, second[item], other)


def _codes(left: Ints, right: Ints) -> Ints:
    """One code for each two; in the order of first appearance, dense."""
    return pd.factorize(left * (int(right.max(initial=0)) + 2) + right + 1)[0].astype(np.int64)


def _is_first(unit: Ints, rater: Ints) -> Bools:
    cell = pd.Series(unit * (int(rater.max(initial=0)) + 1) + rater)
    return ~cell.duplicated().to_numpy()


def within_items(answers: Answers) -> Answers:
    """One value of each rater for each item and source: the mean where he rated several responses of it.

    A source with two responses to an item, or a response shown in two pairs, would count twice within that item.
    """
    n_items, n_raters = (int(code.max(initial=0)) + 1 for code in (answers.item, answers.rater))
    cell, cells = pd.factorize((answers.source * n_items + answers.item) * n_raters + answers.rater)
    if len(cells) == len(cell):
        return answers
    mean = np.bincount(cell, answers.value) / np.bincount(cell)
    first = np.flatnonzero(~pd.Series(cell).duplicated().to_numpy())
    one = answers.select(first)
    return Answers(one.item, one.unit, one.rater, one.source, mean[cell[first]], one.is_first, one.row)
