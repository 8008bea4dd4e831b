"""Restarting a server that died or does not answer: how it was started, and when to try again."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.postgres.account import server_account
from app.postgres.detached_processes import reap
from app.postgres.embedded_errors import EmbeddedError
from app.postgres.filesystem.private_files import write_private
from app.postgres.filesystem.sockets import is_listening, socket_folder
from app.postgres.launch import Launched, launch
from app.postgres.postmaster import CLUSTER, proven_pid
from app.postgres.silence import Silence

if TYPE_CHECKING:
    from app.postgres.account import Account

RECORD = "launch.json"
MAX_WAIT_SECONDS = 30.0


def record_launch(home: Path, programs: Path, *, durable: bool) -> None:
    """Store how the server is started, for the keeper, which cannot import our packages."""
    write_private(home / RECORD, json.dumps({"programs": str(programs), "durable": durable}))


class Restarter:
    """Starts the server of `home` when it is not running, and ends it when it runs but does not answer.

    If it ends at once, retries follow at increasing intervals.

    Every call requires `start.lock`, and at least one process that uses the database.
    """

    def __init__(self, home: Path) -> None:
        """Create the object without starting anything."""
        self._home = home
        self._cluster = home / CLUSTER
        self._silence = Silence(home)
        self._launched: Launched | None = None
        self._wait_seconds = 0.0
        self._not_before = 0.0

    def ensure(self) -> None:
        """Start the server unless it is known to be running, and end it if it does not answer."""
        reap()
        if (pid := proven_pid(self._cluster)) is not None:
            self._wait_seconds = 0.0
            self._silence.look(pid)
            return
        if self._launched is not None:
            if not self._launched.has_ended():
                return
            self._plan_next(self._launched)
            self._launched = None
        if time.monotonic() >= self._not_before:
            self._start()

    def _start(self) -> None:
        try:
            account = server_account(self._cluster)
            programs, durable = _recorded(self._home, account)
            socket = socket_folder(self._home, account)
            if not is_listening(socket):
                self._launched = launch(self._home, self._cluster, socket, account, programs, durable=durable)
        except (OSError, ValueError, EmbeddedError):
            self._wait_longer()

    def _plan_next(self, ended: Launched) -> None:
        """Retry at once while sessions of the dead server end; wait longer for other errors, which may need help."""
        if not ended.waits_for_others():
            self._wait_longer()

    def _wait_longer(self) -> None:
        self._wait_seconds = min(MAX_WAIT_SECONDS, max(0.5, 2 * self._wait_seconds))
        self._not_before = time.monotonic() + self._wait_seconds


def _recorded(home: Path, account: Account) -> tuple[Path, bool]:
    """The folder of the programs, and whether data is durable.

    Raises:
        EmbeddedError: the file was written neither by us nor by the account that will run the programs.
    """
    record = home / RECORD
    if record.lstat().st_uid not in {os.geteuid(), account.uid}:
        raise EmbeddedError(f"The file {record} belongs to another account.")
    launched = json.loads(record.read_text(encoding="utf-8"))
    return Path(launched["programs"]), bool(launched["durable"])
