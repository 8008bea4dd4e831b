"""Lists of words, and counts with their noun, in a sentence."""

from __future__ import annotations

import re
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


def counted(n: int, word: str, several: str | None = None) -> str:
    """A number and its noun, in the plural if needed: with an s, or the word for several.

    >>> counted(1, "rater"), counted(1200, "seat"), counted(2, "study", "studies")
    ('1 rater', '1,200 seats', '2 studies')
    """
    return f"{n:,} {word if n == 1 else several or word + 's'}"


_TO_NINETEEN = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spelled_out(n: int) -> str:
    """A number in words below a hundred, otherwise in digits.

    >>> spelled_out(12), spelled_out(36), spelled_out(40), spelled_out(1200)
    ('twelve', 'thirty-six', 'forty', '1,200')
    """
    if n >= 100:  # noqa: PLR2004 - as written in digits from a hundred on
        return f"{n:,}"
    if n < len(_TO_NINETEEN):
        return _TO_NINETEEN[n]
    tens, ones = divmod(n, 10)
    return _TENS[tens - 2] + (f"-{_TO_NINETEEN[ones]}" if ones else "")


def _joined(words: Iterable[object], most: int | None, last: str) -> str:
    all_words = [str(word) for word in words]
    some = all_words if most is None or len(all_words) <= most else [*all_words[:most], f"{len(all_words) - most} more"]
    return last.join(filter(None, [", ".join(some[:-1]), *some[-1:]]))


# Written in capitals where they stand alone: in `gpt-4`, not in `chatgpt`.
ACRONYMS = re.compile(r"(?<![A-Za-z])(gpt|llm|ai)(?![A-Za-z])")


def readable(key: str) -> str:
    """A label made from a key.

    >>> readable("emotional_understanding"), readable("gpt-4"), readable("person")
    ('Emotional understanding', 'GPT-4', 'Person')
    """
    words = ACRONYMS.sub(lambda found: found[0].upper(), key.replace("_", " ").strip())
    return words[:1].upper() + words[1:] or key
