"""Convert a spreadsheet of ratings in any shape to a table like ratings.csv: one row per answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.analysis.data.rating_columns import FILE_COLUMNS
from app.design.questions.kinds.category import CategoryQuestion
from app.exchange.rating_import.cells import cell_readers, list_in
from app.exchange.rating_import.name_matching import question_names
from app.exchange.tabular.column_checks import faulty
from app.exchange.tabular.table import Table

if TYPE_CHECKING:
    from app.design.questions.kinds.registry import Question
    from app.exchange.problems import Problems
    from app.exchange.rating_import.column_meanings import Columns
    from app.exchange.rating_import.layout import NewRaters, RatingLayout
    from app.exchange.rating_import.patterns import AnswerColumn
    from app.exchange.ratings.targets import Study
    from app.exchange.tabular.column_checks import Mask, Places
    from app.exchange.tabular.table import Column

# The answer and its target; all other columns of ratings.csv are copied unchanged.
_MADE = ("rater", "item", "response", "source", "question", "value")
ROW_NUMBER = "(row number)"
_ONE_EACH = "one answer in each cell, not a JSON array of several; give each answer a row or a column of its own"


def answer_table(
    sheet: Table, columns: Columns, layout: RatingLayout, new_raters: NewRaters, study: Study, problems: Problems
) -> Table:
    """Return one row per answer, with a `source` column in addition to the columns of ratings.csv.

    Each cell keeps its row and the name of its column in the spreadsheet. Empty cells are not answers.
    """
    copied = [name for name in FILE_COLUMNS if name in sheet.columns and name not in {*_MADE, *columns.used}]
    parts = [_Part(sheet, columns, answers, new_raters, layout.missing) for answers in columns.answers]
    places = np.concatenate([part.places for part in parts])
    order = np.argsort(places, kind="stable")
    cells = {name: np.concatenate([part.cells(name) for part in parts])[order] for name in _MADE}
    headers = {name: np.concatenate([part.headers(name) for part in parts])[order] for name in _MADE}
    at = places[order]
    cells |= {name: sheet.column(name)[at] for name in copied}
    n_empty = len(sheet) * len(parts) - len(at)
    if n_empty:
        problems.note(sheet.file, None, None, f"{n_empty:,} empty cells", "answers; the empty cells were skipped")
    table = Table(sheet.file, sheet.rows[at], cells, headers)
    names = question_names(study.protocol)
    table.columns["question"] = table.mapped("question", lambda text: names.key(text) or text)
    table = Table(sheet.file, table.rows, table.columns, headers)
    one_each = _without_lists(table, study, problems)
    table = table if one_each.all() else table.only(one_each)
    table.columns["value"] = _read(table, layout, study)
    is_answer = table.column("value") != ""
    table = table if is_answer.all() else table.only(is_answer)
    return table if columns.question else _once_per_target(table, columns, study)


class _Part:
    """The answers in one column of the spreadsheet."""

    def __init__(
        self, sheet: Table, columns: Columns, answers: AnswerColumn, new_raters: NewRaters, missing: tuple[str, ...]
    ) -> None:
        self._sheet = sheet
        is_given = sheet.mapped(answers.column, lambda cell: cell.strip() not in {"", *missing}).astype(bool)
        self.places: Places = np.flatnonzero(is_given)
        self._column = {
            "value": answers.column,
            "question": None if answers.question else columns.question,
            "source": None if answers.source else columns.source,
            "rater": answers.rater_column or (None if answers.rater else columns.rater),
            "item": columns.item,
            "response": columns.response,
        }
        self._constant = {
            "question": answers.question,
            "source": answers.source,
            "rater": answers.rater or (new_raters.rater if columns.rater is None else None),
        }
        self._header = answers.column

    def cells(self, name: str) -> Column:
        column, constant = self._column[name], self._constant.get(name)
        if column is not None:
            return self._sheet.column(column)[self.places]
        if name == "item" and self._column["response"] is None:
            return np.array([str(place + 1) for place in self.places], dtype=object)
        return np.full(len(self.places), constant or "", dtype=object)

    def headers(self, name: str) -> Column:
        """Return the header for each cell; values taken from the name of an answer column belong to that column."""
        missing = ROW_NUMBER if name == "item" else self._header
        return np.full(len(self.places), self._column[name] or missing, dtype=object)


def _without_lists(table: Table, study: Study, problems: Problems) -> Mask:
    """Return a mask of the rows with one answer; a list of several answers is a problem, but for several codes."""
    question = table.column("question")
    is_one = np.ones(len(table), dtype=bool)
    for one in study.protocol.questions:
        if not isinstance(one, CategoryQuestion):
            several = table.mapped("value", partial(_has_several, question=one)).astype(bool) & (question == one.key)
            faulty(table, several, "value", table.column("value"), _ONE_EACH, problems)
            is_one &= ~several
    return is_one


def _has_several(cell: str, question: Question) -> bool:
    return len(list_in(cell, question) or "x") != 1


def _read(table: Table, layout: RatingLayout, study: Study) -> Column:
    """Return each value as ratings.csv writes it; each distinct value of a question is read once."""
    readers = cell_readers(study.protocol, layout.recoded)
    question, (codes, cells) = table.stripped("question"), table.factor("value")
    read = table.column("value").copy()
    for key, reader in readers.items():
        at = np.flatnonzero(question == key)
        known = {int(code): reader(str(cells[code])) for code in np.unique(codes[at])}
        read[at] = [known[int(code)] for code in codes[at]]
    return read


def _once_per_target(table: Table, columns: Columns, study: Study) -> Table:
    """Drop repeats: with one row per response, an answer about a pair, item or rater appears in several rows."""
    targets = {question.key: question.target for question in study.protocol.questions}
    target = np.array([targets[key] for key in table.column("question")], dtype=object)
    is_per_response = columns.source is not None or columns.response is not None
    is_wider = np.isin(target, ("pair", "item", "rater") if is_per_response else ("rater",))
    for name in ("source", "response"):
        table.columns[name] = np.where(is_wider, "", table.column(name))
    table.columns["item"] = np.where(target == "rater", "", table.column("item"))
    answers = pd.DataFrame({name: table.column(name) for name in ("rater", "item", "question", "value")})
    keep = ~(is_wider & answers.duplicated().to_numpy())
    return table.only(keep)
