"""Convert one row per response to one row per item."""

from __future__ import annotations

import numpy as np

from app.design.problem import Problem
from app.exchange.problems import shown
from app.exchange.tabular.table import Table

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
