"""What a header of a request can hold. Clients quote in their errors what does not fit, such as a key."""

import re
from collections.abc import Mapping

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def fits_header(text: str) -> bool:
    r"""Whether a header can have this value: printable ASCII in one line.

    >>> fits_header("sk-1"), fits_header("sk-1\n# of the lab"), fits_header("sk-\u2026")
    (True, False, False)
    """
    return text.isascii() and text.isprintable()


def can_be_headers(headers: Mapping[str, str]) -> bool:
    r"""Whether a request can have headers of these names and values.

    >>> can_be_headers({"X-Title": "Empathy"}), can_be_headers({"X Title": "Empathy"}), can_be_headers({"X": "a\nb"})
    (True, False, False)
    """
    return all(_NAME.fullmatch(name) and fits_header(value) for name, value in headers.items())
