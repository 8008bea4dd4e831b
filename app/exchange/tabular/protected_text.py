"""Make text safe to open in a spreadsheet."""

from __future__ import annotations

from app.design.questions.scale import number

# Characters that start a formula at the beginning of a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\0")


def protected(text: str) -> str:
    """Put an apostrophe before text that a spreadsheet would run as a formula; numbers stay unchanged.

    >>> protected("=1+1"), protected("-5"), protected("- 5 apples"), protected("fine")
    ("'=1+1", '-5', "'- 5 apples", 'fine')
    """
    is_number = number(text) is not None and text == text.strip()
    return f"'{text}" if text.startswith(_FORMULA) and not is_number else text
