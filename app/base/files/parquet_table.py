"""Read a Parquet file of plain columns into a table of text.

`parquet_footer` says what is in it. fastparquet decodes the pages; `parquet_values` says how, and writes the values.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from cramjam import DecompressionError
from fastparquet import ParquetFile
from fastparquet.cencoding import from_buffer
from fastparquet.parquet_thrift import ConvertedType, Encoding, FieldRepetitionType, Type
from fastparquet.util import ParquetException

from app.base.files.encoding import PARQUET_MARKS, unstorable
from app.base.files.input_limits import MEBIBYTE, check_rows
from app.base.files.records import checked_names
from app.base.files.table import Column, Table
from app.base.problems import Problems, shown
from app.base.words import number_text

# How the values of a Parquet column are decoded, and how each is written as text.
#
# Dates, times and decimals are converted here: the conversions of fastparquet silently overflow or round.

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PER_SECOND = {"MILLIS": 10**3, "MICROS": 10**6, "NANOS": 10**9}
# Decimals wider than 64 bits are read as floating-point numbers, which are exact up to here.
_MAX_EXACT = 2**53
_STAMPS = {ConvertedType.TIMESTAMP_MILLIS: 10**3, ConvertedType.TIMESTAMP_MICROS: 10**6}
_CLOCKS = {ConvertedType.TIME_MILLIS: 10**3, ConvertedType.TIME_MICROS: 10**6}
_TEXTS = frozenset({ConvertedType.UTF8, ConvertedType.ENUM, ConvertedType.JSON})
_UNSIGNED = {ConvertedType.UINT_32: 2**32, ConvertedType.UINT_64: 2**64}
BINARY = "binary values"


@dataclass(frozen=True, slots=True)
class ValueKind:
    """How the values of a column are decoded, and how each is written as text.

    `text` raises ValueError or OverflowError for a value that cannot be written.
    """

    dtype: str
    text: Callable[[Any], str]
    decoded_as: int | None = None


def kind_of(element: Any) -> ValueKind | str:  # noqa: ANN401 - fastparquet has no types
    """Return how to read a column, or what it holds that cannot be read."""
    match element.type:
        case Type.BOOLEAN:
            return ValueKind("boolean", lambda value: "true" if value else "false")
        case Type.FLOAT:
            # As many digits as tell the single-precision number from its neighbours: 0.1, not 0.10000000149011612.
            return ValueKind("float32", lambda value: number_text(float(str(np.float32(value)))))
        case Type.DOUBLE:
            return ValueKind("float64", number_text)
        case Type.INT96:
            return ValueKind("datetime64[ns]", lambda value: _moment_text(value.to_pydatetime(warn=False)))
        case Type.INT32 | Type.INT64:
            return ValueKind("Int32" if element.type == Type.INT32 else "Int64", _whole_number(element))
        case _:
            return _kind_of_bytes(element)


def _kind_of_bytes(element: Any) -> ValueKind | str:  # noqa: ANN401 - fastparquet has no types
    converted, is_any_length = element.converted_type, element.type == Type.BYTE_ARRAY
    if converted == ConvertedType.DECIMAL:
        return ValueKind("float64", _wide_decimal(element.scale or 0), ConvertedType.DECIMAL)
    if is_any_length and (converted in _TEXTS or _logical(element, "STRING", "ENUM", "JSON") is not None):
        return ValueKind("object", str, ConvertedType.UTF8)
    if is_any_length and converted is None:
        # Some programs do not say that their text is text.
        return ValueKind("object", lambda value: str(value.decode()))
    return BINARY


def _logical(element: Any, *names: str) -> Any:  # noqa: ANN401 - fastparquet has no types
    logical = element.logicalType
    found = (getattr(logical, name) for name in names) if logical is not None else ()
    return next((one for one in found if one is not None), None)


def _whole_number(element: Any) -> Callable[[Any], str]:  # noqa: ANN401 - fastparquet has no types
    """Return how a whole number is written, which may stand for a date, a time or a decimal number."""
    converted, scale = element.converted_type, element.scale or 0
    if converted == ConvertedType.DECIMAL:
        return lambda value: _decimal_text(Decimal(int(value)).scaleb(-scale))
    if converted == ConvertedType.DATE or _logical(element, "DATE") is not None:
        return lambda value: (_EPOCH + timedelta(days=int(value))).date().isoformat()
    stamp, clock = _logical(element, "TIMESTAMP"), _logical(element, "TIME")
    if stamp is not None or converted in _STAMPS:
        per_second = _per_second(stamp) if stamp is not None else _STAMPS[converted]
        is_utc = stamp is not None and bool(stamp.isAdjustedToUTC)
        return lambda value: _moment_text(_moment(value, per_second), is_utc=is_utc)
    if clock is not None or converted in _CLOCKS:
        per_second = _per_second(clock) if clock is not None else _CLOCKS[converted]
        return lambda value: _moment(value, per_second).time().isoformat()
    wrap = _UNSIGNED.get(converted)
    return (lambda value: str(int(value) % wrap)) if wrap else (lambda value: str(int(value)))


def _per_second(logical: Any) -> int:  # noqa: ANN401 - fastparquet has no types
    return next(n for unit, n in _PER_SECOND.items() if getattr(logical.unit, unit) is not None)


def _moment(value: int, per_second: int) -> datetime:
    """Return a time to the microsecond."""
    return _EPOCH + timedelta(microseconds=int(value) * 10**6 // per_second)


def _moment_text(moment: datetime, *, is_utc: bool = False) -> str:
    """Return a time as in an Excel file, where midnight is a date; with its zone if it has one."""
    if is_utc:
        return str(moment)
    return moment.date().isoformat() if moment.time() == time() else str(moment.replace(tzinfo=None))


def _decimal_text(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _wide_decimal(scale: int) -> Callable[[float], str]:
    def text(value: float) -> str:
        if abs(value) * 10**scale >= _MAX_EXACT:
            message = "more than 15 digits"
            raise ValueError(message)
        return number_text(round(float(value), scale))

    return text


# What the footer of a Parquet file says about its columns and its size, before any page is unpacked.

NESTED = "lists or structures"
# The number of the field encryption_algorithm, which fastparquet does not know by name.
_ENCRYPTION = 8
# What fastparquet raises for damaged files and for encodings that it does not know; not MemoryError, which is a limit.
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


class UndecodableError(Exception):
    """Bytes that fastparquet cannot decode; the message is its own."""


@contextmanager
def decoding() -> Iterator[None]:
    """Turn what fastparquet raises into one error. Only its calls belong inside: the list would hide our own mistakes.

    Raises:
        UndecodableError: the bytes are damaged, or written in a way that fastparquet does not know.
    """
    try:
        yield
    except _UNREADABLE as error:
        raise UndecodableError(str(error) or type(error).__name__) from error


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column at the top of the schema; `kind` is how to read it, or what it holds that cannot be read."""

    name: str
    kind: ValueKind | str


@dataclass(frozen=True, slots=True)
class Footer:
    """The description at the end of a file.

    Attributes:
        n_rows: the larger of both numbers of rows that it gives.
        n_bytes: size of all pages when unpacked.
        encodings: of each part of each column, with its name; of nested columns too.
        is_encrypted: whether columns are encrypted, though the footer is not.
    """

    columns: list[StoredColumn]
    n_rows: int
    n_bytes: int
    encodings: list[tuple[str, frozenset[int]]]
    is_encrypted: bool


def decode_footer(data: bytes) -> Footer:
    """Decode a footer.

    Raises:
        UndecodableError: it is damaged.
    """
    with decoding():
        found = from_buffer(data, "FileMetaData")
        chunks = [chunk.meta_data for group in found.row_groups for chunk in group.columns]
        return Footer(
            columns=[_column(element) for element in _top_level(found.schema)],
            n_rows=max(found.num_rows, sum(group.num_rows for group in found.row_groups)),
            n_bytes=sum(chunk.total_uncompressed_size for chunk in chunks),
            encodings=[(".".join(chunk.path_in_schema), frozenset(chunk.encodings)) for chunk in chunks],
            is_encrypted=found.get(_ENCRYPTION) is not None,
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


def _column(element: Any) -> StoredColumn:  # noqa: ANN401 - fastparquet has no types
    name = element.name.decode() if isinstance(element.name, bytes) else str(element.name)
    is_nested = bool(element.num_children) or element.repetition_type == FieldRepetitionType.REPEATED
    return StoredColumn(name, NESTED if is_nested else kind_of(element))


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
