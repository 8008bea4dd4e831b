"""Marks of what a page sends: the key of an answer, when it was given, and when the page left the browser."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The field of a form with the time when it left; without scripts, when it was shown.
LEFT_AT = "at"
# The year 2100: a later time means that the clock is wrong.
_MAX_MS = 4_102_444_800_000


@dataclass(frozen=True, slots=True)
class Mark:
    """`key` identifies an answer: if it arrives twice, it counts once. `at_ms`: when it was given, by the server clock.

    Both are None if the page was sent without scripts.
    """

    key: str | None = None
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PageTimes:
    """What a submitted page says about time, in milliseconds.

    `page_ms`: when it left the browser, by the clock of its page. `hidden_ms`: how long its tab was hidden.
    `active_ms`: active time, if measured elsewhere; by default, it is the time since serving minus `hidden_ms`.
    """

    page_ms: int
    hidden_ms: int = 0
    active_ms: int | None = None


def read_page_ms(form: Mapping[str, Sequence[str]]) -> int:
    """When a form left the browser, by the clock of its page; now, if it does not say."""
    at_ms = _milliseconds(next(iter(form.get(LEFT_AT, ())), ""))
    return time.time_ns() // 1_000_000 if at_ms is None else at_ms


def read_mark(name: str, form: Mapping[str, Sequence[str]]) -> Mark:
    """Read the mark of a slot's answer from a form.

    Raises:
        ValueError: the key is not a UUID.

    >>> read_mark("q0", {"q0.at": ["1700000000000"]})
    Mark(key=None, at_ms=1700000000000)
    """
    key, at = (next(iter(form.get(f"{name}.{part}", ())), "") for part in ("key", "at"))
    return Mark(str(UUID(key)) if key else None, _milliseconds(at))


def _milliseconds(at: str) -> int | None:
    at_ms = int(at) if at.isascii() and at.isdigit() and len(at) <= len(str(_MAX_MS)) else _MAX_MS
    return at_ms if at_ms < _MAX_MS else None
