"""Convert one row per item, with a column per source, to items and responses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.analysis.data.study_folder import ITEM_COLUMNS
from app.base.files.table import Column, Table
from app.base.problem import Problem
from app.base.problems import Problems, shown
from app.base.words import and_list
from app.protocol.allocation.human_sample import OF_SAMPLE


@dataclass(frozen=True, slots=True)
class Layout:
    """The meaning of the columns. `responses`: from source to column. `attributes`: None keeps every other column.

    `answers`: columns that look like ratings; they are not kept as attributes unless they are named.
    """

    responses: Mapping[str, str] = field(default_factory=dict)
    item: str | None = None
    text: str = "text"
    turns: str | None = None
    profile: str | None = None
    content_note: str | None = None
    attributes: Sequence[str] | None = None
    answers: Collection[str] = ()

    @property
    def named(self) -> dict[str, str]:
        """The columns that describe an item, by the column names of items.csv."""
        parts = {"item": self.item, "turns": self.turns, "profile": self.profile, "content_note": self.content_note}
        text = {} if self.turns is not None and self.text == "text" else {"text": self.text}
        return {name: column for name, column in (parts | text).items() if column is not None}


def unfold(sheet: Table, layout: Layout, problems: Problems) -> tuple[Table, Table] | None:
    """Return items and responses with their rows in the sheet; None, with problems, if a column is missing.

    Without a column for the item's ID, items are numbered from 1; a column `item` that holds something else, such as
    their texts, is none. Empty cells are not responses.
    """
    wanted = [*layout.named.values(), *layout.responses.values(), *(layout.attributes or ())]
    for column in dict.fromkeys(wanted):
        if column not in sheet.columns:
            problems.add(sheet.file, 1, column, and_list(sheet.columns, 40), f"a column named {column}")
    if set(wanted) - set(sheet.columns):
        return None
    items = {name: sheet.column(column) for name, column in layout.named.items()}
    headers = {name: np.full(len(sheet), column, dtype=object) for name, column in layout.named.items()}
    if "item" not in items:
        items["item"] = sheet.column("item") if "item" in set(sheet.columns) - set(wanted) else _numbers(sheet)
    if "text" in items and "turns" not in items:
        items |= _text_or_turns(items["text"])
    items |= _attributes(sheet, layout, problems)
    return Table(sheet.file, sheet.rows, items, headers), _responses(sheet, items["item"], layout, problems)


def _numbers(sheet: Table) -> Column:
    return np.array([str(number) for number in range(1, len(sheet) + 1)], dtype=object)


def _attributes(sheet: Table, layout: Layout, problems: Problems) -> dict[str, Column]:
    used = {*layout.named.values(), *layout.responses.values(), "item"}
    rest = [name for name in sheet.columns if name not in used]
    kept = layout.attributes if layout.attributes is not None else [name for name in rest if name not in layout.answers]
    for name in rest if layout.attributes is None else ():
        if name in layout.answers:
            problems.note(sheet.file, 1, name, name, "an attribute; ratings are imported in a step of their own")
    for name in kept:
        if name in ITEM_COLUMNS:
            problems.note(sheet.file, 1, name, name, "another name for an attribute; the column was ignored")
    return {name: sheet.column(name) for name in kept if name not in ITEM_COLUMNS}


def _responses(sheet: Table, item: Column, layout: Layout, problems: Problems) -> Table:
    """Return the responses in the order of the items and, within each item, of the sources."""
    found: list[tuple[int, str]] = []
    for source, column in layout.responses.items():
        has = np.array([bool(cell.strip()) for cell in sheet.column(column)], dtype=bool)
        if not has.all():
            row = int(sheet.rows[~has][0])
            problems.note(sheet.file, row, column, "", f"a response; {(~has).sum()} items have none from {source}")
        found += [(int(place), source) for place in np.flatnonzero(has)]
    found.sort(key=lambda reply: reply[0])
    places = np.array([place for place, _ in found], dtype=np.int64)
    headers = _column([layout.responses[source] for _, source in found])
    texts = [sheet.column(header)[place] for header, (place, _) in zip(headers, found, strict=True)]
    sources = [source for _, source in found]
    return Table(
        sheet.file,
        sheet.rows[places],
        {"item": item[places], "source": _column(sources), **_text_or_turns(_column(texts))},
        {"response": headers, "text": headers},
    )


def _text_or_turns(cells: Column) -> dict[str, Column]:
    """The column of texts; if some cells are dialogues as JSON, these in a column of turns."""
    is_dialogue = [has_turns(cell) for cell in cells]
    if not any(is_dialogue):
        return {"text": cells}
    return {
        "text": _column(["" if turns else cell for cell, turns in zip(cells, is_dialogue, strict=True)]),
        "turns": _column([cell if turns else "" for cell, turns in zip(cells, is_dialogue, strict=True)]),
    }


def has_turns(cell: str) -> bool:
    """Return whether a cell is a dialogue: a JSON list of turns.

    >>> has_turns('[{"speaker": "A", "text": "Hi"}]'), has_turns("[Hi]")
    (True, False)
    """
    return cell.lstrip().startswith("[{") and '"speaker"' in cell


def _column(cells: list[str]) -> Column:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


# Convert one row per response to one row per item.

_ONE_EACH = "one response of each source to each item; a study folder takes several, with their IDs in responses.csv"


def second_responses(table: Table, *, item: str, source: str, response: str) -> list[Problem]:
    """Return a problem for each row with another response of the same source to the same item; only one has a place."""
    first: dict[tuple[str, str], str] = {}
    problems = []
    cells = (table.column(name) for name in (item, source, response))
    for row, key, name, words in zip(table.rows, *cells, strict=True):
        text, of = str(words).strip(), str(name).strip()
        if of and text and first.setdefault((str(key), of), text) != text:
            found = f"a second response of {shown(of)} to {shown(str(key))}"
            problems.append(Problem(table.file, int(row), response, found, _ONE_EACH))
    return problems


def unequal_samples(table: Table, *, item: str) -> list[Problem]:
    """Return a problem for each row that says something else about the sample than the first row of its item."""
    problems = []
    for name in (name for name in OF_SAMPLE if name in table.columns):
        first: dict[str, tuple[int, str]] = {}
        for row, key, cell in zip(table.rows, table.column(item), table.stripped(name), strict=True):
            at, there = first.setdefault(str(key), (int(row), str(cell)))
            if str(cell).lower() != there.lower():
                allowed = (
                    f"the same in every row of an item (row {at} has {shown(there) if there else 'an empty cell'})"
                )
                problems.append(Problem(table.file, int(row), name, str(cell), allowed))
    return problems


def one_row_per_item(table: Table, *, item: str | None, text: str, source: str, response: str) -> Table:
    """Return the same texts with one column per source; other columns take the values of the item's first row.

    Args:
        table: one row per response.
        item: the column with the item's ID; without one, items are identified by their text.
        text: the column with the situation.
        source: the column that names who wrote the response.
        response: the column with the response.
    """
    keys = table.column(item or text)
    first: dict[str, int] = {}
    for place, key in enumerate(keys):
        first.setdefault(str(key), place)
    places = np.array(list(first.values()), dtype=np.int64)
    rows = {key: row for row, key in enumerate(first)}
    columns = {name: cells[places] for name, cells in table.columns.items() if name not in {source, response}}
    for name in dict.fromkeys(str(cell).strip() for cell in table.column(source) if str(cell).strip()):
        columns[name] = np.full(len(places), "", dtype=object)
    for key, name, words in zip(keys, table.column(source), table.column(response), strict=True):
        if str(name).strip():
            columns[str(name).strip()][rows[str(key)]] = words
    return Table(table.file, table.rows[places], columns, is_utf8=table.is_utf8)
