"""Convert a spreadsheet of ratings in any shape to a table like ratings.csv: one row per answer."""

import json
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from app.base.files.cells import Mask, Places, faulty
from app.base.files.table import Column, Table
from app.base.problems import Problems
from app.base.words import number, number_text
from app.protocol.questions.registry import Question
from app.protocol.rating_columns import FILE_COLUMNS
from app.protocol.study import Protocol
from app.studies.folder.ratings.targets import Study
from app.studies.imports.column_meanings import Columns, NewRaters, RatingLayout
from app.studies.imports.name_matching import Names, question_names, source_names
from app.studies.imports.patterns import AnswerColumn

# Cells of a spreadsheet as ratings.csv writes them: scale labels become points, other labels become keys.


def cell_readers(protocol: Protocol, recoded: Mapping[tuple[str, str], str]) -> dict[str, Callable[[str], str]]:
    """Return a function per question that converts a cell to the form of ratings.csv; unknown cells stay unchanged."""
    sources = source_names(protocol)
    return {question.key: _Reader(question, _names(question, sources), recoded).read for question in protocol.questions}


def same_cell(cell: str) -> str:
    """Return what equal cells have in common: a spreadsheet program shows 0.0 as 0.

    >>> same_cell(" 0.0 "), same_cell("0"), same_cell("yes")
    ('0', '0', 'yes')
    """
    value = number(cell)
    return cell.strip() if value is None else number_text(value)


def list_in(cell: str, question: Question) -> list[str] | None:
    """Return the values of a list in a cell, written as JSON or as Python prints it; None if the cell has no list."""
    text = cell.strip()
    if not text.startswith("[") or not text.endswith("]") or question.measure == "text":
        return None
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        try:
            values = json.loads(text.replace('"', '\\"').replace("'", '"'))
        except (ValueError, RecursionError):
            return None
    return [number_text(one) if isinstance(one, int | float) else str(one) for one in values]


class _Reader:
    def __init__(self, question: Question, names: Names, recoded: Mapping[tuple[str, str], str]) -> None:
        self._question, self._names = question, names
        self._recoded = {same_cell(found): value for (key, found), value in recoded.items() if key == question.key}

    def read(self, cell: str) -> str:
        text = self._recoded.get(same_cell(cell), cell)
        parts = list_in(text, self._question)
        if self._question.measure == "codes":
            return "|".join(self._names.key(code) or code.strip() for code in parts or text.split("|"))
        text = parts[0] if parts is not None and len(parts) == 1 else text
        is_answer = self._question.read_cell(text) is not None
        return text if is_answer else self._names.key(text) or text


def _names(question: Question, sources: Names) -> Names:
    """Return the texts that may be written instead of an answer to this question."""
    own = question.other_words()
    if question.measure == "preference":
        return Names((*sources.keys, *own), {word: word for word in own} | dict(sources.by_name))
    return Names.of(own)


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
            "item": None if answers.item else columns.item,
            "response": None if answers.item else columns.response,
        }
        self._constant = {
            "question": answers.question,
            "source": answers.source,
            "rater": answers.rater or (new_raters.rater if columns.rater is None else None),
            "item": answers.item,
        }
        self._header = answers.column

    def cells(self, name: str) -> Column:
        column, constant = self._column[name], self._constant.get(name)
        if column is not None:
            return self._sheet.column(column)[self.places]
        if name == "item" and constant is None and self._column["response"] is None:
            return np.array([str(place + 1) for place in self.places], dtype=object)
        return np.full(len(self.places), constant or "", dtype=object)

    def headers(self, name: str) -> Column:
        """Return the header for each cell; values taken from the name of an answer column belong to that column."""
        missing = ROW_NUMBER if name == "item" and self._constant["item"] is None else self._header
        return np.full(len(self.places), self._column[name] or missing, dtype=object)


def _without_lists(table: Table, study: Study, problems: Problems) -> Mask:
    """Return a mask of the rows with one answer; a list of several answers is a problem, but for several codes."""
    question = table.column("question")
    is_one = np.ones(len(table), dtype=bool)
    for one in study.protocol.questions:
        if one.measure != "codes":
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
