"""Numbers as files and pages write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


def number(text: object) -> float | None:
    """Parse a finite number; None if the text is not one.

    >>> number(" 0.5 "), number("-5"), number("five"), number(True), number("nan"), number("1_0")
    (0.5, -5.0, None, None, None, None)
    """
    if isinstance(text, bool) or "_" in str(text):
        return None
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def number_text(value: float) -> str:
    """A number as written by people and in CSV files: 4, not 4.0.

    >>> number_text(4.0), number_text(0.5), number_text(-5.0)
    ('4', '0.5', '-5')
    """
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))


# First characters of numbers, intervals, p-values and dashes.
_WORD = re.compile(r"[^\W\d_]{3,}")


_NUMERIC = frozenset("0123456789.−–[<")


def is_number(cell: str) -> bool:
    r"""Return whether a cell contains a number or a dash; other cells give the reason in words.

    >>> [is_number(cell) for cell in ("0.50\n0.25 to 0.75", "p = .040", ".009", "the ratings do not vary", "")]
    [True, True, True, False, False]
    >>> is_number("12 of 20"), is_number("4o-mini")
    (True, False)
    """
    if _WORD.search(cell):
        return False
    return cell[:1] in _NUMERIC or (cell[:2] == "p " and is_number(cell[2:].removeprefix("= "))) if cell else False
