"""Read a Parquet file of plain columns into a table of text; the sizes are checked before a page is unpacked."""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, time
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import types
from pyarrow.parquet import FileMetaData, ParquetFile

from app.base.files.encoding import PARQUET_MARKS, unstorable
from app.base.files.input_limits import MEBIBYTE, check_rows
from app.base.files.records import checked_names
from app.base.files.table import Column, Table
from app.base.problems import Problems, shown
from app.base.words import number_text

BINARY, NESTED = "binary values", "lists or structures"
# In what pyarrow says about a file whose footer or columns are encrypted.
_ENCRYPTED = "decrypt"
_MARK, _ENCRYPTED_MARK = PARQUET_MARKS
_ENDING = struct.Struct("<I4s")
# How pandas stores an index without a name.
_INDEX = "__index_level_0__"
_PLAIN = "text, numbers, dates, times, or true and false. Save the column as text (lists as JSON), or leave it out"
_WHOLE = "a Parquet file as pandas, R or Polars write it by default; or save the table as CSV"


class UndecodableError(Exception):
    """Bytes that are damaged, or written in a way that pyarrow does not know; the message is its own."""


@contextmanager
def _decoding() -> Iterator[None]:
    """Turn what pyarrow raises into one error. Only its calls belong inside: this would hide our own mistakes."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise UndecodableError(str(error).strip() or type(error).__name__) from error


def read_parquet(file: str, data: bytes, problems: Problems) -> Table | None:
    """Return the table in these bytes; None, with problems, if it cannot be read. The first record is row 1."""
    size, mark = _ENDING.unpack(data[-_ENDING.size :].rjust(_ENDING.size))
    if mark != _ENCRYPTED_MARK and (mark != _MARK or size > len(data) - _ENDING.size - len(_MARK)):
        problems.add(file, None, None, "a Parquet file without its end", "the whole file; copy or download it again")
        return None
    try:
        with _decoding():
            parquet = ParquetFile(pa.BufferReader(data))
            fields = list(parquet.schema_arrow)
            _ = parquet.schema_arrow.names  # decoded here: names that are no text end the reading
        named = _named(file, fields, parquet.metadata, problems)
        return None if named is None else _table(file, data, named, problems)
    except UndecodableError as error:
        if _ENCRYPTED in str(error):
            problems.add(file, None, None, "an encrypted Parquet file", "a file without encryption")
        else:
            problems.add(file, None, None, f"a Parquet file that is not readable ({shown(str(error))})", _WHOLE)
        return None


def _named(
    file: str, fields: list[pa.Field], metadata: FileMetaData, problems: Problems
) -> list[tuple[str, pa.Field]] | None:
    """Return the columns with their names in the table; None, with problems, if some or all cannot be read."""
    if not fields:
        problems.add(file, None, None, "a Parquet file without columns", "one column at least")
        return None
    stored = [field for field in fields if field.name != _INDEX or not types.is_integer(field.type)]
    if len(stored) < len(fields):
        words = "columns; the row numbers were left out"
        problems.note(file, None, _INDEX, "the row numbers of a pandas index", words)
    # pandas gives this name to an index without a name when it becomes a column.
    names = checked_names(file, ["index" if field.name == _INDEX else field.name for field in stored], problems, None)
    if names is None or not _is_small(file, metadata, len(names), problems):
        return None
    named = list(zip(names, stored, strict=True))
    for name, field in named:
        if isinstance(kind := _text_of(field.type), str):
            problems.add(file, None, name, f"a column of {kind}", _PLAIN)
    return None if problems.of(file) else named


def _is_small(file: str, metadata: FileMetaData, n_columns: int, problems: Problems) -> bool:
    """Return whether the table may be unpacked, judged by the sizes in the footer; otherwise add a problem."""
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    if not check_rows(file, max(metadata.num_rows, sum(group.num_rows for group in groups)), n_columns, problems):
        return False
    most, n_bytes = problems.limits.sheet_mb, sum(group.total_byte_size for group in groups)
    is_small: bool = n_bytes <= most * MEBIBYTE
    if not is_small:
        problems.add(file, None, None, f"{n_bytes / MEBIBYTE:,.1f} MiB unpacked", f"at most {most} MiB unpacked")
    return is_small


def _text_of(kind: pa.DataType) -> Callable[[Any], str] | str:
    """Return how a value is written as text, or what the column holds that cannot be read."""
    if types.is_dictionary(kind):
        return _text_of(kind.value_type)
    if types.is_nested(kind):
        return NESTED
    if types.is_fixed_size_binary(kind) or isinstance(kind, pa.BaseExtensionType):
        return BINARY
    if types.is_float32(kind) or types.is_float16(kind):
        # As many digits as tell the number from its neighbours: 0.1, not 0.10000000149011612.
        precise = np.float32 if types.is_float32(kind) else np.float16
        return lambda value: number_text(float(str(precise(value))))
    if types.is_timestamp(kind) and kind.tz is not None:
        return lambda value: f"{value}+00:00"
    return _TEXTS[next(found for found in _TEXTS if found(kind))]


def _moment_text(value: datetime) -> str:
    """Return a time as in an Excel file, where midnight is a date."""
    return value.date().isoformat() if value.time() == time() else str(value)


def _decimal_text(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


_TEXTS: dict[Callable[[pa.DataType], bool], Callable[[Any], str]] = {
    types.is_boolean: lambda value: "true" if value else "false",
    types.is_floating: number_text,
    types.is_decimal: _decimal_text,
    types.is_timestamp: _moment_text,
    # Some programs do not say that their text is text.
    types.is_binary: bytes.decode,
    types.is_large_binary: bytes.decode,
    lambda _kind: True: str,
}


def _table(file: str, data: bytes, named: list[tuple[str, pa.Field]], problems: Problems) -> Table | None:
    cells = [_cells(file, data, name, field, problems) for name, field in named]
    if problems.of(file):
        return None
    if len({len(column) for column in cells}) > 1:
        raise UndecodableError("columns of different lengths")
    is_filled = np.logical_or.reduce([column != "" for column in cells])
    table = {name: column[is_filled] for (name, _), column in zip(named, cells, strict=True) if name}
    return Table(file, np.flatnonzero(is_filled) + 1, table)


def _cells(file: str, data: bytes, name: str, field: pa.Field, problems: Problems) -> Column:
    """Return the cells of a column; without cells, and with a problem, if it cannot be read."""
    try:
        with _decoding():
            at, distinct = _distinct(_values(data, field))
    except UndecodableError as error:
        if _ENCRYPTED in str(error):
            raise
        problems.add(file, None, name, f"a column that is not readable ({shown(str(error))})", _WHOLE)
        return np.array([], dtype=object)
    return _texts(file, name, field.type, at, distinct, problems)


def _values(data: bytes, field: pa.Field) -> pa.ChunkedArray:
    """Return the values of a column; of texts each distinct one once, because a small file can repeat a long one."""
    is_text = any(is_kind(field.type) for is_kind in (types.is_string, types.is_large_string, types.is_binary))
    for names in [[field.name], []] if is_text else [[]]:
        parquet = ParquetFile(pa.BufferReader(data), read_dictionary=names, coerce_int96_timestamp_unit="us")
        try:
            return parquet.read([field.name], use_threads=False, use_pandas_metadata=False)[field.name]
        except OSError:
            # In some encodings no text is repeated, and texts can only be read one by one.
            if not names:
                raise
    raise AssertionError("the last way returns or raises")


def _distinct(values: pa.ChunkedArray) -> tuple[NDArray[np.int64], pa.Array]:
    """Return for each row the position of its value among the distinct ones, -1 if it is missing, and those."""
    kind = values.type
    if types.is_duration(kind):
        values = values.cast(pa.int64())
    if types.is_timestamp(kind):
        values = values.cast(pa.timestamp("us"), safe=False)  # in UTC
    if types.is_time64(kind):
        values = values.cast(pa.time64("us"), safe=False)
    if not types.is_dictionary(kind):
        values = values.dictionary_encode()
    found = values.unify_dictionaries().combine_chunks()
    return found.indices.cast(pa.int64()).fill_null(-1).to_numpy(), found.dictionary


def _texts(
    file: str, name: str, kind: pa.DataType, at: NDArray[np.int64], distinct: pa.Array, problems: Problems
) -> Column:
    """Return each value as text, and a missing one as an empty cell; each distinct value is converted once."""
    text_of = _text_of(kind)
    if isinstance(text_of, str):
        raise TypeError(f"columns of {text_of} were refused before")
    try:
        values = distinct.to_pylist()
    except (ValueError, OverflowError):
        values = distinct  # one by one, to find the value that Python cannot hold
    texts = np.full(len(distinct) + 1, "", dtype=object)
    for place, value in enumerate(values):
        found: str | None = None
        try:
            texts[place] = _written(value, text_of)
            found, allowed = unstorable(texts[place]), "characters that a database can hold"
        except UnicodeDecodeError:
            found, allowed = BINARY, _PLAIN
        except (ValueError, OverflowError) as error:
            found, allowed = f"a value that cannot be read ({error})", "numbers of up to 15 digits, years 1 to 9999"
        if found is None and not name and any(map(str.isalpha, texts[place])):
            found, allowed = f"{shown(texts[place])} in a column without a name", "a name for each column with content"
        if found is not None:
            problems.add(file, int(np.argmax(at == place)) + 1, name or None, found, allowed)
    # A missing value has the position -1, and the last text is empty.
    cells: Column = texts[at]
    return cells


def _written(value: Any, text_of: Callable[[Any], str]) -> str:  # noqa: ANN401 - of any type
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    return "" if value is None or value != value else text_of(value)  # noqa: PLR0124 - nan
