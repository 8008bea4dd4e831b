"""Read a spreadsheet with any columns: CSV, TSV, JSON lines, Excel or Parquet."""

import io
import re
import zipfile
import zlib
from collections.abc import Sequence
from datetime import datetime, time
from itertools import islice
from pathlib import Path

import numpy as np
from openpyxl import load_workbook
from openpyxl.utils.cell import range_boundaries

from app.base.files.encoding import PARQUET_MARKS, not_text
from app.base.files.input_limits import check_archive, check_rows
from app.base.files.parquet_table import read_parquet
from app.base.files.records import (
    N_TOP,
    check_nameless,
    checked_names,
    n_title_rows,
    note_title,
    read_table,
)
from app.base.files.table import Table
from app.base.limits import Limits
from app.base.problems import Problems
from app.base.words import and_list, number_text

# Merged cells of an Excel sheet: the file has their content once, but every row and column that they cover means it.
#
# Merged ranges come after the cells in the file, so openpyxl's reading mode for large files does not know them.

# In the text of a cell, "<" is written as an entity, so nothing else looks like this.
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]{1,3}[1-9]\d{0,6}:[A-Z]{1,3}[1-9]\d{0,6})"')
# More ranges than this are a layout and not a table.
MAX_RANGES, N_NAMED = 20_000, 5


def repeat_merged(
    file: str, data: bytes, part: str, names: Sequence[str], records: list[tuple[int, list[str]]], problems: Problems
) -> None:
    """Repeat the content of merged cells in all rows and columns that they cover, with a note.

    Args:
        file: name of the file, for the note.
        data: the Excel file.
        part: the path of the sheet inside the file.
        names: of the columns, as in the header.
        records: rows with their numbers and cells; changed in place. Merged cells of the names, and of titles above
            them, are not among them and stay as they are.
        problems: gets the note.
    """
    by_row = dict(records)
    repeated = []
    for (top, left, bottom, right), words in sorted(_ranges(data, part)):
        content = by_row[top][left - 1] if top in by_row and left <= len(names) else ""
        if not content:
            continue
        for row in range(top, bottom + 1):
            for place in range(left - 1, min(right, len(names))):
                if row in by_row:
                    by_row[row][place] = content
        repeated.append(words)
    if repeated:
        more = f" and {len(repeated) - N_NAMED:,} more" if len(repeated) > N_NAMED else ""
        found = f"merged cells ({', '.join(repeated[:N_NAMED])}{more})"
        problems.note(file, None, None, found, "one value per cell; the value was repeated in each cell of the range")


def _ranges(data: bytes, part: str) -> list[tuple[tuple[int, int, int, int], str]]:
    """Return top, left, bottom and right of each range, and its name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        found = _MERGED.finditer(archive.read(part))
        names = [match[1].decode() for match in islice(found, MAX_RANGES)]
    return [((top, left, bottom, right), name) for name in names for left, top, right, bottom in [_bounds(name)]]


def _bounds(name: str) -> tuple[int, int, int, int]:
    left, top, right, bottom = (int(place or 0) for place in range_boundaries(name))
    return left, top, right, bottom


# Rows below the header in which columns without a name and formulas are looked for.
_N_BELOW = 50
_N_TOP_BYTES = 65_536
KINDS = "a spreadsheet: .csv, .tsv, .xlsx, .jsonl, .json or .parquet"
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


def sheet_names(content: bytes) -> list[str]:
    """Return the names of the sheets of an Excel file; none for other files, and for one that cannot be read."""
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return []
    try:
        return [str(sheet.title) for sheet in load_workbook(io.BytesIO(content), read_only=True).worksheets]
    except _UNREADABLE:
        return []


def table_of(path: Path, problems: Problems, content: bytes | None = None, sheet: int = 0) -> Table:
    """Return a sheet as text. `content`: what was uploaded under this name; None to open the file.

    Raises:
        InvalidInputError: it cannot be read.
    """
    table = read_spreadsheet(path, problems, content=content, sheet=sheet)
    if table is None:
        problems.raise_if_any()
        raise AssertionError("a spreadsheet that cannot be read is a problem")
    return table


def read_spreadsheet(path: Path, problems: Problems, *, content: bytes | None = None, sheet: int = 0) -> Table | None:
    """Return the sheet at this place as text; None, with a problem, if it cannot be read."""
    if content is None and not path.is_file():
        problems.add(str(path), None, None, "no such file", KINDS)
        return None
    data = path.read_bytes() if content is None else content
    if data.startswith(PARQUET_MARKS):
        return read_parquet(path.name, data, problems)
    is_zip, is_named_excel = zipfile.is_zipfile(io.BytesIO(data)), path.suffix.lower() == ".xlsx"
    if not is_zip and (other := _not_a_spreadsheet(data, path.suffix.lower())):
        problems.add(path.name, None, None, other, f"{KINDS}. The ending of the name says which, and text is in UTF-8")
        return None
    if is_zip or is_named_excel:
        table = _from_excel(path.name, data, problems, sheet)
    else:
        table = read_table(path.name, data, problems, delimiter=_delimiter(path, data), may_have_title=True)
    if table is not None:
        _write_numbers_as_programs_do(table, problems)
    return table


# A number as people write it. Three digits after a comma, or after a point beside decimal commas, may be thousands.
_NUMBER = re.compile(r"\s*[-\u2212\u2013]?\d+([.,]\d+)?\s*")
_DECIMAL_COMMA, _MARKED_THOUSANDS = re.compile(r",(?!\d{3}\s*$)"), re.compile(r"\.\d{3}\s*$")
_AS_PROGRAMS_DO = str.maketrans({"\u2212": "-", "\u2013": "-", ",": "."})


def _write_numbers_as_programs_do(table: Table, problems: Problems) -> None:
    """Replace minus signs, dashes and decimal commas in columns in which every cell with a digit is a number."""
    with_commas = []
    for name, cells in table.columns.items():
        numbers = {cell for cell in cells if any(sign.isdecimal() for sign in cell)}
        if not all(map(_NUMBER.fullmatch, numbers)):
            continue
        has_commas = any("," in cell for cell in numbers)
        if has_commas and (not any(map(_DECIMAL_COMMA.search, numbers)) or any(map(_MARKED_THOUSANDS.search, numbers))):
            continue
        written = {cell: cell.translate(_AS_PROGRAMS_DO) for cell in numbers}
        table.columns[name] = np.array([written.get(cell, cell) for cell in cells], dtype=object)
        with_commas += [name] if has_commas else []
    if with_commas:
        found = f"decimal commas ({and_list(with_commas, N_NAMED)})"
        problems.note(table.file, None, None, found, "decimal points; the commas were read as points")


def _not_a_spreadsheet(data: bytes, ending: str) -> str | None:
    """What the file is instead, or None. A zip that is cut short still begins as one."""
    if data.startswith(b"PK"):
        return None
    binary = {".xlsx": "text, not an Excel file", ".parquet": "text, not a Parquet file"}
    return not_text(data) or binary.get(ending)


def _delimiter(path: Path, data: bytes) -> str:
    """Return the separator of the cells, judged by the file extension, otherwise by the first row that has one."""
    if path.suffix.lower() in {".tsv", ".tab"}:
        return "\t"
    top = data[:_N_TOP_BYTES].split(b"\n", N_TOP)[:N_TOP]
    header = next((row for row in top if any(sign in row for sign in b",;\t")), b"")
    return next((sign for sign in ("\t", ";") if b"," not in header and sign.encode() in header), ",")


def _from_excel(file: str, data: bytes, problems: Problems, sheet: int) -> Table | None:
    """Read an Excel file within limits: a small file may claim more cells than fit into memory."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if not check_archive(file, archive.infolist(), problems.limits.sheet_mb, problems):
                return None
        titles, names, records, part = _records(data, problems.limits, sheet)
        note_title(file, titles, problems)
        if len(records) <= problems.limits.max_rows(max(1, len(names))):
            repeat_merged(file, data, part, names, records, problems)
    except _UNREADABLE as error:
        problems.add(file, None, None, f"a file that is not readable as Excel ({error})", KINDS)
        return None
    named = checked_names(file, names, problems, len(titles) + 1)
    if named is None or not check_rows(file, len(records), len(named), problems):
        return None
    if records and not all(named):
        check_nameless(file, named, zip(*(cells for _, cells in records), strict=True), problems)
    _check_formulas(file, data, named, [cells for _, cells in records], problems, sheet)
    rows = np.array([row for row, _ in records], dtype=np.int64)
    columns = {
        name: np.array([cells[place] for _, cells in records], dtype=object) for place, name in enumerate(named) if name
    }
    return Table(file, rows, columns)


def _records(
    data: bytes, limits: Limits, place: int
) -> tuple[list[list[str]], list[str], list[tuple[int, list[str]]], str]:
    """Return title rows, names, each filled row with its number and as wide as the names, and the sheet's part."""
    sheet = load_workbook(io.BytesIO(data), read_only=True, data_only=True).worksheets[place]
    # The dimensions stated in the file may be far larger than the range of its cells.
    part = str(vars(sheet)["_worksheet_path"])  # where the merged cells are
    sheet.reset_dimensions()
    top = [[_text(cell) for cell in cells] for cells in sheet.iter_rows(max_row=N_TOP, values_only=True)]
    n_titles = n_title_rows(top)
    titles, header, first = top[:n_titles], next(iter(top[n_titles:]), []), n_titles + 2
    named = len("".join("x" if name.strip() else " " for name in header).rstrip())
    if not 0 < named <= limits.columns:
        return titles, header[:named], [], part
    below = islice(sheet.iter_rows(min_row=first, max_col=limits.columns, values_only=True), _N_BELOW)
    used = max((place for cells in below for place, cell in enumerate(cells, start=1) if cell is not None), default=0)
    header = [*header[:named], *[""] * (used - named)]
    rows = enumerate(sheet.iter_rows(min_row=first, max_col=len(header), values_only=True), start=first)
    filled = ((row, [_text(cell) for cell in cells]) for row, cells in rows if cells.count(None) < len(cells))
    some = islice(filled, limits.max_rows(len(header)) + 1)
    return titles, header, [(row, cells + [""] * (len(header) - len(cells))) for row, cells in some], part


def _check_formulas(
    file: str, data: bytes, names: list[str], records: list[list[str]], problems: Problems, number: int
) -> None:
    """Reject formulas whose values the file does not hold: their column would be read as empty."""
    empty = [place for place, name in enumerate(names) if name and not any(cells[place] for cells in records)]
    if not empty or not records:
        return
    sheet = load_workbook(io.BytesIO(data), read_only=True).worksheets[number]
    sheet.reset_dimensions()
    rows = list(islice(sheet.iter_rows(min_row=2, max_col=len(names), values_only=True), _N_BELOW))
    for place in empty:
        if any(str(cells[place]).startswith("=") for cells in rows if place < len(cells)):
            allowed = "values: open the file in a spreadsheet program and save it, or save it as CSV"
            problems.add(file, None, names[place], "formulas without saved values", allowed)


def _text(cell: object) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case int() | float():
            return number_text(cell)
        case datetime() if cell.time() == time():
            return cell.date().isoformat()
        case _:
            return str(cell)
