"""Lists of words, and counts with their noun, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def and_list(words: Iterable[object], most: int | None = None) -> str:
    """Join words with "and"; all of them unless `most` is given.

    >>> and_list([]), and_list(["a"]), and_list(["a", "b", "c"]), and_list("abcde", most=3)
    ('', 'a', 'a, b and c', 'a, b, c and 2 more')
    """
    return _joined(words, most, " and ")


def or_list(words: Iterable[object], most: int = 12) -> str:
    """Join words with "or", to say what is allowed.

    >>> or_list([]), or_list(["a", "b", "c"]), or_list("abcde", most=3)
    ('none', 'a, b or c', 'a, b, c or 2 more')
    """
    return _joined(words, most, " or ") or "none"


def counted(n: int, word: str) -> str:
    """A number and its noun, in the plural if needed.

    >>> counted(1, "rater"), counted(1200, "seat")
    ('1 rater', '1,200 seats')
    """
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def _joined(words: Iterable[object], most: int | None, last: str) -> str:
    all_words = [str(word) for word in words]
    some = all_words if most is None or len(all_words) <= most else [*all_words[:most], f"{len(all_words) - most} more"]
    return last.join(filter(None, [", ".join(some[:-1]), *some[-1:]]))
