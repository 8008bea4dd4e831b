import csv
import datetime as dt
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.base.files import distinct_cells as cells
from app.base.files.distinct_cells import (
    EMPTY,
    Cells,
    csv_header,
    csv_rows,
    either,
    encoded,
    number_cells,
    picked,
    text_cells,
    time_cells,
    whole_cells,
)

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8)
MILLENNIUM = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
TIMES = st.datetimes(timezones=st.just(dt.UTC))


def _texts(columns: list[Cells]) -> list[list[str]]:
    written = csv_header([*map(str, range(len(columns)))]) + b"".join(csv_rows(columns))
    return [*csv.reader(io.StringIO(written.decode(), newline=""))][1:]


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1))
def test_texts_are_read_back_as_they_were(rows: list[tuple[str, str]]) -> None:
    columns = [text_cells([text.encode() for text in column]) for column in zip(*rows, strict=True)]
    assert _texts(columns) == [[*row] for row in rows]


@given(st.lists(st.integers(-(2**63), 2**63 - 2) | st.none()))
def test_whole_numbers_are_written_in_full(numbers: list[int | None]) -> None:
    given = np.array([EMPTY if number is None else number for number in numbers], dtype=np.int64)
    assert whole_cells(given).texts() == [None if number is None else str(number) for number in numbers]


@given(st.lists(TIMES | st.none()))
def test_times_are_written_with_microseconds(times: list[dt.datetime | None]) -> None:
    since = (EMPTY if time is None else (time - MILLENNIUM) // dt.timedelta(microseconds=1) for time in times)
    found = time_cells(np.array([*since], dtype=np.int64), MILLENNIUM.date()).texts()
    wanted = [time and f"{time.replace(tzinfo=None).isoformat(timespec='microseconds')}Z" for time in times]
    assert found == wanted


def test_decimals_are_written_as_people_write_them() -> None:
    numbers = np.array([4, -0.0, 0.5, np.nan, 1e16, 1e-7, 8999999999999999])
    assert number_cells(numbers).texts() == ["4", "0", "0.5", None, "1e+16", "1e-07", "8999999999999999"]


def test_the_first_cell_that_is_not_empty_is_taken() -> None:
    first, second = text_cells([b"a", b"", b""]), text_cells([b"x", b"y", b""])
    assert either(first, second, text_cells([b"", b"", b"z"])).texts() == ["a", "y", "z"]
    blank = text_cells([b"", b"", b""])
    assert either(blank, blank).texts() == [None, None, None]


@pytest.mark.parametrize("n_words", [2, 1_000])
def test_a_long_dictionary_is_cut_down_to_the_rows(n_words: int) -> None:
    found = picked(encoded(str(n) for n in range(n_words)), np.array([1, 0, 1]))
    assert found.texts() == ["1", "0", "1"]
    assert len(found.distinct) <= 3


def test_rows_are_put_together_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [whole_cells(np.arange(100)), text_cells([b"a", b"bcd"] * 50)]
    whole = [*csv_rows(columns)]
    monkeypatch.setattr(cells, "BLOCK_BYTES", 64)
    blocks = [*csv_rows(columns)]
    assert len(whole) == 1
    assert len(blocks) > 10
    assert b"".join(blocks) == whole[0]
