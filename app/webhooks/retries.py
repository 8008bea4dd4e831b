"""When a failed delivery of a webhook is tried again."""

from datetime import timedelta

# The time after each failed attempt before the next one; after the last attempt, the delivery is given up.
WAITS = (
    timedelta(seconds=5),
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=6),
    timedelta(hours=12),
    timedelta(hours=24),
)
MAX_ATTEMPTS = len(WAITS) + 1
# Part of each wait that is random, so that deliveries that failed together are not all repeated at once.
JITTER = 0.2
MAX_RETRY_AFTER = timedelta(days=1)


def wait_after(n_attempts: int, draw: float, retry_after_s: float = 0) -> timedelta | None:
    """How long to wait after the n-th failed attempt; None if it was the last one.

    Args:
        n_attempts: attempts so far, at least 1.
        draw: a random number from 0 to 1.
        retry_after_s: how long the receiver asked to wait, at most MAX_RETRY_AFTER.

    >>> wait_after(1, 0.5), wait_after(1, 1.0), wait_after(9, 0.5)
    (datetime.timedelta(seconds=5), datetime.timedelta(seconds=6), None)
    >>> wait_after(2, 0.5, retry_after_s=90)
    datetime.timedelta(seconds=90)
    """
    if n_attempts >= MAX_ATTEMPTS:
        return None
    wait = WAITS[n_attempts - 1] * (1 + JITTER * (2 * draw - 1))
    return max(wait, timedelta(seconds=retry_after_s))
