"""The context of an answer: turn, side, position, condition, label, times."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from app.base.files.cells import A_TIME, Mask, Places, text_or_none, times_of
from app.base.files.table import Column
from app.base.words import number, or_list
from app.protocol.cells import cells
from app.protocol.questions.question import TYPING
from app.protocol.rating_columns import FRAME_COLUMNS
from app.studies.folder.ratings.targets import Sheet, Study, Targets

_SMALL, _WHOLE, _LARGE = 2**15 - 1, 2**31 - 1, 2**53
# How far rounded probabilities can add up to more than 1.
_ROUNDING = 0.01
_TEXTS = {"condition", "shown_label", "side", "device", "labels_shown"}
TEXT = tuple(column for column in FRAME_COLUMNS if column.name in _TEXTS)


def check_circumstances(sheet: Sheet, study: Study, targets: Targets, chosen: Column) -> dict[str, Column]:
    """Return the context columns of the answers; None if a cell is empty."""
    _check_condition(sheet, study)
    _check_side(sheet, targets, chosen)
    # A turn is checked in rows with a wrong time too, so that both problems are listed.
    has_target = sheet.ok.copy()
    context = read_circumstances(sheet)
    _check_turn(sheet, study, targets, context["turn"], has_target)
    return context


def read_circumstances(sheet: Sheet) -> dict[str, Column]:
    """Return the context columns, checked as far as this is possible without the rest of the study."""
    context = {column.name: text_or_none(sheet.table.stripped(column.name)) for column in TEXT}
    for column in TEXT:
        if column.allowed:
            given = sheet.table.stripped(column.name)
            sheet.reject((given != "") & ~np.isin(given, column.allowed), column.name, or_list(column.allowed))
    limits = {"position": _WHOLE, "repeat": _SMALL, "active_ms": _LARGE} | dict.fromkeys(TYPING, _WHOLE)
    context |= {name: _whole(sheet, name, most) for name, most in limits.items()}
    context["turn"] = _whole(sheet, "turn", _WHOLE, least=1)
    _note_position_0(sheet, context["position"])
    context |= {name: text_or_none(sheet.table.column(name)) for name in ("comment", "exclude")}
    context["probabilities"] = _probabilities(sheet)
    context |= {name: _times(sheet, name) for name in ("rated_at", "served_at")}
    _note_shown_too_late(sheet, context["served_at"], context["rated_at"])
    return context


def _note_position_0(sheet: Sheet, positions: Column) -> None:
    """Note positions that count from 0: the order is the same, and other programs count so."""
    allowed = "positions in the rater's order from 1; read as given"
    _note_first(sheet, "position", np.array([value == 0 for value in positions], dtype=bool), allowed)


def _note_shown_too_late(sheet: Sheet, served_at: Column, rated_at: Column) -> None:
    """Note answers that were given before their item was shown; clocks of other programs may differ."""
    is_late = (pd.Series(served_at) > pd.Series(rated_at)).to_numpy(dtype=bool)
    _note_first(
        sheet, "served_at", is_late, "a time that is not after rated_at, when the answer was given; read as given"
    )


def _note_first(sheet: Sheet, name: str, where: Mask, allowed: str) -> None:
    rows = np.flatnonzero(where)
    if len(rows):
        more = f" in {len(rows)} rows" if len(rows) > 1 else ""
        table, first = sheet.table, rows[0]
        found = str(table.column(name)[first])
        sheet.problems.note(table.file, int(table.rows[first]), table.header(name, first), found, f"{allowed}{more}")


def _check_condition(sheet: Sheet, study: Study) -> None:
    """Reject conditions that the protocol does not declare: they would form a group of their own in the results."""
    declared = [cell.text for cell in cells(study.protocol.conditions) if cell.text]
    allowed = or_list(declared) if declared else "nothing, because the protocol declares no conditions"
    given = sheet.table.stripped("condition")
    sheet.reject((given != "") & ~np.isin(given, declared), "condition", allowed)


def _check_side(sheet: Sheet, targets: Targets, chosen: Column) -> None:
    side = sheet.table.stripped("side")
    known = sheet.ok & (side != "") & (targets.left >= 0)
    # The side is that of the chosen response, or of the response that the question is about.
    left, right = targets.replies.at(targets.left), targets.replies.at(targets.right)
    about = np.where(pd.notna(chosen), chosen, targets.replies.at(targets.response))
    contradicts = ((side == "left") & (about == right)) | ((side == "right") & (about == left))
    sheet.reject(known & contradicts, "side", "the side that left_response and right_response give for the response")


def _whole(sheet: Sheet, name: str, most: int, *, least: int = 0) -> Column:
    numbers = sheet.table.mapped(name, lambda text: _whole_number(text, least, most))
    wrong = np.array([value is None for value in numbers], dtype=bool) & (sheet.table.stripped(name) != "")
    sheet.reject(wrong, name, f"a whole number, {least} or more")
    return numbers


def _whole_number(text: str, least: int, most: int) -> int | None:
    value = number(text)
    return int(value) if value is not None and value.is_integer() and least <= value <= most else None


def _probabilities(sheet: Sheet) -> Column:
    cells = text_or_none(sheet.table.stripped("probabilities"))
    wrong = np.array([cell is not None and not _are_probabilities(cell) for cell in cells], dtype=bool)
    sheet.reject(wrong, "probabilities", 'the probability of each answer as JSON, such as {"4": 0.7, "5": 0.3}')
    return cells


def _are_probabilities(cell: str) -> bool:
    try:
        found = json.loads(cell)
    except (ValueError, RecursionError):
        return False
    if not isinstance(found, dict) or not found:
        return False
    is_number = all(isinstance(one, int | float) and not isinstance(one, bool) for one in found.values())
    return is_number and all(0 <= one <= 1 for one in found.values()) and sum(found.values()) <= 1 + _ROUNDING


def _check_turn(sheet: Sheet, study: Study, targets: Targets, turn: Column, has_target: Mask) -> None:
    given: Mask = has_target & np.array([value is not None for value in turn], dtype=bool) & (targets.item >= 0)
    if not given.any():
        return
    most = np.zeros(len(turn), dtype=np.int64)
    most[given] = _n_turns(study.items["turns"], targets.item[given])
    replied = given & (targets.response >= 0)
    most[replied] = np.maximum(most[replied], _n_turns(study.responses["turns"], targets.response[replied]))
    beyond = given.copy()
    beyond[given] = turn[given].astype(np.int64) > most[given]
    for n_turns in np.unique(most[beyond]):
        sheet.reject(beyond & (most == n_turns), "turn", f"a turn of the dialogue, which has {n_turns} turns")


def _n_turns(turns: pd.Series[str], at: Places) -> Places:
    """Return the number of turns of the texts at these positions; 0 for a text without turns."""
    needed = np.unique(at)
    counts = np.zeros(len(turns), dtype=np.int64)
    counts[needed] = [_count(cell) for cell in turns.iloc[needed]]
    return counts[at]


def _count(turns: str | None) -> int:
    if not turns:
        return 0
    try:
        return len(json.loads(turns))
    except (ValueError, RecursionError):
        # Broken turns are reported separately; no turn number is out of range for them.
        return _WHOLE


def _times(sheet: Sheet, name: str) -> Column:
    text = sheet.table.stripped(name)
    times = times_of(text)
    sheet.reject(times.isna().to_numpy() & (text != ""), name, A_TIME)
    return times  # type: ignore[return-value]  # the frame accepts the times unchanged
