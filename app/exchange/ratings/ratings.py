"""ratings.csv: one row per answer, checked against the rest of the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.frames import rating_frame
from app.analysis.data.rating_columns import DERIVED_COLUMNS, FILE_COLUMNS
from app.exchange.ratings.answers import check_answers
from app.exchange.ratings.rating_context import check_circumstances
from app.exchange.ratings.ratings_table import Sheet
from app.exchange.ratings.repeated_answers import check_once
from app.exchange.ratings.targets import check_targets
from app.exchange.tabular.column_checks import has_columns, text_or_none

if TYPE_CHECKING:
    import pandas as pd

    from app.design.protocol.study import Protocol
    from app.exchange.problems import Problems
    from app.exchange.ratings.targets import Study
    from app.exchange.tabular.table import Table


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
