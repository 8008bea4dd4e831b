"""Decode bytes: UTF-8, otherwise Windows-1252 with its undefined bytes as Latin-1; decided per file."""

from __future__ import annotations

import codecs
import io

_CHUNK = 1 << 20
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - registered for decoding only
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("holes-as-latin-1", _as_latin_1)


def is_utf8(data: bytes) -> bool:
    """Return whether all bytes are UTF-8; decoded in pieces to save memory with large files."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), _CHUNK):
            decoder.decode(view[start : start + _CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def not_text(data: bytes) -> str | None:
    r"""Return the reason why these bytes are not readable text, or None.

    >>> not_text(b"item,text"), not_text(b"PK\x03\x04\x00")
    (None, 'a file that is not text')
    """
    if data.startswith(_WIDE_MARKS):
        return "text in UTF-16"
    return "a file that is not text" if b"\0" in data else None


def open_text(data: bytes) -> tuple[io.TextIOWrapper, bool]:
    r"""Return the text as a stream with its line endings unchanged, and whether it is UTF-8.

    >>> open_text(b"\xef\xbb\xbfcaf\xc3\xa9")[0].read(), open_text(b"caf\xe9 \x93\x9d")[0].read()
    ('café', 'café “\x9d')
    """
    utf8 = is_utf8(data)
    encoding, errors = ("utf-8-sig", "strict") if utf8 else ("cp1252", "holes-as-latin-1")
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors, newline=""), utf8


def unstorable(text: str) -> str | None:
    r"""Return the code point of the first character a database cannot store (NUL, lone surrogate), or None.

    >>> unstorable("ok"), unstorable("a\0"), unstorable("\ud800")
    (None, 'U+0000', 'U+D800')
    """
    try:
        if "\0" not in text:
            text.encode()
            return None
    except UnicodeEncodeError as error:
        return f"U+{ord(text[error.start]):04X}"
    return "U+0000"
