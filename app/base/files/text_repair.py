"""Detect and repair texts with garbled characters.

Two errors are common and can both happen to one text: UTF-8 read as Windows-1252 (`â€™` for `’`), which ftfy repairs;
and a Mac file without a stated encoding read as Windows-1252 (`‰Ûª` for `’`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from ftfy import fix_encoding
from ftfy.badness import badness

# Other programs write this replacement character for characters they cannot read; these are lost.
_LOST = "\ufffd"
# Characters that result from Mac Roman bytes in Windows-1252 and hardly ever appear inside words of any language.
_MAC = re.compile(r"‰Û|‰Ã|Ò|Ó(?=\w)|\w[ÕÔ]\w|É(?=\s|$)|Ð")

# ftfy takes milliseconds for a long text, and a text is asked about for its repair, the report and the stored texts.
_N_REMEMBERED = 2048


@lru_cache(_N_REMEMBERED)
def repaired(text: str, *, is_utf8: bool) -> str:
    """Return the repaired text; unchanged if nothing in it looks garbled.

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


@lru_cache(_N_REMEMBERED)
def n_odd(text: str) -> int:
    """Return how many places of a text look garbled.

    >>> n_odd("don’t, café"), n_odd("donâ€™t") > 0, n_odd("don‰Ûªt") > 0
    (0, True, True)
    """
    return 0 if text.isascii() else badness(text) + text.count(_LOST) + len(_MAC.findall(text))


def _as_mac(text: str) -> str | None:
    """Return the same bytes read as Mac Roman; None if the text does not come from Windows-1252 bytes."""
    try:
        data = b"".join(sign.encode("latin-1") if "\x80" <= sign <= "\x9f" else sign.encode("cp1252") for sign in text)
    except UnicodeEncodeError:
        return None
    # Bytes that are undefined in Windows-1252 were passed through unchanged, but Mac Roman defines them.
    return data.decode("mac_roman").replace("â€ù", "â€\x9d")
