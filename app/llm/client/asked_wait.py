"""How long a server asks to wait before the next try: in a header, or in the words of its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from time import time

from app.base.processes.outgoing import seconds_to_wait

_MAX_WAIT_S = 120.0
_MILLISECONDS = "retry-after-ms"
_HEADERS = (
    "retry-after",
    "ratelimit-reset",
    "x-ratelimit-reset",
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
)
_IN_WORDS = re.compile(
    r"(?:try again in|retry(?: after| in)|retrydelay\W+)\s*((?:[\d.]+ ?(?:ms|s|m|h)[a-z]* ?)+)", re.IGNORECASE
)
_PART = re.compile(r"([\d.]+) ?(ms|h|m|s)[a-z]*", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# A larger number is a point in time, in seconds or thousandths of them, since 1970.
_A_TIME, _A_TIME_IN_MS = 1e9, 1e12


def asked_wait(headers: Mapping[str, str], body: object = None, *, now: float | None = None) -> float | None:
    """The seconds that a server asks to wait, at most two minutes; None if it does not say.

    >>> asked_wait({"Retry-After": "7"}), asked_wait({"retry-after-ms": "1500"}), asked_wait({"Retry-After": "1m2.5s"})
    (7.0, 1.5, 62.5)
    >>> asked_wait({"X-RateLimit-Reset-Requests": "120ms", "X-RateLimit-Reset-Tokens": "6m0s"})
    120.0
    >>> asked_wait({"X-RateLimit-Reset": "1700000030000"}, now=1_700_000_000)
    30.0
    >>> asked_wait({}, {"error": {"message": "Limit reached. Please try again in 7.66s."}})
    7.66
    >>> asked_wait({}, {"error": {"details": [{"retryDelay": "34s"}]}})
    34.0
    """
    given = {name.lower(): value.strip() for name, value in headers.items()}
    if (found := seconds_to_wait(given.get(_MILLISECONDS, ""), at_most=_MAX_WAIT_S * 1000)) is not None:
        return found / 1000
    waits = [_wait(given[name], now) for name in _HEADERS if name in given]
    said = [wait for wait in waits if wait is not None]
    # The header made for this purpose counts alone.
    if said:
        return said[0] if "retry-after" in given else max(said)
    match = _IN_WORDS.search(str(body or ""))
    return _wait(match[1], now) if match else None


def _wait(value: str, now: float | None) -> float | None:
    parts = _PART.findall(value)
    if parts and not _PART.sub("", value).strip():
        return min(sum(float(number) * _SECONDS[unit.lower()] for number, unit in parts), _MAX_WAIT_S)
    try:
        number = float(value)
    except ValueError:
        return seconds_to_wait(value, at_most=_MAX_WAIT_S)
    if not number >= _A_TIME:  # no number either
        return seconds_to_wait(value, at_most=_MAX_WAIT_S)
    at = number / 1000 if number >= _A_TIME_IN_MS else number
    return min(max(at - (time() if now is None else now), 0.0), _MAX_WAIT_S)
