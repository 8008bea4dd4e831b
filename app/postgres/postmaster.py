"""The server's main process: whether it is running, whether it is ours, and how it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from app.postgres.embedded_errors import EmbeddedError

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
