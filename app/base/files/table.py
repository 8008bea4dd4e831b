"""One table of a folder as columns of text, with the row number of each record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Column = NDArray[np.object_]
Keys = Sequence[str] | Column | pd.Index


@dataclass(slots=True)
class Table:
    """Columns of text; empty cells are "". `rows` are spreadsheet row numbers, the header being row 1.

    `headers`: for a table made from another one, the original column name of each cell.
    """

    file: str
    rows: NDArray[np.int64]
    columns: dict[str, Column] = field(default_factory=dict)
    headers: dict[str, Column] = field(default_factory=dict)
    is_utf8: bool = True
    _factors: dict[str, tuple[NDArray[np.int64], Column]] = field(default_factory=dict, repr=False)
    _stripped: dict[str, Column] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.rows)

    def column(self, name: str) -> Column:
        """Return a column; all cells are empty if the file does not have it."""
        return self.columns[name] if name in self.columns else np.full(len(self), "", dtype=object)

    def header(self, name: str, place: int | np.intp) -> str:
        """Return the column name that people see above a cell in the file."""
        return str(self.headers[name][place]) if name in self.headers else name

    def only(self, keep: NDArray[np.bool_]) -> Table:
        """Return the rows of a mask; their cells are looked up again."""
        cells = {name: column[keep] for name, column in self.columns.items()}
        headers = {name: column[keep] for name, column in self.headers.items()}
        return Table(self.file, self.rows[keep], cells, headers, self.is_utf8)

    def factor(self, name: str) -> tuple[NDArray[np.int64], Column]:
        """Return codes and distinct cells of a column; large columns have few distinct cells."""
        if name not in self.columns:
            return np.zeros(len(self), dtype=np.int64), np.array([""], dtype=object)
        if name not in self._factors:
            codes, distinct = pd.factorize(self.column(name))
            self._factors[name] = codes.astype(np.int64), np.asarray(distinct, dtype=object)
        return self._factors[name]

    def mapped(self, name: str, change: Callable[[str], object]) -> Column:
        """Return the column with `change` applied to each distinct cell."""
        codes, distinct = self.factor(name)
        changed = np.empty(len(distinct), dtype=object)
        changed[:] = [change(text) for text in distinct]
        found: Column = changed[codes]
        return found

    def stripped(self, name: str) -> Column:
        """Return the column without spaces around its cells."""
        codes, distinct = self.stripped_factor(name)
        return distinct[codes]

    def stripped_factor(self, name: str) -> tuple[NDArray[np.int64], Column]:
        """Return codes and cells like `factor`, the cells without surrounding spaces; some may then be equal."""
        codes, distinct = self.factor(name)
        if name not in self._stripped:
            self._stripped[name] = np.array([text.strip() for text in distinct], dtype=object)
        return codes, self._stripped[name]

    def places(self, name: str, keys: Keys) -> NDArray[np.int64]:
        """Return the position of each cell, without surrounding spaces, among the keys; -1 if it is not among them."""
        codes, distinct = self.stripped_factor(name)
        return places(keys, distinct)[codes]


def places(keys: Keys, values: Column) -> NDArray[np.int64]:
    """Return the position of the first occurrence of each value among the keys; -1 if it is not among them.

    Args:
        keys: the keys; an index of distinct keys is hashed once for all its look-ups.
        values: what is looked up.
    """
    all_keys = keys if isinstance(keys, pd.Index) else pd.Index(np.asarray(keys, dtype=object))
    wanted = pd.Index(values, dtype=object)
    if all_keys.is_unique:
        return all_keys.get_indexer(wanted).astype(np.int64)
    firsts = np.flatnonzero(~all_keys.duplicated())
    found = all_keys[firsts].get_indexer(wanted)
    return np.where(found >= 0, firsts[found], -1)
