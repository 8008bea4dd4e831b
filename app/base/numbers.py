"""The style of numbers in what people read: as on the pages, or as a publisher or a language wants them.

Every formatted number goes through `styled`, `whole` or `p_text`. The style holds for everything that is written within
`number_style`, such as a report for a paper; files for programs do not use it.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, get_args

NumberStyle = Literal["plain", "apa", "jama", "german"]
STYLES: tuple[NumberStyle, ...] = get_args(NumberStyle)
STYLE_NAMES: dict[NumberStyle, str] = {
    "plain": "As on the pages (0.88, p = .040)",
    "apa": "APA (r = .88, p = .040)",
    "jama": "JAMA (0.88, P = .04)",
    "german": "German (0,88, p = 0,040)",
}
MINUS = "−"
SMALLEST_P = 0.001
# JAMA prints two decimals of p, three below this and where two would show .05 for less than it, and no p above .99.
_THREE_DECIMALS_BELOW, _ALMOST, _CUSTOMARY, _LARGEST_P = 0.01, 0.045, 0.05, 0.99

_style: ContextVar[NumberStyle] = ContextVar("number_style", default="plain")


@contextmanager
def number_style(style: NumberStyle) -> Iterator[None]:
    """Write numbers in this style within the block."""
    before = _style.set(style)
    try:
        yield
    finally:
        _style.reset(before)


def current_style() -> NumberStyle:
    """The style in which numbers are written now."""
    return _style.get()


def styled(text: str, *, is_at_most_one: bool = False) -> str:
    """A number of the pages, with a decimal point and commas between thousands, in the style of now.

    The APA prints no zero before the point of a number that cannot exceed 1, such as a correlation.

    >>> with number_style("apa"):
    ...     styled("−0.02", is_at_most_one=True), styled("−0.02")
    ('−.02', '−0.02')
    >>> with number_style("german"):
    ...     styled("1,296.5")
    '1.296,5'
    """
    style = current_style()
    if style == "apa" and is_at_most_one:
        return re.sub(r"(?<![\d.,])0(?=\.)", "", text)
    return _german(text) if style == "german" else text


def in_german(text: str) -> str:
    """A number, or an interval, in the style of now as a German sentence has it."""
    return (text if current_style() == "german" else _german(text)).replace(" to ", " bis ")


def _german(text: str) -> str:
    swapped = text.translate(str.maketrans(".,", ",."))
    return re.sub(r"(?<!\d),(?=\d)", "0,", swapped).replace("%", "\N{NO-BREAK SPACE}%")


def restyled(text: str) -> str:
    """A sentence that was written as on the pages, such as a stored note, with its numbers in the style of now.

    >>> with number_style("german"):
    ...     restyled("From −0.006 to 0.473 in 1,170 ratings (p < .05).")
    'From −0,006 to 0,473 in 1.170 ratings (p < 0,05).'
    >>> with number_style("jama"):
    ...     restyled("33 with p < .05")
    '33 with P < .05'
    """
    if current_style() == "jama":
        return re.sub(r"\bp(?= [<>=] )", "P", text)
    return re.sub(r"(?<![\w.,])\d*(?:,\d{3})*(?:\.\d+)?%?", lambda found: styled(found[0]), text)


def whole(n: int | None) -> str:
    """A whole number with a mark between thousands; a dash for none.

    >>> whole(11505), whole(None)
    ('11,505', '–')
    """
    return "–" if n is None else styled(f"{n:,}")


def with_minus(text: str) -> str:
    """A number as written in a file, with the minus sign of what people read.

    >>> with_minus("-5"), with_minus("5"), with_minus("so-so")
    ('−5', '5', 'so-so')
    """
    return f"{MINUS}{text[1:]}" if re.match(r"-[\d.]", text) else text


def p_text(p: float | None) -> str:
    """Format a p-value; empty for none.

    >>> p_text(0.04), p_text(1e-9), p_text(1.0), p_text(None)
    ('.040', '< .001', '1.000', '')
    >>> with number_style("jama"):
    ...     p_text(0.04), p_text(0.0062), p_text(0.0481), p_text(0.999)
    ('.04', '.006', '.048', '> .99')
    """
    if p is None:
        return ""
    if p < SMALLEST_P:
        return f"< {styled('.001')}"
    if current_style() != "jama":
        return styled(f"{p:.3f}".removeprefix("0"))
    if p > _LARGEST_P:
        return "> .99"
    is_exact = p < _THREE_DECIMALS_BELOW or _ALMOST <= p < _CUSTOMARY
    return f"{p:.{3 if is_exact else 2}f}".removeprefix("0")


def p_statement(p: float | None) -> str:
    """Format a p-value as a statement; empty for none.

    >>> p_statement(0.04), p_statement(1e-9), p_statement(None)
    ('p = .040', 'p < .001', '')
    >>> with number_style("jama"):
    ...     p_statement(0.04), p_statement(0.999)
    ('P = .04', 'P > .99')
    """
    text = p_text(p)
    letter = "P" if current_style() == "jama" else "p"
    return f"{letter} {text}" if text[:1] in {"<", ">"} else f"{letter} = {text}" if text else ""
