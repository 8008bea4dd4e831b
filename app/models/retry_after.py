"""The header Retry-After: how long a server asks to wait (RFC 9110, section 10.2.3)."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_to_wait(header: str, *, at_most: float) -> float | None:
    """The seconds that a server asks to wait, from 0 to `at_most`; None if the header is no number and no date.

    >>> seconds_to_wait("2.5", at_most=120), seconds_to_wait("9999", at_most=120)
    (2.5, 120)
    >>> seconds_to_wait("Wed, 21 Oct 2015 07:28:00 GMT", at_most=120)  # past
    0.0
    >>> seconds_to_wait("soon", at_most=120) is seconds_to_wait("nan", at_most=120) is None
    True
    """
    try:
        seconds = float(header)
    except ValueError:
        try:
            at = parsedate_to_datetime(header)
        except ValueError:
            return None
        seconds = (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), at_most)
