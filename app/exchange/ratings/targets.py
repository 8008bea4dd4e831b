"""The target of each answer: rater, question, item, response or pair, checked against the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.exchange.ratings.response_lookup import AMBIGUOUS, UNKNOWN, Replies
from app.exchange.tabular.column_checks import one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from app.design.protocol.study import Protocol
    from app.exchange.ratings.ratings_table import Sheet
    from app.exchange.tabular.column_checks import Mask, Places
    from app.exchange.tabular.table import Column


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
    response = known(sheet, "response", replies.keys, "a response in responses.csv")
    _hold_against_target(sheet, study, question, item, response)
    _belongs(sheet, "response", response, item, replies)
    left, right = (_side(sheet, name, item, replies) for name in ("left_response", "right_response"))
    _two_sides(sheet, left, right)
    return Targets(question, rater, item, response, left, right, replies)


def known(sheet: Sheet, name: str, keys: Sequence[str] | Column, allowed: str, *, required: bool = False) -> Places:
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
    found = sheet.table.places(name, replies.keys)
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
