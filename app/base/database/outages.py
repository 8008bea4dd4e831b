"""Distinguish temporary database outages from programming errors."""

from datetime import timedelta

from sqlalchemy.exc import DBAPIError, InterfaceError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

# The exceptions that the layers above catch. Some are programming errors: `outage_in_words` distinguishes them.
OUTAGES: tuple[type[Exception], ...] = (OperationalError, InterfaceError, InternalError, PoolTimeoutError)
NO_TURN = "every turn is taken"
_IN_WORDS = {
    "25006": "the database is read-only",
    "25P03": "a transaction was idle for too long",
    "40001": "a transaction met another one",
    "40P01": "two transactions waited for each other",
    "53100": "the disk of the database is full",
    "53200": "the database is out of memory",
    "53300": "the database has no connection left",
    "55P03": "a lock was not free in time",
    "57014": "a statement took too long",
    "57P01": "the database is shutting down",
    "57P02": "the database was restarted after a crash",
    "57P03": "the database is starting up",
    "57P05": "the database ended an idle session",
}
# SQLSTATE classes: connection, insufficient resources, operator intervention, and system errors.
_CLASSES = ("08", "53", "57", "58")


def outage_in_words(error: Exception) -> str | None:
    """A description of the outage, without values; None if the error is not a temporary outage.

    An error without an SQLSTATE comes from the connection to the server.
    """
    if isinstance(error, PoolTimeoutError):
        return "every connection to the database is taken"
    if not isinstance(error, DBAPIError):
        return None
    state = getattr(error.orig, "sqlstate", None)
    if state is None:
        return "the database cannot be reached" if not isinstance(error, InternalError) else None
    if state in _IN_WORDS or state.startswith(_CLASSES):
        return f"{_IN_WORDS.get(state, 'the database is not available')} ({state})"
    return None


# Times that were stored while the clock was ahead: once it has been set back, they lie too far in the future.

# A transaction also sees times from transactions that began a little later than it did, and clocks are often corrected
# by seconds.
SLACK = timedelta(minutes=5)
SLACK_SQL = f"interval '{SLACK.total_seconds():.0f} s'"
