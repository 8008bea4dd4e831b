"""The answers to one question, in the form that all sections use."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Self, TypedDict, TypeVar
from zlib import crc32

import numpy as np
import pandas as pd

from app.analysis.data.encoded_study import Bools, Codes, Floats, Ints
from app.analysis.estimate import Counts, Unit
from app.protocol.questions.question import Target
from app.protocol.questions.registry import PreferenceQuestion, ScaledQuestion
from app.stats.arrays import codes as in_order
from app.stats.ratings import Ratings

Column = TypeVar("Column", "Ints", "Floats")
# positions in OUTCOMES
RESPONSE, TIE, NEITHER = 0, 1, 2
UNITS: dict[str, Unit] = {
    "response": "response",
    "pair": "item",
    "set": "response",
    "item": "item",
    "turn": "item",
    "rater": "rating",
}


class Where(TypedDict):
    """Item and rater of each answer, as arguments of the statistics that need both."""

    item: Ints
    rater: Ints


@dataclass(frozen=True, eq=False)
class Answers:
    """Arrays of equal length, with one entry per answer that has a value.

    `unit` is what raters can agree on: the response, the item's pair, the item, or the item's turn. `source` is -1 if
    there is none. `is_first` is False if the rater has already rated the unit (in another pair or condition); such
    answers do not enter agreement. `row` is the position in `Codes.rows`.
    """

    item: Ints
    unit: Ints
    rater: Ints
    source: Ints
    value: Floats
    is_first: Bools
    row: Ints

    def select(self, rows: Bools | Ints) -> Self:
        """Return the answers selected by a mask or by positions; these answers themselves if the mask selects all."""
        if rows.dtype == np.bool_ and rows.all():
            return self
        at = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return type(self)(**{field.name: getattr(self, field.name)[at] for field in fields(self)})

    def within(self, rows: Bools | Ints) -> Self:
        """Select like `select`, but recompute `is_first` within the selected answers."""
        return self.select(rows).with_own_first

    def of_source(self, source: int) -> Self:
        """Return the answers about responses of a source: the same object each time.

        Sections share what is computed from them, such as their hash, their counts and their clusters.
        """
        found = self._by_source.get(source)
        if found is None:
            found = self.select(self.source == source)
            if found is not self:  # an object that refers to itself is freed late
                self._by_source[source] = found
        return found

    @cached_property
    def _by_source(self) -> dict[int, Self]:
        return {}

    @property
    def with_own_first(self) -> Self:
        """These answers with `is_first` as if there were no others."""
        first = _is_first(self.unit, self.rater)
        return self if np.array_equal(first, self.is_first) else replace(self, is_first=first)

    @property
    def per_item(self) -> Answers:
        """One value per rater, item and source: the mean if the rater rated several responses.

        Otherwise a source with two responses to an item, or a response shown in two pairs, would count twice for that
        item.
        """
        return self._means_per_item or self

    @cached_property
    def _means_per_item(self) -> Answers | None:
        n_items, n_raters = (int(code.max(initial=0)) + 1 for code in (self.item, self.rater))
        cell, n_cells = in_order((self.source * n_items + self.item) * n_raters + self.rater)
        if n_cells == len(cell):
            return None
        mean = np.bincount(cell, self.value) / np.bincount(cell)
        first = np.flatnonzero(~pd.Series(cell).duplicated().to_numpy())
        one = self.select(first)
        return Answers(one.item, one.unit, one.rater, one.source, mean[cell[first]], one.is_first, one.row)

    @property
    def where(self) -> Where:
        """Item and rater."""
        return {"item": self.item, "rater": self.rater}

    @cached_property
    def seed(self) -> int:
        """Seed for random draws, so that the same answers give the same draws regardless of all other answers."""
        return crc32(self.unit.tobytes(), crc32(self.value.tobytes()))

    @cached_property
    def hash(self) -> str:
        """Hash of items, units, raters (by order of appearance) and values, regardless of all other answers."""
        digest = blake2b(digest_size=8)
        for part in (self.item, self.unit, in_order(self.rater)[0]):
            digest.update(part.astype(np.int32).data)
        digest.update(np.ascontiguousarray(self.value).data)
        return digest.hexdigest()

    @cached_property
    def ratings(self) -> Ratings:
        """One rating per rater and unit, for the agreement statistics."""
        first = self.is_first
        if first.all():
            return Ratings(self.unit, self.rater, self.value)
        return Ratings(self.unit[first], self.rater[first], self.value[first])

    @cached_property
    def counts(self) -> Counts:
        """Number of items, units, raters and ratings. A unit is pairable if two raters or more rated it."""
        sizes = self.ratings.sizes()
        return {"n_items": n_distinct(self.item), **sizes, "n_ratings": len(self.value)}


@dataclass(frozen=True, eq=False)
class Choices(Answers):
    """Answers to a forced choice.

    `value` is the category: the position of the response within its item, then tie, then neither. `chosen` is the
    source of the chosen response (-1 for tie and neither). `one` and `other` are the sources of the pair, in the order
    of the responses; `one_response` and `other_response` are the codes of the responses. `is_left` is 1 if the left
    response was chosen, 0 if the right one was; `one_is_left` is 1 if `one` was on the left; both are nan if unknown.
    `strength` is the strength of the preference, nan if it was not asked.
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

    @property
    def compared(self) -> dict[str, int]:
        """How many items and raters the choices that compare two responses have; *neither* compares none."""
        of = self.outcome != NEITHER
        return {"n_items": n_distinct(self.item[of]), "n_raters": n_distinct(self.rater[of])}


def n_distinct(codes: Ints) -> int:
    """Return the number of distinct codes; -1 (none) is not counted."""
    return int(np.count_nonzero(np.bincount(codes[codes >= 0])))


def scaled_answers(codes: Codes, question: ScaledQuestion) -> Answers:
    """Return the numeric answers to a rating or slider question, without answers that have no number (cannot judge)."""
    number = codes.rows.number
    at = codes.rows_of(question.key)
    at = at[np.isfinite(number[at])]
    return answers_at(codes, question.rated, at, _at(number, at))


def _at(column: Column, at: Ints) -> Column:
    """Return the entries at ascending positions; the column itself, without a copy, if these are all."""
    return column if len(at) == len(column) else column[at]


def answers_at(codes: Codes, target: Target, at: Ints, value: Floats) -> Answers:
    """Return the answers at these ascending positions in `Codes.rows`, with the unit on which raters can agree."""
    rows = codes.rows
    item, rater = _at(rows.item, at), _at(rows.rater, at)
    unit, source = item, np.full(len(at), -1)
    if target == "response":
        unit = _at(rows.response, at)
        source = codes.responses.source[unit]
    elif target == "turn":
        # A conversation may be a response: its third turn is not the third turn of another response to the same item.
        response = rows.response[at]
        unit = _codes(_codes(item, response), np.nan_to_num(rows.turn[at], nan=-1).astype(np.int64))
        of_response = response >= 0
        source[of_response] = codes.responses.source[response[of_response]]
    elif target == "rater":
        unit = rater
    return Answers(item, unit, rater, source, value, _is_first(unit, rater), at)


def choice_answers(codes: Codes, question: PreferenceQuestion) -> Choices:
    """Return the choices of a question, without "cannot judge"."""
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
    """Return the two responses of each choice in the order of the table; if not named, those of an item with two."""
    one, other = np.minimum(left, right), np.maximum(left, right)
    first, second = codes.responses.two
    is_unnamed = one < 0
    return np.where(is_unnamed, first[item], one), np.where(is_unnamed, second[item], other)


def _codes(left: Ints, right: Ints) -> Ints:
    """Return one code per pair of codes, numbered without gaps in order of first appearance."""
    return pd.factorize(left * (int(right.max(initial=0)) + 2) + right + 1)[0].astype(np.int64)


def _is_first(unit: Ints, rater: Ints) -> Bools:
    cell = pd.Series(unit * (int(rater.max(initial=0)) + 1) + rater)
    return ~cell.duplicated().to_numpy()
