"""Read a Parquet file of plain columns into a table of text.

`parquet_footer` says what is in it. fastparquet decodes the pages; `parquet_values` says how, and writes the values.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from fastparquet import ParquetFile
from fastparquet.parquet_thrift import Encoding

from app.exchange.input_limits import MEBIBYTE, check_rows
from app.exchange.problems import shown
from app.exchange.tabular.encoding import PARQUET_MARKS, unstorable
from app.exchange.tabular.parquet_footer import StoredColumn, UndecodableError, decode_footer, decoding
from app.exchange.tabular.parquet_values import BINARY, ValueKind
from app.exchange.tabular.records import checked_names
from app.exchange.tabular.table import Table

if TYPE_CHECKING:
    from app.exchange.problems import Problems
    from app.exchange.tabular.parquet_footer import Footer
    from app.exchange.tabular.table import Column

_MARK, _ENCRYPTED_MARK = PARQUET_MARKS
_ENDING = struct.Struct("<I4s")
_DTYPES = {"Int32": pd.Int32Dtype(), "Int64": pd.Int64Dtype(), "boolean": pd.BooleanDtype()}
# How pandas stores an index without a name.
_INDEX = "__index_level_0__"
# In other encodings fastparquet may write beyond its memory, which ends the process.
_ENCODINGS = {
    Encoding.PLAIN,
    Encoding.PLAIN_DICTIONARY,
    Encoding.RLE,
    Encoding.BIT_PACKED,
    Encoding.RLE_DICTIONARY,
}
_PLAIN = "text, numbers, dates, times, or true and false. Save the column as text (lists as JSON), or leave it out"
_WHOLE = "a Parquet file as pandas, R or Polars write it by default; or save the table as CSV"


@dataclass(frozen=True, slots=True)
class _Column:
    """A column to read: its name in the file, and its name in the table."""

    stored: str
    name: str
    kind: ValueKind


def read_parquet(file: str, data: bytes, problems: Problems) -> Table | None:
    """Return the table in these bytes; None, with problems, if it cannot be read. The first record is row 1."""
    try:
        columns = _checked_columns(file, data, problems)
        return _table(file, data, columns, problems) if columns is not None else None
    except UndecodableError as error:
        problems.add(file, None, None, f"a Parquet file that is not readable ({shown(str(error))})", _WHOLE)
        return None


def _checked_columns(file: str, data: bytes, problems: Problems) -> list[_Column] | None:
    """Return the columns by the footer alone: no page is unpacked before the sizes are checked."""
    footer = _footer(file, data, problems)
    if footer is None:
        return None
    if not footer.columns:
        problems.add(file, None, None, "a Parquet file without columns", "one column at least")
        return None
    stored = [column for column in footer.columns if not _is_row_number(column)]
    for column in footer.columns:
        if column not in stored:
            words = "columns; the row numbers were left out"
            problems.note(file, None, column.name, "the row numbers of a pandas index", words)
    names = checked_names(file, [_shown_name(column.name) for column in stored], problems, None)
    if names is None or not _is_small(file, footer, len(names), problems):
        return None
    return _readable(file, footer, list(zip(names, stored, strict=True)), problems)


def _readable(
    file: str, footer: Footer, named: list[tuple[str, StoredColumn]], problems: Problems
) -> list[_Column] | None:
    """Return the columns with their names in the table; None, with problems, if some cannot be read."""
    for name, column in named:
        if isinstance(column.kind, str):
            problems.add(file, None, name, f"a column of {column.kind}", _PLAIN)
    for name, encodings in footer.encodings:
        if not encodings <= _ENCODINGS:
            problems.add(file, None, name, "a column in an encoding that cannot be read", _WHOLE)
    if problems.of(file):
        return None
    return [_Column(column.name, name, column.kind) for name, column in named if not isinstance(column.kind, str)]


def _footer(file: str, data: bytes, problems: Problems) -> Footer | None:
    """Return the description at the end of the file; None, with a problem, if there is none or it is encrypted."""
    size, mark = _ENDING.unpack(data[-_ENDING.size :].rjust(_ENDING.size))
    if mark == _ENCRYPTED_MARK:
        problems.add(file, None, None, "an encrypted Parquet file", "a file without encryption")
        return None
    if mark != _MARK or size > len(data) - _ENDING.size - len(_MARK):
        problems.add(file, None, None, "a Parquet file without its end", "the whole file; copy or download it again")
        return None
    footer = decode_footer(data[-_ENDING.size - size : -_ENDING.size])
    if footer.is_encrypted:
        problems.add(file, None, None, "an encrypted Parquet file", "a file without encryption")
        return None
    return footer


def _is_small(file: str, footer: Footer, n_columns: int, problems: Problems) -> bool:
    """Return whether the table may be unpacked, judged by the sizes in the footer; otherwise add a problem."""
    if not check_rows(file, footer.n_rows, n_columns, problems):
        return False
    most = problems.limits.sheet_mb
    is_small = footer.n_bytes <= most * MEBIBYTE
    if not is_small:
        problems.add(file, None, None, f"{footer.n_bytes / MEBIBYTE:,.1f} MiB unpacked", f"at most {most} MiB unpacked")
    return is_small


def _shown_name(stored: str) -> str:
    """Return the name that pandas gives to an index without a name when it becomes a column."""
    return "index" if stored == _INDEX else stored


def _is_row_number(column: StoredColumn) -> bool:
    return column.name == _INDEX and not isinstance(column.kind, str) and column.kind.dtype in {"Int32", "Int64"}


def _table(file: str, data: bytes, columns: list[_Column], problems: Problems) -> Table | None:
    with decoding():
        parquet = ParquetFile(io.BytesIO(data))
        elements = parquet.schema.schema_elements[1:]
    kinds = {column.stored: column.kind for column in columns}
    for element in elements:
        if element.name in kinds:
            element.converted_type, element.logicalType = kinds[element.name].decoded_as, None
    # The description by pandas would change types again.
    parquet.fmd.key_value_metadata = None
    cells = [_cells(file, parquet, column, problems) for column in columns]
    if problems.of(file):
        return None
    is_filled = np.array([any(row) for row in zip(*cells, strict=True)], dtype=bool)
    table = {column.name: found[is_filled] for column, found in zip(columns, cells, strict=True) if column.name}
    return Table(file, np.flatnonzero(is_filled) + 1, table)


def _cells(file: str, parquet: ParquetFile, column: _Column, problems: Problems) -> Column:
    """Return the cells of a column; without cells, and with a problem, if it cannot be read."""
    dtype = _DTYPES.get(column.kind.dtype, column.kind.dtype)
    try:
        with decoding():
            frame = parquet.to_pandas([column.stored], categories=[], index=False, dtypes={column.stored: dtype})
            values = frame[column.stored]
    except UndecodableError as error:
        problems.add(file, None, column.name, f"a column that is not readable ({shown(str(error))})", _WHOLE)
        return np.array([], dtype=object)
    return _texts(file, values, column, problems)


def _texts(file: str, values: pd.Series, column: _Column, problems: Problems) -> Column:
    """Return each value as text, and a missing one as an empty cell; each distinct value is converted once."""
    codes, distinct = pd.factorize(values)
    texts = np.full(len(distinct) + 1, "", dtype=object)
    for code, value in enumerate(distinct):
        try:
            texts[code] = column.kind.text(value)
            found, allowed = unstorable(texts[code]), "characters that a database can hold"
        except UnicodeDecodeError:
            found, allowed = BINARY, _PLAIN
        except (ValueError, OverflowError) as error:
            found, allowed = f"a value that cannot be read ({error})", "numbers of up to 15 digits, years 1 to 9999"
        if found is None and not column.name and any(map(str.isalpha, texts[code])):
            found, allowed = f"{shown(texts[code])} in a column without a name", "a name for each column with content"
        if found is not None:
            problems.add(file, int(np.argmax(codes == code)) + 1, column.name or None, found, allowed)
    # A missing value has the code -1, and the last text is empty.
    cells: Column = texts[codes]
    return cells
