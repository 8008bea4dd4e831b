"""What the footer of a Parquet file says about its columns and its size, before any page is unpacked."""

from __future__ import annotations

import struct
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cramjam import DecompressionError
from fastparquet.cencoding import from_buffer
from fastparquet.parquet_thrift import FieldRepetitionType
from fastparquet.util import ParquetException

from app.exchange.tabular.parquet_values import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.exchange.tabular.parquet_values import ValueKind

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
