"""ratings.csv: one row per answer, checked against the rest of the folder."""

from __future__ import annotations

import numpy as np
import pandas as pd

from app.analysis.data.frames import rating_frame
from app.base.files.cells import Places, has_columns, one_of, text_or_none
from app.base.files.table import Column, Table, places
from app.base.problems import Problems
from app.protocol.rating_columns import DERIVED_COLUMNS, FILE_COLUMNS
from app.protocol.study import Protocol
from app.studies.folder.ratings.answers import check_answers
from app.studies.folder.ratings.rating_context import check_circumstances, read_circumstances
from app.studies.folder.ratings.targets import Replies, Sheet, Study, Targets, check_targets, known

# Check that no rater answers the same question about the same target in the same condition twice.


_NEW = "answers that the study does not have yet; remove this one from the file"


def check_once(
    sheet: Sheet, targets: Targets, context: dict[str, Column], study: Study, before: pd.DataFrame | None = None
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
        turn=pd.Series(context["turn"], dtype="Int64"),
        condition=pd.Series(context["condition"], dtype=object),
        repeat=np.array([repeat or 0 for repeat in context["repeat"]], dtype=np.int64),
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

    def found(name: str, keys: Column) -> Places:
        codes, distinct = pd.factorize(answers[name])
        return np.append(places(keys, np.asarray(distinct, dtype=object)), -1)[codes]

    questions = np.array([question.key for question in study.protocol.questions], dtype=object)
    targets = Targets(
        question=found("question", questions),
        rater=found("rater", study.raters["rater"].to_numpy(dtype=object)),
        item=found("item", study.items["item"].to_numpy(dtype=object)),
        response=found("response", replies.keys),
        left=found("left_response", replies.keys),
        right=found("right_response", replies.keys),
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
    if not has_columns(table, _needed(table, study.protocol), problems):
        return None
    note_unknown_columns(table, problems)
    sheet = Sheet(table, problems)
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
