"""Daily backups of the embedded database, made by the process that serves it."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from threading import Event, Thread
from typing import TYPE_CHECKING

from app.actions.backups import is_due, make_backup
from app.storage.database.backup import BackupError

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger("attune.store")
# A server that has just started is busy with other things; a backup that failed is tried again after an hour.
FIRST_S, LOOK_S, RETRY_S = 60.0, 300.0, 3600.0


class DailyBackup:
    """A thread that makes a backup whenever the last one is a day old, until `stop` is called."""

    def __init__(self, url: str, folder: Path, *, first_s: float = FIRST_S) -> None:
        """Start looking after `first_s` seconds."""
        self._url, self._folder, self._first_s = url, folder, first_s
        self._stopped = Event()
        Thread(target=self._run, name="attune-backup", daemon=True).start()

    def stop(self) -> None:
        """Make no further backups."""
        self._stopped.set()

    def _run(self) -> None:
        wait_s = self._first_s
        while not self._stopped.wait(wait_s):
            wait_s = LOOK_S if self.look() else RETRY_S

    def look(self) -> bool:
        """Make a backup if one is due; False if it failed, which the log says."""
        try:
            if is_due(self._folder, datetime.now(UTC)):
                make_backup(self._url, self._folder)
        except (BackupError, OSError) as error:
            log.error("the daily backup failed: %s", error)  # noqa: TRY400 - the message says all
            return False
        return True
