"""ratings.csv: one row per answer, checked against the rest of the folder."""

from __future__ import annotations

import numpy as np
import pandas as pd

from app.analysis.data.frames import rating_frame
from app.base.files.cells import has_columns, one_of, text_or_none
from app.base.files.table import Column, Table
from app.base.problems import Problems
from app.protocol.rating_columns import DERIVED_COLUMNS, FILE_COLUMNS
from app.protocol.study import Protocol
from app.studies.folder.ratings.answers import check_answers
from app.studies.folder.ratings.rating_context import check_circumstances, read_circumstances
from app.studies.folder.ratings.repeated_answers import check_once
from app.studies.folder.ratings.targets import Sheet, Study, check_targets, known


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
