"""The progress of a running study, for the first line of its page."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

_PERCENT = 100
# No end date is predicted beyond this time.
_FAR = timedelta(days=180)


def progress_words(n_rated: int, n_seats: int, *, per_rater: float | None, n_last_day: int, now: datetime) -> list[str]:
    """Sentences for a lead: progress, number of raters still needed, and when the study ends at today's pace.

    Args:
        n_rated: number of trials rated so far, once for each rater.
        n_seats: number of trials to be rated, once for each rater.
        per_rater: number of trials per rater; None if unknown.
        n_last_day: number of trials rated by people within the last 24 hours.
        now: the current time.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    >>> progress_words(10, 585, per_rater=4, n_last_day=115, now=noon)[:2]
    ['10 of 585 trials rated (2%).', 'About 144 more raters needed.']
    >>> progress_words(10, 585, per_rater=4, n_last_day=115, now=noon)[2]
    "At today's pace, complete by Friday, 27 November."
    >>> progress_words(6, 6, per_rater=2, n_last_day=6, now=noon)
    ['All 6 trials are rated.']
    >>> progress_words(1, 6, per_rater=None, n_last_day=0, now=noon)
    ['1 of 6 trials rated (17%).']
    """
    if not n_seats:
        return []
    left = n_seats - n_rated
    if left <= 0:
        return [f"All {n_seats:,} trials are rated."]
    words = [f"{n_rated:,} of {n_seats:,} trials rated ({_PERCENT * n_rated / n_seats:.0f}%)."]
    if per_rater:
        n_raters = math.ceil(left / per_rater)
        words.append(f"About {n_raters:,} more rater{'' if n_raters == 1 else 's'} needed.")
    if n_last_day and (rest := timedelta(days=left / n_last_day)) < _FAR:
        end = now + rest
        words.append(f"At today's pace, complete by {end:%A}, {end.day} {end:%B}.")
    return words
