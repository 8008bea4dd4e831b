"""Read CSV, JSON lines and JSON arrays into tables; each record keeps its row number."""

import csv
import io
import json
import sys
from _csv import Reader as CsvReader
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, cast

import numpy as np

from app.base.files.encoding import not_text, open_text, unstorable
from app.base.files.input_limits import check_columns, check_rows
from app.base.files.table import Table
from app.base.problems import Problems, shown
from app.base.progress import Progress, quiet
from app.base.words import and_list, number

# Title rows: a title, or nothing, in the rows above the column names of a spreadsheet.

# Rows at the top in which the names are looked for, and the length from which a cell is not a name.
N_TOP, _LONG_CELL = 6, 100


def n_title_rows(top: Sequence[Sequence[str]]) -> int:
    """The number of rows above the column names, given the first rows of a sheet; 0 if the names come first.

    A title row has at most one cell with content. The row of names has several, all of them short, different and not
    numbers, and none of the rows below it is wider.

    >>> n_title_rows([["Study 4", ""], [], ["Question", "Reply"], ["a", "b"]]), n_title_rows([["Question"], ["a"]])
    (2, 0)
    >>> n_title_rows([["", "Question"], ["0", "a"], ["1", "b"]])
    0
    """
    place = next((place for place, row in enumerate(top) if len(_filled(row)) > 1), 0)
    width = max((len(_trimmed(row)) for row in top[place + 1 :]), default=0)
    return place if place and _are_names(_filled(top[place])) and len(_trimmed(top[place])) >= width else 0


def note_title(file: str, titles: Sequence[Sequence[str]], problems: Problems) -> None:
    """Say which rows were left out because they are above the column names."""
    if titles:
        words = next((cell for row in titles for cell in _filled(row)), "")
        found = f"a title above the column names ({shown(words)})" if words else "empty rows above the column names"
        allowed = f"column names in the first row; the names were taken from row {len(titles) + 1}"
        problems.note(file, 1, None, found, allowed)


def _are_names(cells: Sequence[str]) -> bool:
    are_words = all(len(cell) < _LONG_CELL and number(cell) is None for cell in cells)
    return are_words and len(set(cells)) == len(cells)


def _filled(row: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in row if cell.strip()]


def _trimmed(row: Sequence[str]) -> str:
    """Return one sign per cell up to the last one with content."""
    return "".join("x" if cell.strip() else " " for cell in row).rstrip()


# Long texts are mostly distinct; in all other columns values repeat, and only one copy of each is kept in memory.
_LONG = frozenset({"text", "turns", "profile", "comment"})
_ON_EACH_LINE = "one JSON object on each line"
_ARRAY = 'an array of objects, such as [{"text": "a"}, {"text": "b"}]; a file of one object per line must end in .jsonl'
_CHUNK = 20_000
_CELLS_AT_ONCE = 500_000
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


def read_table(
    file: str,
    data: bytes,
    problems: Problems,
    progress: Progress = quiet,
    *,
    delimiter: str = ",",
    may_have_title: bool = False,
) -> Table | None:
    """Return the table in these bytes, adding any `problems`; None if it cannot be read at all."""
    reason = not_text(data)
    if reason is not None:
        problems.add(file, None, None, reason, "text in UTF-8")
        return None
    lines, line = open_text(data)
    if line is not None:
        found = f"bytes that are not UTF-8, first in line {line:,}"
        problems.note(file, None, None, found, "UTF-8; the file was read as Windows-1252")
    with lines:
        if file.endswith(".jsonl"):
            table = _from_json_lines(file, lines, problems)
        elif file.lower().endswith(".json"):
            table = _from_json_array(file, lines.read(), problems)
        else:
            reader = csv.reader(lines, strict=True, delimiter=delimiter)
            table = _from_csv(
                file,
                lines,
                reader,
                problems,
                lambda n_done: progress(f"Reading {file}", n_done, len(data)),
                n_top=N_TOP if may_have_title else 0,
            )
    if table is not None:
        table.is_utf8 = line is None
    progress(f"Reading {file}", len(data), len(data))
    return table


def _from_csv(
    file: str,
    lines: io.TextIOWrapper,
    reader: CsvReader,
    problems: Problems,
    progress: Callable[[int], None],
    *,
    n_top: int,
) -> Table | None:
    """Read records; the names may be below a title in the first `n_top` rows, or are in the first row if it is 0."""
    try:
        top = list(islice(reader, n_top))
        n_titles = n_title_rows(top)
        note_title(file, top[:n_titles], problems)
        records = chain(top[n_titles:], reader)
        record = n_titles + 1
        names = checked_names(file, next(records, []), problems, record)
        if names is None:
            return None
        filler = _Filler(names)
        n_at_once = max(1, min(_CHUNK, _CELLS_AT_ONCE // len(names)))
        while chunk := list(islice(records, n_at_once)):
            filler.add(file, record, chunk, problems)
            record += len(chunk)
            if not check_rows(file, record, len(names), problems):
                return None
            progress(cast("io.BytesIO", lines.buffer).tell())
    except csv.Error as error:
        where = f"near line {reader.line_num}: {error}"
        problems.add(
            file, None, None, where, 'a closing quote for each quoted cell, with quotes inside it doubled ("")'
        )
        return None
    filler.check_nameless(file, problems)
    return filler.table(file)


def checked_names(file: str, header: list[str], problems: Problems, row: int | None) -> list[str] | None:
    """The names of the columns; None, with problems, if they cannot name columns."""
    if not check_columns(file, len(header), problems):
        return None
    names = [name.strip() for name in header]
    if not any(names):
        problems.add(file, row, None, "no header", "column names in the first row")
        return None
    if len(names) == 1 and (other := next((sign for sign in (";", "\t") if sign in names[0]), None)):
        problems.add(file, row, None, f"columns separated by {other!r}", "columns separated by a comma")
        return None
    twice = sorted({name for name in names if name and names.count(name) > 1})
    for name in twice:
        problems.add(file, row, name, f"{names.count(name)} columns with this name", "each column name once")
    if twice:
        return None
    if "" in names:
        problems.note(file, row, None, "a column without a name", "a name for each column; the column was ignored")
    return names


def check_nameless(file: str, names: Sequence[str], columns: Iterable[Iterable[str]], problems: Problems) -> None:
    """Reject words in columns without a name, as below merged cells or a title: they would be lost."""
    lost = []
    for place, (name, cells) in enumerate(zip(names, columns, strict=True), start=1):
        words = next((cell for cell in cells if any(map(str.isalpha, cell))), None) if not name else None
        if words:
            lost.append((place, words))
    if lost:
        column, places = ("columns", "columns") if len(lost) > 1 else ("a column", "column")
        numbers = and_list(str(place) for place, _ in lost)
        found = f"{column} without a name ({places} {numbers}) with content: {shown(lost[0][1])}"
        allowed = (
            "one row of names at the top, without merged cells. Delete a title or a second row of names above the data"
        )
        problems.add(file, 1, None, found, allowed)


class _Filler:
    """Converts records to columns, keeping one copy of each repeated text."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._cells: list[list[str]] = [[] for _ in names]
        self._seen: list[dict[str, str] | None] = [None if name in _LONG else {} for name in names]
        self._rows: list[int] = []

    def add(self, file: str, n_before: int, chunk: list[list[str]], problems: Problems) -> None:
        width = len(self._names)
        rows: Sequence[int] = range(n_before + 1, n_before + 1 + len(chunk))
        if set(map(len, chunk)) != {width} or not all(map(any, chunk)):
            numbered = [(row, record) for row, record in zip(rows, chunk, strict=True) if any(record)]
            for row, record in numbered:
                if len(record) != width:
                    problems.add(file, row, None, f"{len(record)} cells", f"{width} cells, as in the header")
            rows = [row for row, record in numbered if len(record) == width]
            chunk = [record for _, record in numbered if len(record) == width]
        self._rows += rows
        for place, values in enumerate(zip(*chunk, strict=True)):
            seen = self._seen[place]
            self._cells[place] += values if seen is None else map(seen.setdefault, values, values)

    def check_nameless(self, file: str, problems: Problems) -> None:
        check_nameless(file, self._names, self._cells, problems)

    def table(self, file: str) -> Table:
        columns = {
            name: np.array(cells, dtype=object) for name, cells in zip(self._names, self._cells, strict=True) if name
        }
        return Table(file, np.array(self._rows, dtype=np.int64), columns)


def _from_json_lines(file: str, lines: Iterable[str], problems: Problems) -> Table | None:
    filled = ((row, line) for row, line in enumerate(lines, start=1) if line.strip())
    if (first := next(filled, None)) is None:
        return _from_objects(file, (), problems)
    row, line = first
    if not line.lstrip("\ufeff \t").startswith(("{", "[")):
        problems.add(file, row, None, line.strip(), f"{_ON_EACH_LINE}; the name of a CSV file must end in .csv")
        return None
    records = ((row, _json_record(file, row, line.strip(), problems)) for row, line in chain([first], filled))
    return _from_objects(file, records, problems)


def _from_json_array(file: str, text: str, problems: Problems) -> Table | None:
    """Read an array of objects, whose rows count from 1."""
    records, where = None, ""
    try:
        records = json.loads(text, parse_float=str, parse_int=str)
    except json.JSONDecodeError as error:
        where = f" (not readable as JSON from line {error.lineno}, character {error.colno} on)"
    except (ValueError, RecursionError):
        where = " (not readable as JSON)"
    if not isinstance(records, list):
        problems.add(file, None, None, f"{shown(text.strip())}{where}", _ARRAY)
        return None
    return _from_objects(file, _json_objects(file, records, problems), problems)


def _json_objects(
    file: str, records: Iterable[object], problems: Problems
) -> Iterator[tuple[int, dict[str, Any] | None]]:
    for row, record in enumerate(records, start=1):
        if isinstance(record, dict):
            yield row, _trimmed_names(record)
        else:
            problems.add(file, row, None, _cell(record), _ARRAY)


def _from_objects(file: str, numbered: Iterable[tuple[int, dict[str, Any] | None]], problems: Problems) -> Table | None:
    """Return a table with a column for each name, in order of appearance."""
    records: dict[int, dict[str, Any]] = {}
    names: dict[str, None] = {}
    for row, record in numbered:
        if record is None:
            continue
        records[row] = record
        names |= dict.fromkeys(name for name in record if name)
        if len(names) > problems.limits.columns or len(records) > problems.limits.max_rows(len(names)):
            break
    if not check_columns(file, len(names), problems) or not check_rows(file, len(records), len(names), problems):
        return None
    rows = list(records)
    table = Table(file, np.array(rows, dtype=np.int64))
    for name in names:
        cells = [_cell(record.get(name)) for record in records.values()]
        _check_storable(file, shown(name), [1], [name], problems)
        _check_storable(file, name, rows, cells, problems)
        table.columns[name] = np.array(cells, dtype=object)
    return table


def _json_record(file: str, row: int, line: str, problems: Problems) -> dict[str, Any] | None:
    """Return the object on a line; None, with a problem, if there is none."""
    try:
        # Numbers stay as written, so that an ID of 007.0 is not read as 7.
        record = json.loads(line, parse_float=str, parse_int=str)
    except json.JSONDecodeError as error:
        problems.add(
            file, row, None, line, f"{_ON_EACH_LINE}; this one cannot be read from character {error.pos + 1} on"
        )
        return None
    except (ValueError, RecursionError):
        problems.add(file, row, None, line, _ON_EACH_LINE)
        return None
    if not isinstance(record, dict):
        problems.add(file, row, None, line, _ON_EACH_LINE)
        return None
    return _trimmed_names(record)


def _trimmed_names(record: dict[str, Any]) -> dict[str, Any]:
    return {name.strip(): value for name, value in record.items()}


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _check_storable(file: str, name: str, rows: list[int], cells: list[str], problems: Problems) -> None:
    for row, cell in zip(rows, cells, strict=True):
        if (character := unstorable(cell)) is not None:
            problems.add(file, row, name, character, "characters that a database can hold")
