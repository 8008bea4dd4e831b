"""Decode bytes: UTF-8, otherwise Windows-1252 with its undefined bytes as Latin-1; decided per file."""

import codecs
import io
import re
from functools import lru_cache

from ftfy import fix_encoding
from ftfy.badness import badness

from app.base.problem import InvalidInputError, Problem

# Detect and repair texts with garbled characters.
#
# Two errors are common and can both happen to one text: UTF-8 read as Windows-1252 (`â€™` for `’`), which ftfy
# repairs; and a Mac file without a stated encoding read as Windows-1252 (`‰Ûª` for `’`).


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


_CHUNK = 1 << 20
# The second one is that of an encrypted file.
PARQUET_MARKS = (b"PAR1", b"PARE")
# What people send by mistake, by the first bytes.
_KINDS = (
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls), or one with a password"),
    (b"%PDF", "a PDF file"),
    *((mark, "a Parquet file") for mark in PARQUET_MARKS),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
)
_WEB_PAGE, _N_TOP = (b"<!doctype html", b"<html"), 1000
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)  # noqa: S101 - registered for decoding only
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("holes-as-latin-1", _as_latin_1)


def line_not_utf8(data: bytes) -> int | None:
    r"""Return the number of the first line with bytes that are not UTF-8, or None; decoded in pieces to save memory.

    >>> line_not_utf8("caf\u00e9\n".encode()), line_not_utf8("caf\u00e9\n".encode() + b"caf\xe9")
    (None, 2)
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    view, start, n_lines = memoryview(data), 0, 1
    try:
        for start in range(0, len(data), _CHUNK):
            n_lines += decoder.decode(view[start : start + _CHUNK]).count("\n")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        # The piece begins with bytes that the piece before it left over.
        return n_lines + error.object[: error.start].count(b"\n")
    return None


def not_text(data: bytes) -> str | None:
    r"""Return the reason why these bytes are not readable text, or None.

    >>> not_text(b"item,text"), not_text(b"PK\x03\x04\x00"), not_text(b"%PDF-1.7")
    (None, 'a file that is not text', 'a PDF file')
    """
    if data.startswith(_WIDE_MARKS):
        return "text in UTF-16"
    if data[:_N_TOP].lstrip(b"\xef\xbb\xbf\r\n\t ").lower().startswith(_WEB_PAGE):
        return "a web page"
    if kind := next((kind for start, kind in _KINDS if data.startswith(start)), None):
        return kind
    return "a file that is not text" if b"\0" in data else None


def open_text(data: bytes) -> tuple[io.TextIOWrapper, int | None]:
    r"""Return the text as a stream with its line endings unchanged, and the first line that is not UTF-8, or None.

    >>> open_text(b"\xef\xbb\xbfcaf\xc3\xa9")[0].read(), open_text(b"caf\xe9 \x93\x9d")[0].read()
    ('café', 'café “\x9d')
    """
    line = line_not_utf8(data)
    encoding, errors = ("utf-8-sig", "strict") if line is None else ("cp1252", "holes-as-latin-1")
    return io.TextIOWrapper(io.BytesIO(data), encoding=encoding, errors=errors, newline=""), line


def text_of(data: bytes, file: str) -> str:
    """The text in the bytes of a file, with its line endings unchanged.

    Raises:
        InvalidInputError: it is not text.
    """
    if (reason := not_text(data)) is not None:
        raise InvalidInputError([Problem(file, None, None, reason, "text in UTF-8")])
    lines, _ = open_text(data)
    with lines:
        return lines.read()


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
