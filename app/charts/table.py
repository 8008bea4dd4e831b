"""The numbers of a chart as a table: what a screen reader and a page without script get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_SAID = 8
# how a number, an interval, a p-value or what stands for none begins
_NUMERIC = frozenset("0123456789.−–[<")


@dataclass(frozen=True, slots=True)
class Table:
    """Formatted cells; the first column names the row."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def is_text(self, column: int) -> bool:
        """Whether a column holds words and no number: it is read from the left.

        >>> table = Table(("Of", "Mean", "Note"), (("a", "1.5", "few"), ("b", "no ratings", "")))
        >>> table.is_text(1), table.is_text(2)
        (False, True)
        """
        cells = [row[column] for row in self.rows if row[column]]
        return bool(cells) and not any(is_number(cell) for cell in cells)


def is_number(cell: str) -> bool:
    r"""Whether a cell shows a number or a dash; else it says in words why there is none.

    >>> [is_number(cell) for cell in ("0.50\n0.25 to 0.75", "p = .040", ".009", "the ratings do not vary", "")]
    [True, True, True, False, False]
    """
    return cell[:1] in _NUMERIC or (cell[:2] == "p " and is_number(cell[2:].removeprefix("= "))) if cell else False


def first_few(sentences: Sequence[str]) -> str:
    """As many as an alternative text can hold, and how many more the table has.

    >>> first_few(["a", "b"])
    'a; b.'
    """
    more = len(sentences) - MAX_SAID
    return "; ".join(sentences[:MAX_SAID]) + (f"; and {more} more in the table." if more > 0 else ".")
