"""Counts and times in readable form."""

import re
from datetime import UTC, datetime, timedelta

from babel.dates import format_date, format_timedelta
from markupsafe import Markup, escape

from app.base.language.language import SOURCE
from app.base.numbers import with_minus
from app.base.words import readable

_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)
# Waiting times below ten hours are given in minutes: an hour and a half would be rounded to two hours.
_IN_MINUTES = 10


def count(n: int) -> str:
    """A count with thousands separators.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{n:,}"


def ago(past: datetime, now: datetime) -> str:
    """How long ago; the date if it is more than a day.

    >>> noon = datetime(2026, 11, 21, 12, tzinfo=UTC)
    >>> [ago(noon - timedelta(seconds=s), noon) for s in (-5, 30, 80, 7200, 90_000)]
    ['just now', 'just now', '1 minute ago', '2 hours ago', '20 Nov 2026']
    """
    passed = now - past
    if passed < _MINUTE:
        return "just now"
    if passed < _DAY:
        return format_timedelta(-passed, threshold=1, add_direction=True, locale=SOURCE)
    return format_date(past, "d MMM y", locale=SOURCE)


def when(past: datetime | None) -> Markup:
    """A time on a page: in short form, with the exact time as an attribute and tooltip."""
    if past is None:
        return Markup('<span class="soft">not yet</span>')
    exact = past.astimezone(UTC)
    words = ago(exact, datetime.now(UTC))
    return Markup('<time datetime="{}" title="{}">{}</time>').format(
        exact.isoformat(timespec="seconds"), f"{exact:%Y-%m-%d %H:%M} UTC", words
    )


def minutes(seconds: int) -> str:
    """A waiting time in minutes, rounded up.

    >>> minutes(20), minutes(61), minutes(5400)
    ('1 minute', '2 minutes', '90 minutes')
    """
    whole = timedelta(minutes=-(-seconds // 60))
    return format_timedelta(whole, granularity="minute", threshold=_IN_MINUTES, locale=SOURCE)


# Other text, `a_setting`, or *a page*. A star or a backtick without a second one is text too.
_NAMED = re.compile(r"([^`*]+|[`*](?![^`*]+[`*]))|`([^`]+)`|\*([^*]+)\*")

# Names of settings and their values, but not a language such as `en`, a command or a key with its value.
_SETTING = re.compile(r"[a-z][a-z0-9_.]{2,}")
# The pages of a link have other addresses in the application.
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


def explained(text: str) -> Markup:
    """The description of a setting, with names of settings as the form shows them.

    >>> str(explained("Show it `side_by_side`, or with `design.blind`."))
    'Show it <em>Side by side</em>, or with <em>Design.blind</em>.'
    >>> str(explained("The date on the page *Settings*"))
    'The date on the page <em>Settings</em>'
    >>> str(explained("Written `ar-EG`; see [languages](languages.md)."))
    'Written <code>ar-EG</code>; see languages.'
    """
    return Markup("").join(_explained(*found) for found in _NAMED.findall(_LINK.sub(r"\1", text)))


def _explained(plain: str, key: str, page: str) -> Markup:
    if key and not _SETTING.fullmatch(key):
        return Markup("<code>{}</code>").format(key)
    return Markup("<em>{}</em>").format(readable(key) if key else page) if key or page else escape(plain)


FILTERS = {"count": count, "when": when, "explained": explained, "minus": with_minus}
