"""ratings.csv: one row per answer, checked against everything else in the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.frames import rating_frame
from app.analysis.data.rating_columns import FILE_COLUMNS
from app.exchange.ratings.answers import check_answers
from app.exchange.ratings.rating_context import check_circumstances
from app.exchange.ratings.ratings_table import Sheet
from app.exchange.ratings.targets import check_targets
from app.exchange.tabular.columns import has_columns, text_or_none

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol
    from app.exchange.problems import Problems
    from app.exchange.ratings.targets import Study, Targets
    from app.exchange.tabular.columns import Places
    from app.exchange.tabular.table import Column, Table


def no_ratings() -> pd.DataFrame:
    """A study that nobody has rated yet."""
    return rating_frame({}, 0)


def check_ratings(table: Table, study: Study, problems: Problems) -> pd.DataFrame | None:
    """The answers as `analysis.frames` has them; None where a column is missing."""
    if not has_columns(table, _needed(study.protocol), problems):
        return None
    for name in sorted(set(table.columns) - set(FILE_COLUMNS)):
        problems.note(table.file, 1, name, name, f"{', '.join(FILE_COLUMNS)}; the column was ignored")
    sheet = Sheet(table, problems)
    targets = check_targets(sheet, study)
    answers = check_answers(sheet, study, targets)
    beside = check_circumstances(sheet, study, targets, answers["chosen"])
    _check_once(sheet, targets, beside)
    named: dict[str, object] = {
        name: text_or_none(sheet.ids(name)) for name in ("rater", "item", "response", "question")
    }
    named |= {
        "left_response": targets.replies.at(targets.left),
        "right_response": targets.replies.at(targets.right),
    }
    return rating_frame(named | answers | beside, len(table))


def _needed(protocol: Protocol) -> list[str]:
    targets = {question.target for question in protocol.questions}
    item = ["item"] if targets - {"rater"} else []
    response = ["response"] if targets & {"response", "set"} else []
    return ["rater", *item, *response, "question", "value"]


def _check_once(sheet: Sheet, targets: Targets, beside: dict[str, Column]) -> None:
    """One answer for each rater, item, question, response, turn, condition, repeat and pair, in whichever order."""
    first, second = targets.replies.first_two(targets.item)
    left = np.where(targets.left >= 0, targets.left, first)
    right = np.where(targets.right >= 0, targets.right, second)
    repeats = np.array([repeat or 0 for repeat in beside["repeat"]], dtype=np.int64)
    key = pd.DataFrame(
        {
            "rater": targets.rater,
            "item": targets.item,
            "question": targets.question,
            "response": targets.response,
            "turn": pd.factorize(beside["turn"])[0],
            "condition": pd.factorize(beside["condition"])[0],
            "repeat": repeats,
            "low": np.minimum(left, right),
            "high": np.maximum(left, right),
        }
    )[sheet.ok]
    several = key[key.duplicated(keep=False)]
    if several.empty:
        return
    rows = several.index.to_numpy()
    group = several.groupby(list(several.columns), sort=False).ngroup().to_numpy()
    earliest = rows[np.unique(group, return_index=True)[1]][group]
    _name_duplicates(sheet, rows[rows != earliest], earliest[rows != earliest])


def _name_duplicates(sheet: Sheet, again: Places, first: Places) -> None:
    rater, question, value = (sheet.table.column(name) for name in ("rater", "question", "value"))
    for place, earlier in zip(again, first, strict=True):
        found = f"a second answer of {rater[place]} to {question[place]} ({value[place]})"
        allowed = f"one answer (the first is in row {sheet.table.rows[earlier]})"
        sheet.problems.add(sheet.table.file, int(sheet.table.rows[place]), "value", found, allowed)
