"""Each process that uses the database replaces a keeper that was killed, within a second or two.

The keeper restarts a server that died, and this thread restarts a keeper that died: as long as a process uses the
database, at least one of them is running.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from app.base.postgres.keeper import ensure_keeper
from app.base.postgres.private_files import KEEPER, USERS, starting, try_alone

WATCH_SECONDS = 1.0


class KeeperWatch:
    """A thread that replaces the keeper of `home` when it has ended, until `stop` is called."""

    def __init__(self, home: Path) -> None:
        """Start watching."""
        self._home = home
        self._folder = (home / USERS).stat()
        self._stopped = Event()
        Thread(target=self._run, name="attune-keeper-watch", daemon=True).start()

    def stop(self) -> None:
        """Start no more keepers. The thread is not joined, because it may be waiting for a lock that we hold."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(WATCH_SECONDS) and self._is_same_folder():
            with suppress(OSError):
                if self._is_without_keeper():
                    self._replace_keeper()

    def _is_same_folder(self) -> bool:
        """Whether the folder is still the same; a folder that was removed or replaced gets no keeper and no files."""
        try:
            return os.path.samestat(self._folder, (self._home / USERS).stat())
        except OSError:
            return False

    def _is_without_keeper(self) -> bool:
        lock = os.open(self._home / KEEPER, os.O_RDWR | os.O_CLOEXEC)
        try:
            return try_alone(lock)
        finally:
            os.close(lock)

    def _replace_keeper(self) -> None:
        with starting(self._home):
            if not self._stopped.is_set() and self._is_same_folder():
                ensure_keeper(self._home)
