"""A server that runs but answers nobody: it was told to stop and waits for idle sessions, or its socket file is gone.

Its process is alive, so only a connection shows that it is of no use.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

from app.postgres.filesystem.sockets import existing_socket_folder, takes_sessions
from app.postgres.launch import LOG, open_log
from app.postgres.postmaster import CLUSTER, signal_postmaster

if TYPE_CHECKING:
    from pathlib import Path

# Each question costs the server a process for a moment.
ASK_SECONDS = 1.0
# A fast shutdown ends all sessions and writes all data; a server that cannot even do that is killed.
STEPS = ((15.0, signal.SIGKILL), (5.0, signal.SIGINT))


class Silence:
    """Asks the server of `home` for a connection every second, and ends it after some seconds without an answer."""

    def __init__(self, home: Path) -> None:
        """Create the object without asking anything."""
        self._home = home
        self._pid: int | None = None
        self._since: float | None = None
        self._not_before = 0.0

    def look(self, pid: int) -> None:
        """Ask the server with this process ID, if the last time is a second ago; `start.lock` must be held."""
        if pid == self._pid and time.monotonic() < self._not_before:
            return
        if pid != self._pid or self._is_answered():
            self._pid, self._since = pid, None
        elif self._since is None:
            self._since = time.monotonic()
        else:
            self._end(pid, time.monotonic() - self._since)
        self._not_before = time.monotonic() + ASK_SECONDS

    def _is_answered(self) -> bool:
        folder = existing_socket_folder(self._home, (self._home / CLUSTER).stat().st_uid)
        return folder is not None and takes_sessions(folder)

    def _end(self, pid: int, seconds: float) -> None:
        number = next((number for after, number in STEPS if seconds >= after), None)
        if number is None or not signal_postmaster(pid, self._home / CLUSTER, number):
            return
        log = open_log(self._home / LOG)
        os.write(log, f"attune: no answer for {seconds:.0f} seconds, sent {number.name} to {pid}\n".encode())
        os.close(log)
