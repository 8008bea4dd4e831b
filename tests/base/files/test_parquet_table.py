"""Parquet files as other programs write them are read as the same table in CSV would be, or a sentence says why not."""

import random
import struct
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from app.base.files import parquet_table
from app.base.files.spreadsheet import read_spreadsheet
from app.base.files.table import Table
from app.base.limits import Limits
from app.base.problems import Problems
from app.studies.imports.column_roles import guess_columns

FILES = Path(__file__).parent / "parquet_files"


def read(path: Path, limits: Limits | None = None) -> tuple[Table | None, Problems]:
    problems = Problems(limits or Limits())
    return read_spreadsheet(path, problems), problems


def sentences(path: Path, limits: Limits | None = None) -> str:
    """Return the problems of a file that is refused."""
    table, problems = read(path, limits)
    assert table is None
    return "\n".join(problem.sentence() for problem in problems.list_of(path.name))


TYPES = {
    "text": ["ä😢", "", "", 'x, "y"\nz'],
    "large": ["a", "b", "", "c"],
    "cat": ["u", "v", "", "u"],
    "i8": ["1", "-2", "", "4"],
    "u64": ["1", "18446744073709551615", "", "4"],
    "i64": ["1152921504606846977", "-2", "", "4"],
    "f64": ["4", "", "", "0.1"],
    "f32": ["4", "0.1", "", "1.5"],
    "b": ["true", "false", "", "true"],
    "b2": ["true", "false", "true", "true"],
    "date": ["2025-03-04", "9999-12-31", "", "1600-01-01"],
    "ts_us": ["2025-03-04 09:05:00", "2025-03-04", "", "1600-01-01 01:02:03.000004"],
    "ts_ms": ["2025-03-04 09:05:00", "2025-03-04", "", "9999-01-01"],
    "ts_ns": ["2025-03-04 09:05:00", "2025-03-04", "", "2000-01-01"],
    "ts_tz": ["2025-03-04 07:05:00+00:00", "2025-03-03 22:00:00+00:00", "", "1999-12-31 22:00:00+00:00"],
    "time_us": ["09:05:00", "00:00:01.000005", "", "23:59:00"],
    "time_ms": ["09:05:00", "00:00:01", "", "23:59:00"],
    "time_ns": ["09:05:00", "00:00:01", "", "23:59:00"],
    "dec": ["1.1", "3.3", "", "-0.07"],
    "dec38": ["1.1", "3.3", "", "12345678901.07"],
    "dec_i": ["1", "3", "", "12345678901"],
    "bin": ["ab", "ä", "", "c"],
    "null": ["", "", "", ""],
    "a.b": ["1", "2", "3", "4"],
}


@pytest.mark.parametrize("name", TYPES)
def test_values_of_each_type_are_written_as_people_write_them(name: str) -> None:
    table, problems = read(FILES / "types.parquet")
    assert table is not None
    assert list(table.columns) == list(TYPES)
    assert list(table.columns[name]) == TYPES[name]
    assert list(table.rows) == [1, 2, 3, 4]
    assert problems.notes == []


def test_defaults_of_polars_are_read() -> None:
    table, _ = read(FILES / "polars.parquet")
    assert table is not None
    assert {name: list(cells) for name, cells in table.columns.items()} == {
        "q": ["a", "b", ""],
        "n": ["1", "2", ""],
        "c": ["u", "v", "u"],
        "d": ["2025-01-01", "", "2025-01-02"],
        "t": ["2025-01-01 05:00:00"] * 3,
    }


@pytest.mark.parametrize(
    ("name", "column", "cells"),
    [
        ("delta", "text", ["ä😢", "", 'x, "y"\nz']),
        ("delta", "i64", ["1152921504606846977", "-2", "4"]),
        ("delta", "f64", ["4", "", "0.1"]),
        ("long_decimal", "deci", ["12345678901234567890.12", "1.5"]),
    ],
)
def test_other_encodings_and_long_decimals_are_read(name: str, column: str, cells: list[str]) -> None:
    """The library before pyarrow wrote beyond its memory for some encodings, and rounded long decimals."""
    table, problems = read(FILES / f"{name}.parquet")
    assert table is not None
    assert list(table.columns[column]) == cells
    assert problems.notes == []


def test_row_numbers_of_pandas_are_left_out_and_an_index_of_words_is_kept() -> None:
    table, problems = read(FILES / "pandas_numbers.parquet")
    assert table is not None
    assert list(table.columns) == ["q"]
    (note,) = problems.notes
    assert (note.column, note.found) == ("__index_level_0__", "the row numbers of a pandas index")
    words, problems = read(FILES / "pandas_words.parquet")
    assert words is not None
    assert list(words.columns["index"]) == ["x", "y", "z"]
    assert list(words.columns["k"]) == ["a", "b", "a"]
    assert problems.notes == []


def test_numbers_in_a_column_without_a_name_are_ignored_with_a_note() -> None:
    table, problems = read(FILES / "nameless_numbers.parquet")
    assert table is not None
    assert list(table.columns) == ["q"]
    assert [note.found for note in problems.notes] == ["a column without a name"]


REFUSED = {
    "nested": ("column ls", "a column of lists or structures", "lists as JSON"),
    "binary": ("column fix", "a column of binary values"),
    "two_of_a_name": ("column q", "2 columns with this name"),
    "nameless_words": ("row 1", "w in a column without a name"),
    "encrypted": ("an encrypted Parquet file",),
    "encrypted_columns": ("an encrypted Parquet file",),
    "null_character": ("row 1, column q", "U+0000"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_file_that_cannot_be_read_is_a_sentence(name: str) -> None:
    found = sentences(FILES / f"{name}.parquet")
    for words in REFUSED[name]:
        assert words in found


def test_bytes_that_are_no_text_are_named_with_their_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": [b"ab", b"\xff\xfe"]}), tmp_path / "a.parquet")
    assert 'row 2, column text: found "binary values"' in sentences(tmp_path / "a.parquet")


@pytest.mark.parametrize("n_bytes", [4, 40, 3000])
def test_file_that_is_cut_short_is_named(tmp_path: Path, n_bytes: int) -> None:
    (tmp_path / "a.parquet").write_bytes((FILES / "types.parquet").read_bytes()[:n_bytes])
    assert 'found "a Parquet file without its end"' in sentences(tmp_path / "a.parquet")


def test_damaged_pages_are_named_with_their_column(tmp_path: Path) -> None:
    data = bytearray((FILES / "types.parquet").read_bytes())
    data[60:80] = random.Random(1).randbytes(20)  # noqa: S311 - the same damage each time
    (tmp_path / "a.parquet").write_bytes(bytes(data))
    assert "column text" in sentences(tmp_path / "a.parquet")


def test_damage_that_makes_a_length_negative_is_a_sentence() -> None:
    """Found by changing bytes at random."""
    assert "not readable" in sentences(FILES / "negative_length.parquet")


def test_a_mistake_of_our_own_is_not_taken_for_a_damaged_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_table, "_texts", lambda *_: None)
    with pytest.raises(TypeError):
        read(FILES / "polars.parquet")


def test_parquet_file_with_another_ending_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes((FILES / "polars.parquet").read_bytes())
    table, _ = read(tmp_path / "a.csv")
    assert table is not None


def test_rows_without_content_are_left_out_and_keep_their_numbers(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": ["a", None, "c"], "n": [1.0, None, 3.0]}), tmp_path / "a.parquet")
    table, _ = read(tmp_path / "a.parquet")
    assert table is not None
    assert (list(table.rows), list(table.columns["n"])) == ([1, 3], ["1", "3"])


def test_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": pa.array([], pa.string())}), tmp_path / "a.parquet")
    table, problems = read(tmp_path / "a.parquet")
    assert table is not None
    assert (list(table.columns), len(table), problems.list_of("a.parquet")) == (["q"], 0, [])


def test_sizes_are_checked_before_pages_are_read(tmp_path: Path) -> None:
    """The pages are overwritten: whatever is said here was read from the footer."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": ["x" * 500] * 2_000, "b": range(2_000)}), path, compression="gzip")
    data = path.read_bytes()
    (size,) = struct.unpack("<I", data[-8:-4])
    path.write_bytes(data[:4] + b"\xff" * (len(data) - size - 12) + data[-size - 8 :])
    assert "more than 100 cells (2 columns)" in sentences(path, Limits(cells=100))
    assert "2 columns" in sentences(path, Limits(columns=1))
    assert "MiB unpacked" in sentences(path, Limits(sheet_mb=0))


def test_columns_are_guessed_as_in_a_csv_file(tmp_path: Path) -> None:
    sheet = pd.DataFrame(
        {
            "question": ["What now with my dog?", "How do I tell her?"],
            "physician response": ["Call the vet right away.", "Say it in one sentence."],
            "n": [1, 2],
        }
    )
    sheet.to_parquet(tmp_path / "a.parquet", index=False)
    sheet.to_csv(tmp_path / "a.csv", index=False)
    roles = []
    for name in ("a.parquet", "a.csv"):
        table, _ = read(tmp_path / name)
        assert table is not None
        roles.append([guess.role for guess in guess_columns(table)])
    assert roles[0] == roles[1] == ["text", "response", "attribute"]
