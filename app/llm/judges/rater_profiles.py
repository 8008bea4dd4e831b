"""Rater profiles: a table with one judge per row, with an ID, attributes, and a persona if there is one."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.base.problem import InvalidInputError, Problem

# Attributes that a judge has by its configuration: a profile cannot set them.
OWN = (
    "model",
    "model_version",
    "endpoint",
    "family",
    "temperature",
    "model_seed",
    "repeats",
    "both_sides",
    "prompt",
    "prompt_words",
    "prompt_version",
)
_NAMED = ("rater", "persona")
MAX_PROFILES = 500
PASTED = "Rater profiles"


@dataclass(frozen=True, slots=True)
class RaterProfile:
    """One profile. `attributes` are told to the model and kept as attributes of the judge."""

    name: str
    persona: str
    attributes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ProfileTable:
    """The cells by column, and the number of each row in its file."""

    file: str
    columns: Sequence[str]
    rows: Sequence[tuple[int, Mapping[str, str]]]


def profiles_of(table: ProfileTable) -> list[RaterProfile]:
    """The profiles of a table with the column `rater`, optionally `persona`, and one column per attribute.

    Raises:
        InvalidInputError: every problem of the table.
    """
    if problems := [*_problems(table)]:
        raise InvalidInputError(problems)
    return [
        RaterProfile(
            cells["rater"].strip(),
            cells.get("persona", "").strip(),
            tuple(
                (column, words)
                for column in table.columns
                if column not in _NAMED and (words := " ".join(cells[column].split()))
            ),
        )
        for _, cells in table.rows
    ]


def _problems(table: ProfileTable) -> Iterator[Problem]:
    for name in table.columns:
        if name in OWN:
            yield Problem(table.file, 1, name, name, "a name that is not a setting of a judge")
    if "rater" not in table.columns:
        yield Problem(table.file, 1, "rater", "no such column", "the IDs of the judges")
        return
    names = [cells["rater"].strip() for _, cells in table.rows]
    if not 1 <= len(names) <= MAX_PROFILES:
        yield Problem(table.file, None, None, f"{len(names)} profiles", f"1 to {MAX_PROFILES} profiles")
    for (row, _), name in zip(table.rows, names, strict=True):
        if not name or names.count(name) > 1:
            yield Problem(table.file, row, "rater", name, "an ID that no other profile has")


def profiles_of_text(text: str) -> list[RaterProfile]:
    """The profiles of a table that was pasted: comma-separated, or copied from a spreadsheet.

    Raises:
        InvalidInputError: every problem of the table.
    """
    header = text.partition("\n")[0]
    delimiter = next((sign for sign in ("\t", ";") if sign in header and "," not in header), ",")
    try:
        lines = [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)]
    except csv.Error as error:
        raise InvalidInputError([Problem(PASTED, None, None, str(error), "a table")]) from None
    columns = [name.strip() for name in lines[0]]
    rows = [(number, line) for number, line in enumerate(lines[1:], start=2) if any(line)]
    if problems := [*_shape_problems(columns, rows)]:
        raise InvalidInputError(problems)
    cells = [(number, dict(zip(columns, line, strict=True))) for number, line in rows]
    return profiles_of(ProfileTable(PASTED, columns, cells))


def _shape_problems(columns: list[str], rows: list[tuple[int, list[str]]]) -> Iterator[Problem]:
    """Rows of another length than the header, and columns without a name of their own."""
    for number, line in rows:
        if len(line) != len(columns):
            yield Problem(PASTED, number, None, f"{len(line)} cells", f"{len(columns)} cells, one per column")
    for name in dict.fromkeys(columns):
        if not name or columns.count(name) > 1:
            yield Problem(PASTED, 1, name, name or "a column without a name", "a name that no other column has")
