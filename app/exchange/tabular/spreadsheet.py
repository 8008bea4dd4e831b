"""Read a spreadsheet with any columns: CSV, TSV, JSON lines or Excel."""

from __future__ import annotations

import io
import zipfile
import zlib
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from openpyxl import load_workbook

from app.design.questions.scale import number_text
from app.exchange.input_limits import check_archive, check_columns, check_rows
from app.exchange.tabular.records import quiet, read_table
from app.exchange.tabular.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from app.design.limits import Limits
    from app.exchange.problems import Problems
    from app.exchange.tabular.records import Progress


KINDS = "a spreadsheet: .csv, .tsv, .xlsx or .jsonl"
# SyntaxError is what XML parsers raise for broken XML.
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    SyntaxError,
    KeyError,
    ValueError,
    IndexError,
    TypeError,
    OSError,
)


def read_spreadsheet(path: Path, problems: Problems, progress: Progress = quiet) -> Table | None:
    """Return the first sheet as text; None, with a problem, if it cannot be read."""
    if not path.is_file():
        problems.add(str(path), None, None, "no such file", KINDS)
        return None
    data = path.read_bytes()
    if path.suffix.lower() == ".xlsx" or zipfile.is_zipfile(io.BytesIO(data)):
        return _from_excel(path.name, data, problems)
    return read_table(path.name, data, problems, progress, delimiter=_delimiter(path, data))


def _delimiter(path: Path, data: bytes) -> str:
    """Return the separator of the cells, judged by the file extension, otherwise by the header."""
    if path.suffix.lower() in {".tsv", ".tab"}:
        return "\t"
    header = data.partition(b"\n")[0]
    return next((sign for sign in ("\t", ";") if b"," not in header and sign.encode() in header), ",")


def _from_excel(file: str, data: bytes, problems: Problems) -> Table | None:
    """Read an Excel file within limits: a small file may claim more cells than fit into memory."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if not check_archive(file, archive.infolist(), problems.limits.sheet_mb, problems):
                return None
        names, records = _records(data, problems.limits)
    except _UNREADABLE as error:
        problems.add(file, None, None, f"a file that is not readable as Excel ({error})", KINDS)
        return None
    names = [name.strip() for name in names]
    if not any(names):
        problems.add(file, 1, None, "no header", "column names in the first row")
        return None
    if not check_columns(file, len(names), problems) or not check_rows(file, len(records), len(names), problems):
        return None
    rows = np.array([row for row, _ in records], dtype=np.int64)
    columns = {
        name: np.array([cells[place] for _, cells in records], dtype=object) for place, name in enumerate(names) if name
    }
    return Table(file, rows, columns)


def _records(data: bytes, limits: Limits) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header, and each row that is not empty with its number, padded to the width of the header."""
    sheet = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets[0]
    # The dimensions stated in the file may be far larger than the range of its cells.
    sheet.reset_dimensions()
    header = [_text(cell) for cell in next(iter(sheet.iter_rows(max_row=1, values_only=True)), ())]
    while header and not header[-1].strip():
        header.pop()
    if not 0 < len(header) <= limits.columns:
        return header, []
    rows = enumerate(sheet.iter_rows(min_row=2, max_col=len(header), values_only=True), start=2)
    filled = ((row, [_text(cell) for cell in cells]) for row, cells in rows if any(cell is not None for cell in cells))
    some = islice(filled, limits.max_rows(len(header)) + 1)
    return header, [(row, cells + [""] * (len(header) - len(cells))) for row, cells in some]


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
