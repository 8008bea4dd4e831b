"""The values of a chart as a table, for screen readers and for pages without scripts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from app.base.words import is_number

MAX_SAID = 8


@dataclass(frozen=True, slots=True)
class Table:
    """Formatted cells; the first column names the row."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def is_grouped(self) -> bool:
        """Return whether rows of one name follow each other, so that a line above them can name them once.

        >>> Table(("Question", "Of", "Mean"), (("a", "x", "1"), ("a", "y", "2"), ("b", "x", "3"))).is_grouped
        True
        >>> Table(("Question", "Of", "Mean"), (("a", "x", "1"), ("b", "x", "3"))).is_grouped
        False
        """
        names = [row[0] for row in self.rows]
        n_runs = len([*groupby(names)])
        return len(self.header) > len(("name", "value")) and n_runs == len(set(names)) < len(names)

    def is_text(self, column: int) -> bool:
        """Return whether a column contains text without numbers, and is therefore left-aligned.

        >>> table = Table(("Of", "Mean", "Note"), (("a", "1.5", "few"), ("b", "no ratings", "")))
        >>> table.is_text(1), table.is_text(2)
        (False, True)
        """
        cells = [row[column] for row in self.rows if row[column]]
        return bool(cells) and not any(is_number(cell) for cell in cells)


def first_few(sentences: Sequence[str]) -> str:
    """Join the first few sentences for an alternative text, and say how many more the table has.

    >>> first_few(["a", "b"])
    'a; b.'
    """
    more = len(sentences) - MAX_SAID
    return "; ".join(sentences[:MAX_SAID]) + (f"; and {more} more in the table." if more > 0 else ".")
