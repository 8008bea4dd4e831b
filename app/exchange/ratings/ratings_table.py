"""ratings.csv during the checks: its columns, and which rows have no problem so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from app.exchange.tabular.column_checks import faulty, ids

if TYPE_CHECKING:
    from app.exchange.problems import Problems
    from app.exchange.tabular.column_checks import Mask
    from app.exchange.tabular.table import Column, Table


@dataclass(slots=True)
class Sheet:
    """The table of answers. `reject` adds problems and excludes their rows from the checks that follow."""

    table: Table
    problems: Problems
    ok: Mask = field(init=False)
    _ids: dict[str, Column] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Start with every row accepted."""
        self.ok = np.ones(len(self.table), dtype=bool)

    def ids(self, name: str) -> Column:
        """Return a column of IDs without surrounding spaces; its problems are reported only once."""
        if name not in self._ids:
            self._ids[name] = ids(self.table, name, self.problems)
        return self._ids[name]

    def reject(self, where: Mask, name: str, allowed: str, found: Column | None = None) -> None:
        """Add a problem for each of these rows; `found` is the cell unless something else is given."""
        faulty(self.table, where, name, self.table.column(name) if found is None else found, allowed, self.problems)
        self.ok &= ~where
