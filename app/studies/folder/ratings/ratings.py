"""ratings.csv: one row per answer, checked against the rest of the folder."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from app.analysis.data.frames import WRITTEN_BY, WRITTEN_WITH, rating_frame
from app.base.files.cells import A_TIME, Mask, Places, has_columns, one_of, text_or_none, times_of
from app.base.files.table import Column, Keys, Table, places
from app.base.problems import Problems
from app.base.words import number, or_list
from app.protocol.cells import cells
from app.protocol.dialogue import turns_from_json
from app.protocol.questions.question import TYPING
from app.protocol.rating_columns import DERIVED_COLUMNS, FILE_COLUMNS, FRAME_COLUMNS
from app.protocol.study import Protocol
from app.protocol.waves import at_wave, numbered, wave_of
from app.studies.folder.ratings.answers import check_answers
from app.studies.folder.ratings.targets import Replies, Sheet, Study, Targets, check_targets, known

# The context of an answer: turn, side, position, condition, label, times.


_SMALL, _WHOLE, _LARGE = 2**15 - 1, 2**31 - 1, 2**53
# How far rounded probabilities can add up to more than 1.
_ROUNDING = 0.01
_TEXTS = {"condition", "shown_label", "side", "device", "labels_shown"}
TEXT = tuple(column for column in FRAME_COLUMNS if column.name in _TEXTS)


def check_circumstances(sheet: Sheet, study: Study, targets: Targets, chosen: Column) -> dict[str, Any]:
    """Return the context columns of the answers; None if a cell is empty."""
    _check_condition(sheet, study)
    _check_side(sheet, targets, chosen)
    # A turn is checked in rows with a wrong time too, so that both problems are listed.
    has_target = sheet.ok.copy()
    context = read_circumstances(sheet)
    _check_turn(sheet, study, targets, context["turn"], has_target)
    _check_writer(sheet, study, targets, context["turn"], has_target)
    return context


def read_circumstances(sheet: Sheet) -> dict[str, Any]:
    """Return the context columns, checked as far as this is possible without the rest of the study."""
    context: dict[str, Any] = {column.name: text_or_none(sheet.table.stripped(column.name)) for column in TEXT}
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


def _note_position_0(sheet: Sheet, positions: pd.Series[int]) -> None:
    """Note positions that count from 0: the order is the same, and other programs count so."""
    allowed = "positions in the rater's order from 1; read as given"
    _note_first(sheet, "position", positions.eq(0).fillna(False).to_numpy(dtype=bool), allowed)


def _note_shown_too_late(sheet: Sheet, served_at: pd.Series[Any], rated_at: pd.Series[Any]) -> None:
    """Note answers that were given before their item was shown; clocks of other programs may differ."""
    is_late = (served_at > rated_at).to_numpy(dtype=bool)
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


def _whole(sheet: Sheet, name: str, most: int, *, least: int = 0) -> pd.Series[int]:
    codes, distinct = sheet.table.factor(name)
    numbers = [_whole_number(text, least, most) for text in distinct]
    pairs = zip(numbers, distinct, strict=True)
    wrong = np.array([value is None and text.strip() != "" for value, text in pairs], dtype=bool)
    sheet.reject(wrong[codes], name, f"a whole number, {least} or more")
    return pd.Series(pd.array(numbers, dtype="Int64")[codes])


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


def _check_turn(sheet: Sheet, study: Study, targets: Targets, turn: pd.Series[int], has_target: Mask) -> None:
    given: Mask = has_target & turn.notna().to_numpy() & (targets.item >= 0)
    if not given.any():
        return
    most = np.zeros(len(turn), dtype=np.int64)
    most[given] = _n_turns(study.items["turns"], targets.item[given])
    replied = given & (targets.response >= 0)
    most[replied] = np.maximum(most[replied], _n_turns(study.responses["turns"], targets.response[replied]))
    beyond = given.copy()
    beyond[given] = turn[given].to_numpy(dtype=np.int64) > most[given]
    for n_turns in np.unique(most[beyond]):
        sheet.reject(beyond & (most == n_turns), "turn", f"a turn of the dialogue, which has {n_turns} turns")


def _check_writer(sheet: Sheet, study: Study, targets: Targets, turn: pd.Series[int], has_target: Mask) -> None:
    """Reject answers about turns of somebody else than the question is about, as far as the files name the writers."""
    whose = np.array([question.turns for question in study.protocol.questions], dtype=object)
    asks = np.where(targets.question >= 0, whose[targets.question], "all")
    talks = study.protocol.conversation
    if talks is None or WRITTEN_BY not in study.responses:
        return
    raters, responses = study.raters["rater"].to_numpy(dtype=object), study.responses
    wrong = {"own": has_target & False, "partner": has_target & False}
    known: dict[int, list[str]] = {}
    for row in np.flatnonzero(has_target & sheet.ok & (asks != "all") & (targets.response >= 0)):
        response, rater = int(targets.response[row]), raters[targets.rater[row]]
        partner = talks.partners.get(responses["source"].iloc[response])
        roles = [*partner.roles] if partner and partner.roles else ["rater", "partner"]
        writers = [responses[name].iloc[response] for name in (WRITTEN_BY, WRITTEN_WITH) if name in responses]
        if response not in known:
            known[response] = _writers(responses["turns"].iloc[response])
        if rater in writers and int(turn[row]) <= len(known[response]):
            is_own = known[response][int(turn[row]) - 1] == roles[writers.index(rater)]
            wrong[asks[row]][row] = is_own != (asks[row] == "own")
    sheet.reject(wrong["own"], "turn", "a turn that the rater wrote, because the question is about raters' own turns")
    sheet.reject(wrong["partner"], "turn", "a turn of the partner, because the question is about the partner's turns")


def _writers(turns: str | None) -> list[str]:
    """Who wrote each turn; nobody is known if the turns are broken, which is reported separately."""
    try:
        return [str(one.get("by", "")) for one in turns_from_json(turns or "")]
    except ValueError:
        return []


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


def _times(sheet: Sheet, name: str) -> pd.Series[Any]:
    codes, distinct = sheet.table.factor(name)
    text = np.array([cell.strip() for cell in distinct], dtype=object)
    times = times_of(text)
    sheet.reject((times.isna().to_numpy() & (text != ""))[codes], name, A_TIME)
    return times.take(codes).reset_index(drop=True)


# Check that no rater answers the same question about the same target in the same condition twice.


_NEW = "answers that the study does not have yet; remove this one from the file"


def check_once(
    sheet: Sheet, targets: Targets, context: dict[str, Any], study: Study, before: pd.DataFrame | None
) -> None:
    """Check for one answer per rater, item, question, response, turn, condition, repeat and pair in either order.

    Args:
        sheet: the table of answers.
        targets: what each row is about.
        context: turn, condition and repeat of each row.
        study: the study in which the existing answers are looked up.
        before: existing answers of the study.
    """
    key = _keys(
        targets,
        turn=context["turn"],
        condition=pd.Series(context["condition"], dtype=object),
        repeat=context["repeat"].fillna(0).to_numpy(dtype=np.int64),
    )[sheet.ok]
    _check_within(sheet, key)
    if before is not None and len(before):
        _check_against(sheet, key, _keys_of(before, study, targets.replies))


def _keys(
    targets: Targets, *, turn: pd.Series[int], condition: pd.Series[str], repeat: Places | pd.Series[int]
) -> pd.DataFrame:
    """Return what identifies an answer; rows with equal keys are repeats of one answer."""
    first, second = targets.replies.first_two(targets.item)
    left = np.where(targets.left >= 0, targets.left, first)
    right = np.where(targets.right >= 0, targets.right, second)
    return pd.DataFrame(
        {
            "rater": targets.rater,
            "item": targets.item,
            "question": targets.question,
            "response": targets.response,
            "turn": turn.fillna(-1).to_numpy(dtype=np.int64),
            "condition": condition.where(condition.notna(), "").to_numpy(dtype=object),
            "repeat": np.asarray(repeat, dtype=np.int64),
            "low": np.minimum(left, right),
            "high": np.maximum(left, right),
        }
    )


def _keys_of(answers: pd.DataFrame, study: Study, replies: Replies) -> pd.DataFrame:
    """Return the keys of answers in a frame with RATING_COLUMNS."""

    def found(name: str, keys: Keys) -> Places:
        codes, distinct = pd.factorize(answers[name])
        return np.append(places(keys, np.asarray(distinct, dtype=object)), -1)[codes]

    questions = np.array([question.key for question in study.protocol.questions], dtype=object)
    targets = Targets(
        question=found("question", questions),
        rater=found("rater", study.raters["rater"].to_numpy(dtype=object)),
        item=found("item", study.items["item"].to_numpy(dtype=object)),
        response=found("response", replies.index),
        left=found("left_response", replies.index),
        right=found("right_response", replies.index),
        replies=replies,
    )
    return _keys(targets, turn=answers["turn"], condition=answers["condition"], repeat=answers["repeat"])


def _check_within(sheet: Sheet, key: pd.DataFrame) -> None:
    several = key[key.duplicated(keep=False)]
    if several.empty:
        return
    rows = several.index.to_numpy()
    group = several.groupby(list(several.columns), sort=False).ngroup().to_numpy()
    earliest = rows[np.unique(group, return_index=True)[1]][group]
    repeated = rows != earliest
    for place, earlier in zip(rows[repeated], earliest[repeated], strict=True):
        _reject(sheet, place, f"one answer (the first is in row {sheet.table.rows[earlier]})")


def _check_against(sheet: Sheet, key: pd.DataFrame, before: pd.DataFrame) -> None:
    both = pd.concat([before, key.drop_duplicates()])
    repeated = both.index[both.duplicated().to_numpy() & (np.arange(len(both)) >= len(before))]
    for place in repeated:
        _reject(sheet, place, _NEW)


def _reject(sheet: Sheet, place: int, allowed: str) -> None:
    rater, question, value = (sheet.table.column(name)[place] for name in ("rater", "question", "value"))
    found = f"a second answer of {rater} to {question} ({value})"
    sheet.problems.add(
        sheet.table.file, int(sheet.table.rows[place]), sheet.table.header("value", place), found, allowed
    )


def no_ratings() -> pd.DataFrame:
    """Return the empty ratings of a study without answers."""
    return rating_frame({}, 0)


def check_ratings(
    table: Table, study: Study, problems: Problems, before: pd.DataFrame | None = None
) -> pd.DataFrame | None:
    """Return the answers as a frame with RATING_COLUMNS; None if a required column is missing.

    Args:
        table: one row per answer.
        study: what the answers refer to.
        problems: collects the problems.
        before: existing answers of the study; none of them may be given again.
    """
    table = _with_waves(table, study.protocol)
    if not has_columns(table, _needed(table, study.protocol), problems):
        return None
    note_unknown_columns(table, problems)
    sheet = Sheet(table, problems)
    _check_waves(sheet, study.protocol)
    targets = check_targets(sheet, study)
    answers = check_answers(sheet, study, targets)
    context = check_circumstances(sheet, study, targets, answers["chosen"])
    check_once(sheet, targets, context, study, before)
    named: dict[str, object] = {
        name: text_or_none(sheet.ids(name)) for name in ("rater", "item", "response", "question")
    }
    named |= {
        "left_response": targets.replies.at(targets.left),
        "right_response": targets.replies.at(targets.right),
    }
    return rating_frame(named | answers | context, len(table))


def _with_waves(table: Table, protocol: Protocol) -> Table:
    """Return the answers with the keys of later waves, where a question has its first key and the wave has a column."""
    if not protocol.waves or not {"wave", "question"} <= table.columns.keys():
        return table
    keys, waves = table.stripped("question"), table.stripped("wave")
    for wave, _ in numbered(protocol.waves):
        for place in np.flatnonzero(waves == str(wave)):
            if wave_of(keys[place], protocol.waves) == 1:
                keys[place] = at_wave(keys[place], wave)
    return Table(table.file, table.rows, {**table.columns, "question": keys}, table.headers, table.is_utf8)


def _check_waves(sheet: Sheet, protocol: Protocol) -> None:
    """Reject rows whose wave does not exist, or is not that of their question."""
    if protocol.waves:
        waves, keys = sheet.table.stripped("wave"), sheet.table.stripped("question")
        of_key = np.array([str(wave_of(key, protocol.waves)) for key in keys], dtype=object)
        allowed = f"a number from 1 to {len(protocol.waves) + 1}, the same as in the key of the question"
        sheet.reject((waves != "") & (waves != of_key), "wave", allowed)


def note_unknown_columns(table: Table, problems: Problems) -> None:
    """Note each column that has no meaning in ratings.csv."""
    for name in sorted(set(table.columns) - {*FILE_COLUMNS, *DERIVED_COLUMNS}):
        problems.note(table.file, 1, name, name, f"{', '.join(FILE_COLUMNS)}; the column was ignored")


def _needed(table: Table, protocol: Protocol) -> list[str]:
    """Return the columns that the questions in these rows need: choices, for example, need no `response`."""
    asked = {str(question).strip() for question in table.factor("question")[1]}
    has_questions = "question" in table.columns
    targets = {one.target for one in protocol.questions if one.key in asked or not has_questions}
    item = ["item"] if targets - {"rater"} else []
    response = ["response"] if targets & {"response", "set"} else []
    return ["rater", *item, *response, "question", "value"]


# ratings.csv of a folder whose other files have problems: what can be checked without them is checked all the same.


def check_without_protocol(
    table: Table,
    items: pd.DataFrame | None,
    responses: pd.DataFrame | None,
    raters: pd.DataFrame | None,
    problems: Problems,
) -> None:
    """Add the problems of columns, IDs and cells; a table that could not be read is None, and its IDs are not checked.

    The questions and sources are unknown, so neither the answers nor what they are about can be checked.
    """
    if not has_columns(table, ["rater", "question", "value"], problems):
        return
    note_unknown_columns(table, problems)
    sheet = Sheet(table, problems)
    for name, frame in (("rater", raters), ("item", items), ("response", responses)):
        if frame is not None:
            keys: Column = frame[name].to_numpy(dtype=object)
            allowed = one_of(keys, f"{name}s.csv", f"a{'n' if name == 'item' else ''} {name}")
            known(sheet, name, keys, allowed, required=name == "rater")
    if responses is not None:
        # A side may also name the source of its response.
        sides = np.concatenate([responses[name].to_numpy(dtype=object) for name in ("response", "source")])
        for name in ("left_response", "right_response"):
            known(sheet, name, sides, "a response in responses.csv, or its source")
    read_circumstances(sheet)
