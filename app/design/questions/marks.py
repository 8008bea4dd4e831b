"""Marks of a saved answer: the browser's name for it, and when it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The year 2100: a clock that says later is wrong.
_MAX_MS = 4_102_444_800_000


@dataclass(frozen=True, slots=True)
class Mark:
    """`key`: an answer that comes twice with it counts once. `at_ms`: when it was given, by the server's clock.

    Both are None where a page was sent without scripts.
    """

    key: str | None = None
    at_ms: int | None = None


def read_mark(name: str, form: Mapping[str, Sequence[str]]) -> Mark:
    """The mark that a form has for the answer of a slot.

    Raises:
        ValueError: the key is no UUID.

    >>> read_mark("q0", {"q0.at": ["1700000000000"]})
    Mark(key=None, at_ms=1700000000000)
    """
    key, at = (next(iter(form.get(f"{name}.{part}", ())), "") for part in ("key", "at"))
    at_ms = int(at) if at.isascii() and at.isdigit() and len(at) <= len(str(_MAX_MS)) else None
    is_possible = at_ms is not None and at_ms < _MAX_MS
    return Mark(str(UUID(key)) if key else None, at_ms if is_possible else None)
