"""Times that were stored while the clock was ahead: once it has been set back, they lie too far in the future."""

from __future__ import annotations

from datetime import timedelta

# A transaction also sees times from transactions that began a little later than it did, and clocks are often corrected
# by seconds.
SLACK = timedelta(minutes=5)
SLACK_SQL = f"interval '{SLACK.total_seconds():.0f} s'"
