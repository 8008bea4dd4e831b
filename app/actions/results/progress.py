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
        n_rated: number of ratings so far, counting each rating of a trial.
        n_seats: number of ratings needed.
        per_rater: number of trials per rater; None if unknown.
        n_last_day: number of trials rated by people within the last 24 hours.
        now: the current time.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 22, 12, tzinfo=UTC)
    >>> progress_words(10, 585, per_rater=4, n_last_day=115, now=noon)
    ['10 of 585 ratings (2%).', 'About 144 more raters needed.', "At today's pace, complete by Friday, 27 November."]
    >>> progress_words(6, 6, per_rater=2, n_last_day=6, now=noon)
    ['All 6 ratings are complete.']
    >>> progress_words(1, 6, per_rater=None, n_last_day=0, now=noon)
    ['1 of 6 ratings (17%).']
    """
    if not n_seats:
        return []
    left = n_seats - n_rated
    if left <= 0:
        return [f"All {n_seats:,} ratings are complete."]
    words = [f"{n_rated:,} of {n_seats:,} ratings ({_PERCENT * n_rated / n_seats:.0f}%)."]
    if per_rater:
        n_raters = math.ceil(left / per_rater)
        words.append(f"About {n_raters:,} more rater{'' if n_raters == 1 else 's'} needed.")
    if n_last_day and (rest := timedelta(days=left / n_last_day)) < _FAR:
        end = now + rest
        words.append(f"At today's pace, complete by {end:%A}, {end.day} {end:%B}.")
    return words
