"""Make text safe to open in a spreadsheet."""

import re

from app.base.words import number

# Characters that start a formula at the beginning of a cell, also in the full width of Japanese keyboards.
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r", "\n", "\0")
# Where numbers have a decimal comma, Excel splits a CSV file at semicolons and line breaks, also within quoted text. A
# smiley or an item of a list after one of them is no formula.
_LATER_CELL = re.compile(r"([;\t\r\n])(?=[=@＝＠]|[+\-＋－][A-Za-z(])")


def protected(text: str) -> str:
    """Put an apostrophe where a spreadsheet would find a formula; numbers stay unchanged.

    >>> protected("=1+1"), protected("-5"), protected("- 5 apples"), protected("fine")
    ("'=1+1", '-5', "'- 5 apples", 'fine')
    """
    is_number = number(text) is not None and text == text.strip()
    safe = _LATER_CELL.sub(r"\1'", text)
    return f"'{safe}" if text.startswith(_FORMULA) and not is_number else safe
