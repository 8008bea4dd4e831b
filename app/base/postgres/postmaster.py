"""The server's main process: whether it is running, whether it is ours, and how it is stopped."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import time
from pathlib import Path

from app.base.postgres.account import Account, clean_environment, reason
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.private_files import open_private
from app.base.postgres.sockets import PORT, SOCKET, existing_socket_folder, takes_sessions

CLUSTER = "pgdata"
STOP_SECONDS = 60.0


def recorded_pid(cluster: Path) -> int | None:
    """The process ID in `postmaster.pid`, which may be stale and now belong to another process."""
    try:
        return abs(int((cluster / "postmaster.pid").read_text().split()[0]))
    except (OSError, ValueError, IndexError):
        return None


def is_postmaster(pid: int, cluster: Path) -> bool:
    """Whether this process is the server of this cluster, by its command line and the owner of the files."""
    try:
        process = Path("/proc") / str(pid)
        if process.parent.joinpath("self").exists():
            owner, command = process.stat().st_uid, os.fsdecode(process.joinpath("cmdline").read_bytes())
            return owner == cluster.stat().st_uid and _runs(command.split("\0"), cluster)
        shown = subprocess.run(
            ["/bin/ps", "-ww", "-o", "uid=,command=", "-p", str(pid)], check=False, capture_output=True, text=True
        )
        uid, _, command = shown.stdout.strip().partition(" ")
        program, _, rest = command.strip().partition(" -D ")
    except OSError:
        return False
    return uid == str(cluster.stat().st_uid) and _runs([program, "-D", rest[: len(str(cluster))]], cluster)


def _runs(command: list[str], cluster: Path) -> bool:
    return command[0].endswith("/postgres") and command[1:3] == ["-D", str(cluster)]


def proven_pid(cluster: Path) -> int | None:
    """The server's process ID, if the server is running."""
    pid = recorded_pid(cluster)
    return pid if pid is not None and is_postmaster(pid, cluster) else None


def stop_postmaster(cluster: Path) -> None:
    """Stop the server and its connections, with all data written; does nothing unless it is known to run.

    Raises:
        EmbeddedError: the server did not stop in time.
    """
    pid = recorded_pid(cluster)
    if pid is None or not signal_postmaster(pid, cluster, signal.SIGINT):
        return
    end = time.monotonic() + STOP_SECONDS
    while is_postmaster(pid, cluster):
        if time.monotonic() > end:
            raise EmbeddedError(f"The database in {cluster} did not stop within {STOP_SECONDS:.0f} seconds.")
        time.sleep(0.01)


def signal_postmaster(pid: int, cluster: Path, number: signal.Signals) -> bool:
    """Send a signal, such as SIGINT for a fast shutdown; False if the process is not the server.

    The handle is opened before the check, so that the ID cannot pass to another process between check and signal.
    """
    if not hasattr(os, "pidfd_open"):
        if not is_postmaster(pid, cluster):
            return False
        os.kill(pid, number)
        return True
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        if not is_postmaster(pid, cluster):
            return False
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


# Processes that outlive the one that started them: the server and its keeper.

_started: list[subprocess.Popen[bytes]] = []


def keep_running(process: subprocess.Popen[bytes]) -> None:
    """Keep a reference to a process that continues when this one ends."""
    _started.append(process)


def reap() -> None:
    """Collect processes that have ended, so that their process IDs are released."""
    _started[:] = [process for process in _started if process.poll() is None]


@atexit.register
def _part() -> None:
    reap()
    for process in _started:
        process.returncode = 0  # otherwise Python warns that they are still running, which is intended


# Start the server's main process, and wait for it.

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
    keep_running(process)
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
        """The last lines of the log of PostgreSQL that say why it ended."""
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


# A server that runs but answers nobody: it was told to stop and waits for idle sessions, or its socket file is gone.
#
# Its process is alive, so only a connection shows that it is of no use.

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
