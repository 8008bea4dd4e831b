"""One log line for a problem that affects many requests at once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import logging


class ThrottledLog:
    """Writes the first line, then at most one line per `every_s` seconds, with the number of lines left out."""

    def __init__(self, log: logging.Logger, *, every_s: float) -> None:
        """Write to `log`."""
        self._log, self._every_s = log, every_s
        self._until, self._n_left_out = 0.0, 0

    def error(self, words: str, *values: object) -> None:
        """Log the error, or only count it."""
        now = time.monotonic()
        if now < self._until:
            self._n_left_out += 1
            return
        more = f" (and {self._n_left_out} more before)" if self._n_left_out else ""
        self._until, self._n_left_out = now + self._every_s, 0
        self._log.error(words + "%s", *values, more)
