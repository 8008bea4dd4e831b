"""The people of a mail merge: one per line, pasted from a spreadsheet or read from a CSV file."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass

from app.base.problem import InvalidInputError, Problem

NAMES = ("rater", "id", "name", "code")
MAX_PEOPLE, MAX_KEY = 5000, 200


@dataclass(frozen=True, slots=True)
class InvitedPeople:
    """The columns of the list, and one row per person; the first cell of a row is the rater's ID in the study."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


def invited_people(text: str) -> InvitedPeople:
    r"""Read the list. The first line names the columns if its first cell is rater, id, name or code.

    >>> found = invited_people("rater,e-mail\nr1,a@example.org\nr2,b@example.org")
    >>> found.columns, found.rows[1]
    (['rater', 'e-mail'], ['r2', 'b@example.org'])
    >>> invited_people("r1\nr2").columns
    ['rater']

    Raises:
        InvalidInputError: no CSV, nobody, too many, an ID twice, or an ID that is empty or too long.
    """
    delimiter = "\t" if "\t" in text else ";" if ";" in text and "," not in text else ","
    rows = [[cell.strip() for cell in row] for row in _read(text, delimiter)]
    rows = [row for row in rows if any(row)]
    has_header = bool(rows) and rows[0][0].lower() in NAMES
    columns = rows.pop(0) if has_header else ["rater"]
    width = max([len(columns), *map(len, rows)])
    columns = [*columns, *(f"column {place + 1}" for place in range(len(columns), width))]
    check_keys([row[0] for row in rows])
    return InvitedPeople(columns, [[*row, *[""] * (width - len(row))] for row in rows])


def _read(text: str, delimiter: str) -> list[list[str]]:
    try:
        # newline=None: lines may end as on any system.
        return list(csv.reader(io.StringIO(text, newline=None), delimiter=delimiter))
    except csv.Error:
        raise InvalidInputError([Problem("the list", None, None, "a very long cell", "one person per line")]) from None


def check_keys(keys: Sequence[str]) -> None:
    """Reject a list with nobody, too many people, an ID twice, or an ID that is empty, too long or not printable.

    Raises:
        InvalidInputError: with the first such problem.
    """
    problem = None
    if not keys:
        problem = Problem("the list", None, None, "nobody", "one person per line")
    elif len(keys) > MAX_PEOPLE:
        problem = Problem("the list", None, None, f"{len(keys):,} people", f"at most {MAX_PEOPLE:,}")
    elif any(not 0 < len(key) <= MAX_KEY or not key.isprintable() for key in keys):
        row = next(n for n, key in enumerate(keys, 1) if not 0 < len(key) <= MAX_KEY or not key.isprintable())
        problem = Problem("the list", row, "rater", keys[row - 1][:20] or "nothing", "an ID for each person")
    elif twice := next((key for n, key in enumerate(keys) if key in keys[:n]), None):
        problem = Problem("the list", None, "rater", twice, "each ID once")
    if problem:
        raise InvalidInputError([problem])
