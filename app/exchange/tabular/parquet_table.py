"""Read a Parquet file of plain columns into a table of text.

fastparquet decodes the pages; `parquet_values` says how, and writes the values as text.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from cramjam import DecompressionError
from fastparquet import ParquetFile
from fastparquet.cencoding import from_buffer
from fastparquet.parquet_thrift import Encoding, FieldRepetitionType
from fastparquet.util import ParquetException

from app.exchange.input_limits import MEBIBYTE, check_rows
from app.exchange.problems import shown
from app.exchange.tabular.encoding import PARQUET_MARKS, unstorable
from app.exchange.tabular.parquet_values import BINARY, ValueKind, kind_of
from app.exchange.tabular.records import checked_names
from app.exchange.tabular.table import Table

if TYPE_CHECKING:
    from app.exchange.problems import Problems
    from app.exchange.tabular.table import Column

_MARK, _ENCRYPTED_MARK = PARQUET_MARKS
_ENDING = struct.Struct("<I4s")
# The number of the field encryption_algorithm, which fastparquet does not know by name.
_ENCRYPTION = 8
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
_NESTED = "lists or structures"
_WHOLE = "a Parquet file as pandas, R or Polars write it by default; or save the table as CSV"
# What fastparquet raises for damaged files and for encodings that it does not know.
_UNREADABLE = (
    ParquetException,
    DecompressionError,
    NotImplementedError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    BufferError,
    LookupError,
    OSError,
    RuntimeError,
    SystemError,
    TypeError,
    ValueError,
    EOFError,
    struct.error,
)


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
    except _UNREADABLE as error:
        why = str(error) or type(error).__name__
        problems.add(file, None, None, f"a Parquet file that is not readable ({shown(why)})", _WHOLE)
        return None


def _checked_columns(file: str, data: bytes, problems: Problems) -> list[_Column] | None:
    """Return the columns by the footer alone: no page is unpacked before the sizes are checked."""
    footer = _footer(file, data, problems)
    if footer is None:
        return None
    elements = _top_level(footer.schema)
    if not elements:
        problems.add(file, None, None, "a Parquet file without columns", "one column at least")
        return None
    kinds = [_NESTED if _is_nested(element) else kind_of(element) for element in elements]
    stored = [_stored_name(element) for element in elements]
    pairs = [pair for pair in zip(stored, kinds, strict=True) if not _is_row_number(*pair)]
    for name in set(stored) - {name for name, _ in pairs}:
        problems.note(file, None, name, "the row numbers of a pandas index", "columns; the row numbers were left out")
    names = checked_names(file, [_shown_name(name) for name, _ in pairs], problems, None)
    if names is None or not _is_small(file, footer, len(names), problems):
        return None
    for name, (_, kind) in zip(names, pairs, strict=True):
        if isinstance(kind, str):
            problems.add(file, None, name, f"a column of {kind}", _PLAIN)
    _check_encodings(file, footer, problems)
    columns = [
        _Column(raw, name, kind) for name, (raw, kind) in zip(names, pairs, strict=True) if not isinstance(kind, str)
    ]
    return None if problems.of(file) else columns


def _footer(file: str, data: bytes, problems: Problems) -> Any:  # noqa: ANN401 - fastparquet has no types
    """Return the description at the end of the file; None, with a problem, if there is none that can be read."""
    size, mark = _ENDING.unpack(data[-_ENDING.size :].rjust(_ENDING.size))
    if mark == _ENCRYPTED_MARK:
        problems.add(file, None, None, "an encrypted Parquet file", "a file without encryption")
        return None
    if mark != _MARK or size > len(data) - _ENDING.size - len(_MARK):
        problems.add(file, None, None, "a Parquet file without its end", "the whole file; copy or download it again")
        return None
    footer = from_buffer(data[-_ENDING.size - size : -_ENDING.size], "FileMetaData")
    # Only the columns are encrypted, not the footer.
    if footer.get(_ENCRYPTION) is not None:
        problems.add(file, None, None, "an encrypted Parquet file", "a file without encryption")
        return None
    return footer


def _is_small(file: str, footer: Any, n_columns: int, problems: Problems) -> bool:  # noqa: ANN401 - as above
    """Return whether the table may be unpacked, judged by the sizes in the footer; otherwise add a problem."""
    n_rows = max(footer.num_rows, sum(group.num_rows for group in footer.row_groups))
    if not check_rows(file, n_rows, n_columns, problems):
        return False
    n_bytes = sum(chunk.meta_data.total_uncompressed_size for group in footer.row_groups for chunk in group.columns)
    most = problems.limits.sheet_mb
    if n_bytes > most * MEBIBYTE:
        problems.add(file, None, None, f"{n_bytes / MEBIBYTE:,.1f} MiB unpacked", f"at most {most} MiB unpacked")
    return bool(n_bytes <= most * MEBIBYTE)


def _check_encodings(file: str, footer: Any, problems: Problems) -> None:  # noqa: ANN401 - as above
    for chunk in (chunk.meta_data for group in footer.row_groups for chunk in group.columns):
        if not _ENCODINGS.issuperset(chunk.encodings):
            problems.add(
                file, None, ".".join(chunk.path_in_schema), "a column in an encoding that cannot be read", _WHOLE
            )


def _top_level(schema: list[Any]) -> list[Any]:
    """Return the columns of a schema, which lists the parts of a nested column after it."""
    found, place = [], 1
    while place < len(schema):
        found.append(schema[place])
        n_parts = 1
        while n_parts:
            n_parts += (schema[place].num_children or 0) - 1
            place += 1
    return found


def _is_nested(element: Any) -> bool:  # noqa: ANN401 - as above
    return bool(element.num_children) or element.repetition_type == FieldRepetitionType.REPEATED


def _stored_name(element: Any) -> str:  # noqa: ANN401 - as above
    return element.name.decode() if isinstance(element.name, bytes) else str(element.name)


def _shown_name(stored: str) -> str:
    """Return the name that pandas gives to an index without a name when it becomes a column."""
    return "index" if stored == _INDEX else stored


def _is_row_number(stored: str, kind: ValueKind | str) -> bool:
    return stored == _INDEX and not isinstance(kind, str) and kind.dtype in {"Int32", "Int64"}


def _table(file: str, data: bytes, columns: list[_Column], problems: Problems) -> Table | None:
    parquet = ParquetFile(io.BytesIO(data))
    kinds = {column.stored: column.kind for column in columns}
    for element in parquet.schema.schema_elements[1:]:
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
        frame = parquet.to_pandas([column.stored], categories=[], index=False, dtypes={column.stored: dtype})
    except _UNREADABLE as error:
        why = str(error) or type(error).__name__
        problems.add(file, None, column.name, f"a column that is not readable ({shown(why)})", _WHOLE)
        return np.array([], dtype=object)
    return _texts(file, frame[column.stored], column, problems)


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
