"""Columns of CSV as arrays: the distinct cells of a column, and which of them each row has.

A million rows have few distinct keys and labels, so each distinct one is encoded and quoted once. numpy puts the rows
together: as a table of cells of equal width, from which the padding is deleted.
"""

import csv
import datetime as dt
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.base.words import number_text

# Stands for an empty cell in a column of whole numbers or times, and is what PostgreSQL sends for the time `infinity`.
EMPTY = np.iinfo(np.int64).max
# At most this many bytes are put together at a time, so that one very long text does not take a gigabyte.
BLOCK_BYTES = 2**22
_DAY = 86_400_000_000
_SPECIAL = (b",", b'"', b"\r", b"\n")
_TWO_DIGITS = np.array([f"{n:02}" for n in range(100)], dtype="S2")
_THREE_DIGITS = np.array([f"{n:03}" for n in range(1000)], dtype="S3")
_TIME = np.dtype(
    [
        ("day", "S10"),
        ("T", "S1"),
        ("hour", "S2"),
        ("colon", "S1"),
        ("minute", "S2"),
        ("next colon", "S1"),
        ("second", "S2"),
        ("point", "S1"),
        ("milli", "S3"),
        ("micro", "S3"),
        ("Z", "S1"),
    ]
)


@dataclass(frozen=True, slots=True)
class Cells:
    """A column of n rows.

    Attributes:
        distinct: UTF-8, not quoted; b"" is an empty cell. Texts contain no NUL, as in PostgreSQL.
        at: for each row, the position of its cell in `distinct`; shape (n,).
    """

    distinct: NDArray[np.bytes_]
    at: NDArray[np.intp]

    @property
    def is_blank(self) -> bool:
        """Whether no row has text, and none could have."""
        return len(self.distinct) == 1 and not self.distinct[0]

    @property
    def is_filled(self) -> NDArray[np.bool_]:
        """Whether each row has text; shape (n,)."""
        filled: NDArray[np.bool_] = (self.distinct != b"")[self.at]
        return filled

    def texts(self) -> list[str | None]:
        """Each row as text; None for an empty cell."""
        return [cell.decode() or None for cell in self.distinct[self.at].tolist()]


def encoded(texts: Iterable[str]) -> NDArray[np.bytes_]:
    """Texts as an array of UTF-8."""
    return np.array([text.encode() for text in texts] or [b""], dtype=np.bytes_)


def picked(words: NDArray[np.bytes_], at: NDArray[np.intp]) -> Cells:
    """Words of a dictionary, by their places; of a dictionary that is longer than the column only what is needed."""
    return Cells(words[at], np.arange(len(at))) if len(words) > len(at) else Cells(words, at)


def either(*columns: Cells) -> Cells:
    """In each row the first cell that is not empty."""
    first, *others = [column for column in columns if not column.is_blank] or columns[:1]
    for other in others:
        at = np.where(first.is_filled, first.at, other.at + len(first.distinct))
        first = Cells(np.concatenate((first.distinct, other.distinct)), at)
    return first


def text_cells(cells: Sequence[bytes | None]) -> Cells:
    """A column of UTF-8 texts; empty for None."""
    places: dict[bytes, int] = {}
    at = [places.setdefault(cell or b"", len(places)) for cell in cells]
    return Cells(np.array([*places] or [b""], dtype=np.bytes_), np.array(at, dtype=np.intp))


def number_cells(numbers: NDArray[np.float64]) -> Cells:
    """A column of decimals; empty for NaN."""
    distinct, at = np.unique(numbers, return_inverse=True)
    return Cells(encoded("" if math.isnan(number) else number_text(number) for number in distinct.tolist()), at)


def whole_cells(numbers: NDArray[np.int64]) -> Cells:
    """A column of integers; empty for EMPTY."""
    distinct, at = np.unique(numbers, return_inverse=True)
    filled = distinct[distinct != EMPTY]
    width = max((len(str(number)) for number in (*filled[:1].tolist(), *filled[-1:].tolist())), default=1)
    cells = filled.astype(f"S{width}")
    return Cells(cells if len(filled) == len(distinct) else np.append(cells, b""), at)


def time_cells(times: NDArray[np.int64], epoch: dt.date) -> Cells:
    """A column of times in UTC as ISO 8601 with microseconds; empty for EMPTY.

    Args:
        times: microseconds since the beginning of a day.
        epoch: that day.
    """
    day, time = np.divmod(np.where(times == EMPTY, 0, times), _DAY)
    days, at = np.unique(day, return_inverse=True)
    rest, micro = np.divmod(time, 1_000)
    rest, milli = np.divmod(rest, 1_000)
    rest, second = np.divmod(rest, 60)
    hour, minute = np.divmod(rest, 60)
    dates = encoded(dt.date.fromordinal(epoch.toordinal() + number).isoformat() for number in days.tolist())
    written = np.empty(len(times), dtype=_TIME)
    written["day"], written["hour"], written["minute"] = dates[at], _TWO_DIGITS[hour], _TWO_DIGITS[minute]
    written["second"] = _TWO_DIGITS[second]
    written["milli"], written["micro"] = _THREE_DIGITS[milli], _THREE_DIGITS[micro]
    for name, sign in (("T", b"T"), ("colon", b":"), ("next colon", b":"), ("point", b"."), ("Z", b"Z")):
        written[name] = sign
    written[times == EMPTY] = np.zeros((), dtype=_TIME)
    return Cells(written.view(f"S{_TIME.itemsize}"), np.arange(len(times)))


def csv_rows(columns: Sequence[Cells]) -> Iterator[bytes]:
    """Yield the rows as CSV (RFC 4180, except that lines end with a line feed), in blocks."""
    quoted = [_quoted(column.distinct) for column in columns]
    parts = [(f"cell {n}", cells.dtype) for n, cells in enumerate(quoted)]
    row = np.dtype([part for cell in parts for part in (cell, (f"after {cell[0]}", "S1"))])
    step = max(1, BLOCK_BYTES // row.itemsize)
    for start in range(0, len(columns[0].at), step):
        places = [column.at[start : start + step] for column in columns]
        block = bytearray(len(places[0]) * row.itemsize)
        table = np.frombuffer(block, dtype=row)
        for (name, _), cells, at in zip(parts, quoted, places, strict=True):
            table[name] = cells[at]
            table[f"after {name}"] = b","
        table[f"after {parts[-1][0]}"] = b"\n"
        yield bytes(block.translate(None, b"\0"))


def csv_header(names: Sequence[str]) -> bytes:
    """A header."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(names)
    return line.getvalue().encode()


def _quoted(cells: NDArray[np.bytes_]) -> NDArray[np.bytes_]:
    """The cells, with those in quotes that contain a comma, a quote or the end of a line."""
    whole = cells.tobytes()
    if not any(sign in whole for sign in _SPECIAL):
        return cells
    return np.array([_in_quotes(cell) if any(sign in cell for sign in _SPECIAL) else cell for cell in cells.tolist()])


def _in_quotes(cell: bytes) -> bytes:
    return b'"' + cell.replace(b'"', b'""') + b'"'
