"""The numbers of a chart as a table: what a screen reader and a page without script get."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Formatted cells; the first column names the row."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
