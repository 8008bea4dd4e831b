"""Database metrics for monitoring, read at most every 30 seconds."""

from __future__ import annotations

import logging
import time
from threading import Lock
from typing import TYPE_CHECKING

from app.storage.database.operations import Operations, get_operations
from app.storage.database.outages import OUTAGES, outage_in_words

if TYPE_CHECKING:
    from app.storage.database.engine import Begin

KEPT_S = 30.0
log = logging.getLogger("attune.web")


class RecentOperations:
    """The latest metrics. They are kept for a while, because reading them counts every trial of the open studies."""

    def __init__(self) -> None:
        """Read nothing yet."""
        self._guard = Lock()
        self._read_at = -KEPT_S
        self._found: Operations | None = None

    def now(self, begin: Begin) -> Operations | None:
        """The metrics, at most 30 seconds old; None if the database does not respond."""
        with self._guard:
            if time.monotonic() - self._read_at >= KEPT_S or self._found is None:
                self._found = self._read(begin)
                self._read_at = time.monotonic()
            return self._found

    def _read(self, begin: Begin) -> Operations | None:
        try:
            with begin() as db:
                return get_operations(db)
        except OUTAGES as error:
            words = outage_in_words(error)
            if words is None:
                raise
            log.warning("/metrics lacks the numbers of the database: %s", words)
            return None
