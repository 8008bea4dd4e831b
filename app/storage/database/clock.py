"""Times that were stored by a clock that was ahead and has been set back: they lie further ahead than they should."""

from __future__ import annotations

from datetime import timedelta

# A transaction also sees times from transactions that began a little later than it did, and clocks are often corrected
# by seconds.
SLACK = timedelta(minutes=5)
SLACK_SQL = f"interval '{SLACK.total_seconds():.0f} s'"
