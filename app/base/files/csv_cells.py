"""Columns of a frame as text and as CSV cells, for programs or for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from app.base.files.protected_text import protected
from app.base.words import number_text

# Convert a whole column to text; each distinct value is formatted only once, so that large columns are fast.


def column_text(column: pd.Series[Any], cell: Callable[[object], str], *, missing: str, utc: str) -> list[str]:
    """Return each cell of a column as text.

    Args:
        column: any column; times must have a time zone.
        cell: formats one distinct value, which is a Python object, never a numpy scalar.
        missing: the text for missing values.
        utc: the suffix of times, which are formatted as ISO 8601 in UTC.
    """
    if isinstance(column.dtype, pd.DatetimeTZDtype):
        times = column.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy()
        return np.where(np.isnat(times), missing, np.char.add(np.datetime_as_string(times), utc)).tolist()  # type: ignore[no-any-return]
    codes, distinct = pd.factorize(column)
    # `tolist` returns Python numbers; the repr of numpy numbers contains their type
    written = np.array([*map(cell, distinct.tolist()), missing], dtype=object)
    return written[codes].tolist()  # type: ignore[no-any-return]


def write_csv(path: Path, columns: dict[str, pd.Series[Any]], *, spreadsheet: bool = False) -> None:
    """Write one CSV file (RFC 4180, UTF-8); for spreadsheets with a byte order mark and without formulas."""
    names = [protected(name) for name in columns] if spreadsheet else list(columns)
    cells = [column_cells(column, spreadsheet=spreadsheet) for column in columns.values()]
    with path.open("w", encoding="utf-8-sig" if spreadsheet else "utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerow(names)
        writer.writerows(zip(*cells, strict=True))


def write_text_csv(path: Path, text: str, *, spreadsheet: bool) -> list[str]:
    """Write text that is already CSV, without formulas if it is for spreadsheets; return its header."""
    records = list(csv.reader(io.StringIO(text, newline="")))
    if spreadsheet:
        records = [[protected(cell) for cell in record] for record in records]
    with path.open("w", encoding="utf-8-sig" if spreadsheet else "utf-8", newline="") as file:
        csv.writer(file, lineterminator="\r\n").writerows(records)
    return records[0]


def column_cells(column: pd.Series[Any], *, spreadsheet: bool = False) -> list[str]:
    """Return each cell as text: times as ISO 8601 in UTC, numbers at full precision, missing values as ""."""

    def cell(value: object) -> str:
        return protected(_cell(value)) if spreadsheet else _cell(value)

    return column_text(column, cell, missing="", utc="Z")


def _cell(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return number_text(value)
        case _:
            return str(value)
