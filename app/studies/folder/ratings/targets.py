"""The target of each answer: rater, question, item, response or pair, checked against the question."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from app.base.files.cells import Mask, Places, faulty, ids, one_of
from app.base.files.table import Column, Keys, Table, places
from app.base.problems import Problems
from app.protocol.study import Protocol

# Look up the responses of items, for whole columns at once.

UNKNOWN, AMBIGUOUS = -1, -2


class Replies:
    """Responses by item, and by item and source; everything is addressed by row position in its table."""

    def __init__(self, items: pd.DataFrame, responses: pd.DataFrame, sources: list[str]) -> None:
        """Sort the responses once, so that each look-up is a binary search."""
        self.keys: Column = responses["response"].to_numpy(dtype=object)
        self.index = pd.Index(self.keys)
        self.sources = sources
        self.item: Places = places(items["item"].to_numpy(dtype=object), responses["item"].to_numpy(dtype=object))
        self.source: Places = places(sources, responses["source"].to_numpy(dtype=object))
        self._by_item: Places = np.argsort(self.item, kind="stable")
        self._items_sorted: Places = self.item[self._by_item]
        pair = self._pair_key(self.item, self.source)
        self._by_pair: Places = np.argsort(pair, kind="stable")
        self._pairs_sorted: Places = pair[self._by_pair]

    def _pair_key(self, item: Places, source: Places) -> Places:
        return item * (len(self.sources) + 1) + source

    def count(self, item: Places) -> Places:
        """Return the number of responses of each of these items."""
        return _span(self._items_sorted, item)[1]

    def first_two(self, item: Places) -> tuple[Places, Places]:
        """Return the two responses of items that have exactly two; UNKNOWN for other items."""
        start, count = _span(self._items_sorted, item)
        two = count == 2  # noqa: PLR2004 - two responses
        first, second = (np.full(len(item), UNKNOWN, dtype=np.int64) for _ in range(2))
        first[two] = self._by_item[start[two]]
        second[two] = self._by_item[start[two] + 1]
        return first, second

    def by_source(self, item: Places, source: Places) -> Places:
        """Return the only response of a source to an item; UNKNOWN if there is none, AMBIGUOUS if there are several."""
        start, count = _span(self._pairs_sorted, self._pair_key(item, source))
        found = np.full(len(item), UNKNOWN, dtype=np.int64)
        one = (count == 1) & (item >= 0) & (source >= 0)
        found[one] = self._by_pair[start[one]]
        found[(count > 1) & (item >= 0) & (source >= 0)] = AMBIGUOUS
        return found

    def at(self, place: Places) -> Column:
        """Return the response IDs at these positions; None for negative positions."""
        found = np.full(len(place), None, dtype=object)
        found[place >= 0] = self.keys[place[place >= 0]]
        return found


def _span(ordered: Places, wanted: Places) -> tuple[Places, Places]:
    start = np.searchsorted(ordered, wanted, side="left")
    return start, np.searchsorted(ordered, wanted, side="right") - start


# ratings.csv during the checks: its columns, and which rows have no problem so far.


@dataclass(slots=True)
class Sheet:
    """The table of answers. `reject` adds problems and excludes their rows from the checks that follow."""

    table: Table
    problems: Problems
    ok: Mask = field(init=False)
    _ids: dict[str, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start with every row accepted."""
        self.ok = np.ones(len(self.table), dtype=bool)

    def ids(self, name: str) -> Column:
        """Return a column of IDs without surrounding spaces; its problems are reported only once."""
        if name not in self._ids:
            self._ids[name] = ids(self.table, name, self.problems)
        return self._ids[name]

    def reject(self, where: Mask, name: str, allowed: str) -> None:
        """Add a problem with the cell of each of these rows."""
        faulty(self.table, where, name, self.table.column(name), allowed, self.problems)
        self.ok &= ~where


@dataclass(slots=True)
class Study:
    """The parts of a study that answers refer to."""

    protocol: Protocol
    items: pd.DataFrame
    responses: pd.DataFrame
    raters: pd.DataFrame


@dataclass(slots=True)
class Targets:
    """Positions of what each row names in the tables of the study; negative if the row does not name it."""

    question: Places
    rater: Places
    item: Places
    response: Places
    left: Places
    right: Places
    replies: Replies


def check_targets(sheet: Sheet, study: Study) -> Targets:
    """Look up what each row names, and check it against the question's target."""
    keys = [question.key for question in study.protocol.questions]
    replies = Replies(study.items, study.responses, list(study.protocol.sources))
    question = known(sheet, "question", keys, one_of(keys, "study.yaml", "a question"), required=True)
    raters = study.raters["rater"].to_numpy(dtype=object)
    rater = known(sheet, "rater", raters, one_of(raters, "raters.csv", "a rater"), required=True)
    items = study.items["item"].to_numpy(dtype=object)
    item = known(sheet, "item", items, one_of(items, "items.csv", "an item"))
    response = known(sheet, "response", replies.index, "a response in responses.csv")
    _hold_against_target(sheet, study, question, item, response)
    _belongs(sheet, "response", response, item, replies)
    left, right = (_side(sheet, name, item, replies) for name in ("left_response", "right_response"))
    _two_sides(sheet, left, right)
    return Targets(question, rater, item, response, left, right, replies)


def known(sheet: Sheet, name: str, keys: Keys, allowed: str, *, required: bool = False) -> Places:
    """Return the position of each ID among the keys, -1 if the cell is empty; reject rows with another ID."""
    text = sheet.ids(name)
    found = sheet.table.places(name, keys)
    sheet.reject((found < 0) & ((text != "") | required), name, allowed)
    return found


def _hold_against_target(sheet: Sheet, study: Study, question: Places, item: Places, response: Places) -> None:
    targets = np.array([question.target for question in study.protocol.questions], dtype=object)
    target = np.where(question >= 0, targets[question], "")
    has_item, has_response = item >= 0, response >= 0
    asks = sheet.ok & (target != "")
    sheet.reject(asks & (target != "rater") & ~has_item, "item", "an item, because the question is about an item")
    sheet.reject(asks & (target == "rater") & has_item, "item", "nothing, because the question is about the rater")
    sheet.reject(
        asks & (target == "rater") & has_response, "response", "nothing, because the question is about the rater"
    )
    sheet.reject(
        asks & np.isin(target, ("response", "set")) & ~has_response,
        "response",
        "a response, because the question is about a response",
    )
    sheet.reject(
        asks & (target == "pair") & has_response, "response", "nothing, because the question is about the pair"
    )
    sheet.reject(
        asks & (target == "item") & has_response, "response", "nothing, because the question is about the item"
    )
    sheet.reject(
        asks & (target == "turn") & (sheet.table.stripped("turn") == ""),
        "turn",
        "a turn, because the question is about a turn",
    )


def _belongs(sheet: Sheet, name: str, response: Places, item: Places, replies: Replies) -> None:
    elsewhere = np.zeros(len(item), dtype=bool)
    named = (response >= 0) & (item >= 0)
    elsewhere[named] = replies.item[response[named]] != item[named]
    sheet.reject(elsewhere, name, "a response to the item in this row")


def _side(sheet: Sheet, name: str, item: Places, replies: Replies) -> Places:
    """Return one side of the pair, found by response ID or source."""
    text = sheet.ids(name)
    by_source = replies.by_source(item, sheet.table.places(name, replies.sources))
    found = sheet.table.places(name, replies.index)
    found = np.where(found >= 0, found, by_source)
    sheet.reject(found == AMBIGUOUS, name, "a response ID, because that source has several responses to this item")
    sheet.reject((found == UNKNOWN) & (text != ""), name, "a response in responses.csv, or its source")
    _belongs(sheet, name, found, item, replies)
    return found


def _two_sides(sheet: Sheet, left: Places, right: Places) -> None:
    one_only: Mask = (sheet.ids("left_response") == "") != (sheet.ids("right_response") == "")
    sheet.reject(one_only & (sheet.ids("left_response") == ""), "left_response", "the other response of the pair")
    sheet.reject(one_only & (sheet.ids("right_response") == ""), "right_response", "the other response of the pair")
    sheet.reject((left >= 0) & (left == right), "right_response", "a response other than the left one")
