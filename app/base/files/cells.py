"""Checks shared by all tables, on whole columns: IDs, look-ups, attributes."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from app.base.files.table import Column, Table
from app.base.problems import Problems
from app.base.words import and_list, or_list

Mask = NDArray[np.bool_]
Places = NDArray[np.int64]


# IDs are part of a database index, which limits their length in bytes; this limit is safe in any script.
LONGEST_ID = 400
A_TIME = "a time in ISO 8601 format, such as 2026-11-21T14:30:00Z"
FIRST_YEAR, LAST_YEAR = 1, 9999


def has_columns(table: Table, names: Sequence[str], problems: Problems, *, instead: str = "") -> bool:
    """Return whether the table has these columns; add a problem for each missing one.

    Args:
        table: the table.
        names: the columns it needs.
        problems: collects the problems.
        instead: a column that would do as well, to be named with the missing one.
    """
    missing = [name for name in names if name not in table.columns]
    for name in missing:
        near = get_close_matches(name, [column for column in table.columns if column not in names], n=1, cutoff=0.6)
        found = near[0] if near else and_list(table.columns, 30)
        problems.add(table.file, 1, name, found, f"a column named {name}{f' or {instead}' if instead else ''}")
    return not missing


def ids(table: Table, name: str, problems: Problems) -> Column:
    """Return a column of IDs or keys without surrounding spaces; note trimmed ones, reject long ones."""
    codes, stripped = table.stripped_factor(name)
    trimmed = np.flatnonzero((stripped != table.factor(name)[1]).astype(bool)[codes])
    if len(trimmed):
        first = trimmed[0]
        more = f" in {len(trimmed)} rows" if len(trimmed) > 1 else ""
        found = str(table.column(name)[first])
        header = table.header(name, first)
        problems.note(
            table.file, int(table.rows[first]), header, found, f"IDs without leading or trailing spaces; trimmed{more}"
        )
    values: Column = stripped[codes]
    too_long = np.array([len(text) > LONGEST_ID for text in stripped], dtype=bool)
    faulty(table, too_long[codes], name, values, f"at most {LONGEST_ID} characters", problems)
    return values


def faulty(table: Table, where: Mask, name: str, found: Column, allowed: str, problems: Problems) -> None:
    """Add a problem for each row of the mask."""
    for place in np.flatnonzero(where):
        problems.add(table.file, int(table.rows[place]), table.header(name, place), found[place], allowed)


def unique_ids(table: Table, name: str, values: Column, problems: Problems) -> None:
    """Add problems for IDs that are missing or appear twice."""
    empty = values == ""
    faulty(table, empty, name, values, "an ID", problems)
    twice = pd.Series(values).duplicated().to_numpy() & ~empty
    if twice.any():
        first = dict(zip(values[::-1], table.rows[::-1], strict=True))
        for place in np.flatnonzero(twice):
            value, header = values[place], table.header(name, place)
            problems.add(
                table.file, int(table.rows[place]), header, value, f"each {name} once (first in row {first[value]})"
            )


def one_of(keys: Sequence[str] | Column, file: str, wanted: str) -> str:
    """Describe what is allowed: the keys themselves if there are few, otherwise the file that lists them."""
    if not len(keys):
        return f"{wanted} in {file}, which has none"
    return or_list(keys) if len(keys) <= 12 else f"{wanted} in {file}"  # noqa: PLR2004 - fits on one line


def only_where(keep: Mask, values: Column) -> Column:
    """Return the values where the mask is True and None elsewhere."""
    kept = values.copy()
    kept[~keep] = None
    return kept


def text_or_none(values: Column) -> Column:
    """Return the column with None instead of empty cells."""
    return only_where(values != "", values)


def times_of(cells: Column) -> pd.Series[Any]:
    """Return texts as UTC with microseconds; NaT for what is no time, and for years in UTC that no file can hold."""
    texts = pd.Series(cells, dtype=object)
    times = pd.to_datetime(texts.where(texts != ""), format="ISO8601", errors="coerce", utc=True).dt.as_unit("us")
    return times.where(times.dt.year.between(FIRST_YEAR, LAST_YEAR))


def attributes(table: Table, known: Sequence[str]) -> dict[str, Column]:
    """Return the additional columns of the lead that have at least one value, by name."""
    found = {name: table.columns[name] for name in sorted(set(table.columns) - set(known))}
    return {name: text_or_none(cells) for name, cells in found.items() if (cells != "").any()}
