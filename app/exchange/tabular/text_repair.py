"""Texts whose characters were garbled on their way: finding them, and putting back what was meant.

Two accidents are common and can happen to one text in turn: UTF-8 that was read as Windows-1252 (`â€™` for `’`), which
ftfy puts right; and a file from a Mac that says nothing of its encoding and is read as Windows-1252 (`‰Ûª` for `’`).
"""

from __future__ import annotations

import re

from ftfy import fix_encoding
from ftfy.badness import badness

# A replacement character stands where another program has lost what was there: nothing brings it back.
_LOST = "\ufffd"
# Signs that a Mac's bytes give in Windows-1252 and that hardly any language has inside of a word.
_MAC = re.compile(r"‰Û|‰Ã|Ò|Ó(?=\w)|\w[ÕÔ]\w|É(?=\s|$)|Ð")


def repaired(text: str, *, is_utf8: bool) -> str:
    """The text as it was meant; unchanged where nothing in it is odd.

    Args:
        text: a cell.
        is_utf8: whether the file it is from is UTF-8. In any other file the bytes may be a Mac's.

    >>> repaired("don‰Ûªt", is_utf8=False), repaired("donâ€™t", is_utf8=True), repaired("Über Ósló", is_utf8=True)
    ('don’t', 'don’t', 'Über Ósló')
    """
    if text.isascii():
        return text
    candidates = [text, fix_encoding(text)]
    if not is_utf8 and (mac := _as_mac(text)) is not None:
        candidates.append(fix_encoding(mac))
    return min(candidates, key=n_odd)


def n_odd(text: str) -> int:
    """How many places of a text look garbled.

    >>> n_odd("don’t, café"), n_odd("donâ€™t") > 0, n_odd("don‰Ûªt") > 0
    (0, True, True)
    """
    return 0 if text.isascii() else badness(text) + text.count(_LOST) + len(_MAC.findall(text))


def _as_mac(text: str) -> str | None:
    """The same bytes read as Mac Roman; None where the text is not from bytes of Windows-1252."""
    try:
        data = b"".join(sign.encode("latin-1") if "\x80" <= sign <= "\x9f" else sign.encode("cp1252") for sign in text)
    except UnicodeEncodeError:
        return None
    # A byte that Windows-1252 has no sign for went through as it was, and a Mac has one.
    return data.decode("mac_roman").replace("â€ù", "â€\x9d")
