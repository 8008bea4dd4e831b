"""Start the server's main process, and wait for it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from app.postgres.account import clean_environment, reason
from app.postgres.detached_processes import let_live, reap
from app.postgres.filesystem.private_files import open_private
from app.postgres.filesystem.sockets import PORT, SOCKET
from app.postgres.postmaster import proven_pid, recorded_pid

if TYPE_CHECKING:
    from pathlib import Path

    from app.postgres.account import Account

LOG = "postgres.log"
MAX_LOG = 10 * 1024 * 1024


def launch(home: Path, cluster: Path, socket: Path, account: Account, programs: Path, *, durable: bool) -> Launched:
    """Start `postgres` itself, not `pg_ctl`, which would set PG_GRANDPARENT_PID."""
    reap()
    for name in (SOCKET, f"{SOCKET}.lock"):  # nobody listens, and the lock's process ID may be another's
        (socket / name).unlink(missing_ok=True)
    options = account.popen_options()
    options["env"] = clean_environment() | _ignored_pid(cluster)
    log = open_log(home / LOG)
    offset = os.fstat(log).st_size
    try:
        process = subprocess.Popen(  # type: ignore[call-overload]  # the options are a plain dict
            [str(programs / "postgres"), "-D", str(cluster), *_settings(socket, durable=durable)],
            stdout=log,
            stderr=log,
            start_new_session=True,
            **options,
        )
    finally:
        os.close(log)
    let_live(process)
    return Launched(process, home / LOG, offset)


class Launched:
    """A server that was just started, with its log output since then."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path, offset: int) -> None:
        self._process = process
        self._log = log
        self._offset = offset

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def waits_for_others(self) -> bool:
        """Whether sessions of a killed server are still ending, which block a new server until they have."""
        return "pre-existing shared memory block" in self.last_words()

    def last_words(self) -> str:
        """The reason why it ended, from its log."""
        with self._log.open("rb") as file:
            file.seek(self._offset)
            return reason(file.read().decode(errors="replace"))


def open_log(path: Path) -> int:
    """Open the server's log for appending; a log that has grown large is emptied first."""
    fd = open_private(path, os.O_WRONLY | os.O_APPEND)
    if os.fstat(fd).st_size > MAX_LOG:
        os.ftruncate(fd, 0)
    return fd


def _ignored_pid(cluster: Path) -> dict[str, str]:
    """Tell the server to ignore a stale `postmaster.pid` whose process ID now belongs to another process.

    The server removes a stale file itself, unless a process with that ID is alive. We never remove the file and never
    signal the process.
    """
    pid = recorded_pid(cluster)
    if pid is None or proven_pid(cluster) is not None:
        return {}
    return {"PG_GRANDPARENT_PID": str(pid)}


def _settings(socket: Path, *, durable: bool) -> list[str]:
    quoted = str(socket).replace('"', '""')
    safe = "on" if durable else "off"
    settings = {
        "listen_addresses": "",
        "port": PORT,
        "unix_socket_directories": f'"{quoted}"',
        "unix_socket_permissions": "0700",
        "max_connections": "200",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "fsync": safe,
        "full_page_writes": safe,
        "synchronous_commit": safe,
    }
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
