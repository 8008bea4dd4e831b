"""Forced choices: the chosen response, tie or neither, within the pair that was compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.design.numbers import number, number_text
from app.design.word_lists import or_list
from app.exchange.ratings.response_lookup import AMBIGUOUS, UNKNOWN

if TYPE_CHECKING:
    from app.design.questions.kinds.choice import ChoiceQuestion
    from app.design.questions.scale import Scale
    from app.exchange.ratings.ratings_table import Sheet
    from app.exchange.ratings.targets import Targets
    from app.exchange.tabular.column_checks import Mask, Places
    from app.exchange.tabular.table import Column


def check_choices(
    question: ChoiceQuestion, rows: Mask, sheet: Sheet, targets: Targets, answers: dict[str, Column]
) -> None:
    """Fill in outcome, chosen and strength for these rows."""
    value = sheet.table.stripped("value")
    is_word = rows & np.isin(value, question.words)
    answers["outcome"][is_word] = value[is_word]
    pair = _pair(rows & sheet.ok, sheet, targets)
    picks = rows & sheet.ok & ~is_word
    chosen = _chosen(sheet, pair, targets)
    ambiguous = picks & (chosen == AMBIGUOUS)
    sheet.reject(ambiguous, "value", "a response ID, because both responses in this pair are from that source")
    _reject_unknown(question, picks & (chosen == UNKNOWN), pair, sheet, targets)
    picks &= sheet.ok
    answers["outcome"][picks] = "response"
    answers["chosen"][picks] = targets.replies.at(chosen)[picks]
    if question.strength is not None:
        _check_strength(question.strength, rows, picks, sheet, answers["strength"])


def _reject_unknown(
    question: ChoiceQuestion, where: Mask, pair: tuple[Places, Places], sheet: Sheet, targets: Targets
) -> None:
    """Name the sources of the pair: there are few of them, so that many wrong rows stay few kinds of problem."""
    places = np.flatnonzero(where)
    sources = np.sort([targets.replies.source[side[places]] for side in pair], axis=0).T
    for kind in np.unique(sources, axis=0) if len(places) else ():
        same = np.zeros_like(where)
        same[places[(sources == kind).all(axis=1)]] = True
        names = dict.fromkeys(targets.replies.sources[code] for code in kind)
        sheet.reject(same, "value", f"{or_list([*names, *question.words])}, or the ID of one of the two responses")


def _pair(rows: Mask, sheet: Sheet, targets: Targets) -> tuple[Places, Places]:
    """Return the two responses of each row: as named, otherwise those of an item that has exactly two."""
    named = targets.left >= 0
    n_responses = targets.replies.count(targets.item)
    for count in np.unique(n_responses[rows & ~named]):
        if count != 2:  # noqa: PLR2004 - two responses
            where = rows & ~named & (n_responses == count)
            allowed = f"the two responses compared, because the item has {count}"
            sheet.reject(where, "left_response" if count else "item", allowed)
    first, second = targets.replies.first_two(targets.item)
    return np.where(named, targets.left, first), np.where(named, targets.right, second)


def _chosen(sheet: Sheet, pair: tuple[Places, Places], targets: Targets) -> Places:
    """Return the position of the response that the value names by ID or source; UNKNOWN if it is not in the pair."""
    by_id = sheet.table.places("value", targets.replies.keys)
    source = sheet.table.places("value", targets.replies.sources)
    first, second = pair
    is_id = (by_id >= 0) & ((by_id == first) | (by_id == second))
    of_first, of_second = (_is_of(side, source, targets) for side in pair)
    chosen = np.where(of_first, first, np.where(of_second, second, UNKNOWN))
    chosen = np.where(of_first & of_second, AMBIGUOUS, chosen)
    return np.where(is_id, by_id, chosen)


def _is_of(response: Places, source: Places, targets: Targets) -> Mask:
    same = np.zeros(len(response), dtype=bool)
    known = (response >= 0) & (source >= 0)
    same[known] = targets.replies.source[response[known]] == source[known]
    return same


def _check_strength(scale: Scale, rows: Mask, picks: Mask, sheet: Sheet, strengths: Column) -> None:
    given = rows & (sheet.table.stripped("strength") != "")
    points = sheet.table.mapped("strength", lambda text: _point(scale, text))
    off = np.array([point is None for point in points], dtype=bool)
    allowed = or_list(number_text(value) for value in scale.values)
    sheet.reject(given & ~picks, "strength", "nothing, because no response was chosen")
    sheet.reject(given & picks & off, "strength", allowed)
    strengths[given] = points[given]


def _point(scale: Scale, text: str) -> float | None:
    value = number(text)
    return value if value in scale.values else None
