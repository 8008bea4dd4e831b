"""Counts and times as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from markupsafe import Markup, escape

from app.design.protocol.labels import readable

_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def count(n: int) -> str:
    """A count, with separators.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{n:,}"


def ago(past: datetime, now: datetime) -> str:
    """How long ago, and the date where that is longer than a day.

    >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    >>> [ago(noon - timedelta(seconds=s), noon) for s in (-5, 30, 90, 7200, 90_000)]
    ['just now', 'just now', '1 min ago', '2 h ago', '20 Nov 2026']
    """
    passed = now - past
    if passed < _MINUTE:
        return "just now"
    if passed < _HOUR:
        return f"{passed // _MINUTE} min ago"
    if passed < _DAY:
        return f"{passed // _HOUR} h ago"
    return f"{past.day} {past:%b %Y}"


def when(past: datetime | None) -> Markup:
    """A time for a page: short to read, exact for a machine and for a pointer that rests on it."""
    if past is None:
        return Markup('<span class="soft">not yet</span>')
    exact = past.astimezone(UTC)
    words = ago(exact, datetime.now(UTC))
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        exact.isoformat(timespec="seconds"), f"{exact:%Y-%m-%d %H:%M} UTC", words
    )


def minutes(seconds: int) -> str:
    """A wait, rounded up.

    >>> minutes(20), minutes(61)
    ('1 minute', '2 minutes')
    """
    n = -(-seconds // 60)
    return f"{n} minute{'s' if n != 1 else ''}"


def explained(text: str) -> Markup:
    """The description of a setting: the names in it as the form shows them.

    >>> str(explained("Show it `side_by_side`, or with `design.blind`."))
    'Show it <em>Side by side</em>, or with <em>Design.blind</em>.'
    """
    parts = text.split("`")
    shown = [Markup("<em>{}</em>").format(readable(part)) if n % 2 else escape(part) for n, part in enumerate(parts)]
    return Markup("").join(shown)


FILTERS = {"count": count, "when": when, "explained": explained}
