"""Marks of a saved answer: its key from the browser, and when it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The year 2100: a later time means that the clock is wrong.
_MAX_MS = 4_102_444_800_000


@dataclass(frozen=True, slots=True)
class Mark:
    """`key` identifies an answer: if it arrives twice, it counts once. `at_ms`: when it was given, by the server clock.

    Both are None if the page was sent without scripts.
    """

    key: str | None = None
    at_ms: int | None = None


def read_mark(name: str, form: Mapping[str, Sequence[str]]) -> Mark:
    """Read the mark of a slot's answer from a form.

    Raises:
        ValueError: the key is not a UUID.

    >>> read_mark("q0", {"q0.at": ["1700000000000"]})
    Mark(key=None, at_ms=1700000000000)
    """
    key, at = (next(iter(form.get(f"{name}.{part}", ())), "") for part in ("key", "at"))
    at_ms = int(at) if at.isascii() and at.isdigit() and len(at) <= len(str(_MAX_MS)) else None
    is_possible = at_ms is not None and at_ms < _MAX_MS
    return Mark(str(UUID(key)) if key else None, at_ms if is_possible else None)
