"""Title rows: a title, or nothing, in the rows above the column names of a spreadsheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.numbers import number
from app.exchange.problems import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.exchange.problems import Problems

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
