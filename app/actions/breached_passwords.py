"""Passwords known from data breaches: a lookup in a sorted file of their SHA-1 hashes, without the network.

The file is the one that Have I Been Pwned publishes, ordered by hash: a hash and a count per line. It has a billion
lines, so it is searched in place.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class BreachedPasswords:
    """The passwords in a file; none without a file."""

    file: Path | None = None

    def __contains__(self, password: str) -> bool:
        """Whether the file has the hash of this password."""
        if self.file is None:
            return False
        wanted = hashlib.sha1(password.encode(), usedforsecurity=False).hexdigest().upper().encode()
        with self.file.open("rb") as lines:
            return _first_from(lines, wanted).startswith(wanted)


def _first_from(lines: BinaryIO, wanted: bytes) -> bytes:
    """The first line that is not below `wanted`, by binary search over positions in the file."""
    low, high = 0, lines.seek(0, os.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        line = _line_after(lines, middle)
        if line and line < wanted:
            low = middle + 1
        else:
            high = middle
    return _line_after(lines, low)


def _line_after(lines: BinaryIO, position: int) -> bytes:
    """The first line that begins at `position` or after it, in capitals; empty at the end."""
    lines.seek(max(0, position - 1))
    if position:
        lines.readline()
    return lines.readline().upper()


# Set at the start of a program that has such a file.
BREACHED = BreachedPasswords()
