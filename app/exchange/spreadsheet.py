"""A spreadsheet of one row an item, whatever its columns are called: CSV, JSON lines or Excel."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

import numpy as np

from app.design.scale import number_text
from app.exchange.records import quiet, read_table
from app.exchange.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from app.exchange.faults import Faults
    from app.exchange.records import Progress


def read_spreadsheet(path: Path, faults: Faults, progress: Progress = quiet) -> Table | None:
    """The first sheet as text; None, and a fault, where it cannot be read."""
    if not path.is_file():
        faults.add(str(path), None, None, "no such file", "a spreadsheet: .csv, .xlsx or .jsonl")
        return None
    data = path.read_bytes()
    if path.suffix.lower() == ".xlsx" or zipfile.is_zipfile(io.BytesIO(data)):
        return _from_excel(path.name, data, faults)
    return read_table(path.name, data, faults, progress)


def _from_excel(file: str, data: bytes, faults: Faults) -> Table | None:
    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        records = list(book.worksheets[0].iter_rows(values_only=True))
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, IndexError, OSError) as error:
        faults.add(file, None, None, f"no Excel file ({error})", "a spreadsheet: .csv, .xlsx or .jsonl")
        return None
    names = [_text(cell).strip() for cell in records[0]] if records else []
    if not any(names):
        faults.add(file, 1, None, "no header", "a first row with the names of the columns")
        return None
    rows = [number for number, record in enumerate(records[1:], start=2) if any(cell is not None for cell in record)]
    columns = {
        name: np.array([_text(records[row - 1][place]) for row in rows], dtype=object)
        for place, name in enumerate(names)
        if name
    }
    return Table(file, np.array(rows, dtype=np.int64), columns)


def _text(cell: object) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case int() | float():
            return number_text(cell)
        case _:
            return str(cell)
