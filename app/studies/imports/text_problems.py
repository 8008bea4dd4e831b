"""Texts of a spreadsheet that its lead decides about: repeated, empty, the same of two sources, or revealing."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from app.base.files.table import Table
from app.base.problems import shown
from app.studies.imports.import_report import names_of_models, revealing_excerpt

Act = Literal["keep", "drop", "edit"]
# From the key of a problem to what becomes of the text: `act`, and `text` of an edit.
Choices = Mapping[str, Mapping[str, str]]
# More problems are not listed; what is usual becomes of them.
MAX_LISTED = 100


@dataclass(frozen=True, slots=True)
class TextProblem:
    """A text with a reason to look at it.

    Attributes:
        key: the row and the place of the column, which stay the same however the columns are described.
        row: in the spreadsheet.
        column: of the text.
        found: what is the matter.
        text: as it is in the file.
        is_row: whether dropping it leaves out its row, and not only this response.
        usual: what becomes of it unless the lead decides otherwise.
        can_keep: an empty text cannot be kept.
    """

    key: str
    row: int
    column: str
    found: str
    text: str
    is_row: bool
    usual: Act
    can_keep: bool = True


def text_problems(table: Table, columns: list[dict[str, Any]]) -> list[TextProblem]:
    """Return the problems in the order of the rows, at most one for each text."""
    found: dict[str, TextProblem] = {}
    for one in _Finder(table, columns).problems():
        found.setdefault(one.key, one)
    return sorted(found.values(), key=lambda one: one.row)


def settled(table: Table, columns: list[dict[str, Any]], choices: Choices) -> Table:
    """Return the table with each problem settled: as the lead chose, otherwise as usual."""
    places = {int(row): place for place, row in enumerate(table.rows)}
    keep = np.full(len(table), fill_value=True)
    changed = {name: cells.copy() for name, cells in table.columns.items()}
    for one in text_problems(table, columns):
        act, text = choice_of(one, choices)
        if act == "edit":
            changed[one.column][places[one.row]] = text
        elif act == "drop" and one.is_row:
            keep[places[one.row]] = False
        elif act == "drop":
            changed[one.column][places[one.row]] = ""
    return Table(table.file, table.rows, changed, table.headers, table.is_utf8).only(keep)


def choice_of(problem: TextProblem, choices: Choices) -> tuple[str, str]:
    """Return what becomes of a text, and its words after an edit."""
    chosen = choices.get(problem.key, {})
    act = chosen.get("act", problem.usual)
    is_possible = act in {"drop", "edit"} or (act == "keep" and problem.can_keep)
    return (act if is_possible else problem.usual), chosen.get("text", problem.text)


class _Finder:
    def __init__(self, table: Table, columns: list[dict[str, Any]]) -> None:
        self._table, self._columns = table, columns
        self._place = {column["name"]: place for place, column in enumerate(columns)}
        self._item, self._text, self._source = (self._first(role) for role in ("item", "text", "source"))
        self._responses = [column["name"] for column in columns if column["role"] == "response"]
        self._in_rows = self._source is not None and bool(self._responses)
        self._sources = [column.get("source") or "" for column in columns if column["role"] == "response"]
        self._sources = [source for source in self._sources if source] or self._responses
        models = {str(cell).strip() for cell in table.column(self._source)} if self._source else {*self._sources}
        self._names = names_of_models(models)

    def problems(self) -> Iterator[TextProblem]:
        if self._text is None:
            return
        if not any(column["role"] == "rating" for column in self._columns):
            yield from self._repeated_rows(self._text)
        yield from self._empty_situations(self._text)
        for name in self._responses:
            for place, cell in enumerate(self._table.column(name)):
                if not cell.strip():
                    yield self._problem(place, name, "an empty response; it is left out", usual="drop", can_keep=False)
        yield from self._same_texts(self._text)
        for name in self._responses:
            for place, cell in enumerate(self._table.column(name)):
                if (words := revealing_excerpt(cell, self._names)) is not None:
                    yield self._problem(place, name, f"may reveal its source: {words}", usual="keep")

    def _repeated_rows(self, situation: str) -> Iterator[TextProblem]:
        """Rows whose texts are all those of an earlier row; the item's ID does not matter."""
        names = [situation, *([self._source] if self._source else []), *self._responses]
        seen: dict[tuple[str, ...], int] = {}
        for place, cells in enumerate(zip(*(self._table.column(name) for name in names), strict=True)):
            texts = tuple(cell.strip() for cell in cells)
            first = seen.setdefault(texts, place)
            if first != place and any(texts):
                found = f"the same texts as row {self._table.rows[first]}"
                yield self._problem(place, situation, found, usual="drop", is_row=True)

    def _empty_situations(self, situation: str) -> Iterator[TextProblem]:
        """Items without a text; in a sheet of responses, the item's first row has it."""
        items = self._table.column(self._item or "") if self._in_rows else ()
        first = {item: place for place, item in reversed(list(enumerate(items))) if item}
        for place, cell in enumerate(self._table.column(situation)):
            is_later = bool(first) and first.get(items[place], place) != place
            if not cell.strip() and not is_later:
                yield self._problem(
                    place,
                    situation,
                    "an empty situation; its row is left out",
                    usual="drop",
                    is_row=True,
                    can_keep=False,
                )

    def _same_texts(self, situation: str) -> Iterator[TextProblem]:
        """Responses of two sources to one item with the same words."""
        items = self._table.column(self._item or situation)
        names = self._table.column(self._source) if self._source else None
        seen: dict[tuple[str, str], str] = {}
        for place in range(len(self._table)):
            for number, column in enumerate(self._responses):
                cell = self._table.column(column)[place].strip()
                source = str(names[place]).strip() if names is not None else self._sources[number]
                item = items[place] if self._in_rows else str(place)
                other = seen.setdefault((str(item), cell), source)
                if cell and other != source:
                    yield self._problem(place, column, f"the same text as the response of {shown(other)}", usual="keep")

    def _problem(
        self, place: int, name: str, found: str, *, usual: Act, is_row: bool = False, can_keep: bool = True
    ) -> TextProblem:
        row = int(self._table.rows[place])
        text = str(self._table.column(name)[place])
        return TextProblem(f"{row}.{self._place[name]}", row, name, found, text, is_row, usual, can_keep)

    def _first(self, role: str) -> str | None:
        return next((str(column["name"]) for column in self._columns if column["role"] == role), None)
