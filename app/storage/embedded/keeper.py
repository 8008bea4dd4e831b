"""The keeper: a small process beside the server that stops it when the last process that used it is gone.

It waits for the users' lock. The system drops a process's lock at its end, whatever ended it (a signal, a closed
terminal, kill -9), so no server is left behind that nobody stops.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from app.storage.embedded.locks import KEEPER, START, USERS, alone, open_lock, try_alone, wait_alone
from app.storage.embedded.postmaster import stop_postmaster

_started: list[subprocess.Popen[bytes]] = []


def ensure_keeper(home: Path) -> None:
    """Start a keeper for this folder unless one is at work; called while `start.lock` is held."""
    lock = open_lock(home / KEEPER)
    try:
        if try_alone(lock):
            _started.append(_spawn(home, lock))
    finally:
        os.close(lock)
    _started[:] = [process for process in _started if process.poll() is None]


def _spawn(home: Path, lock: int) -> subprocess.Popen[bytes]:
    checkout = str(Path(__file__).resolve().parents[3])
    code = "import sys; sys.path.insert(0, sys.argv[1]); from app.storage.embedded.keeper import main; main()"
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-c", code, checkout, str(home), str(lock)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(lock,),
        start_new_session=True,
    )


def leave(home: Path) -> bool:
    """Stop the server if nobody uses it; true where nobody does. The caller has given up its own share before."""
    users = open_lock(home / USERS)
    try:
        with alone(home / START):
            if not try_alone(users):
                return False
            stop_postmaster(home / "pgdata")
            return True
    finally:
        os.close(users)


def main() -> None:
    """Wait until nobody uses the database, stop it, and end."""
    home, lock = Path(sys.argv[2]), int(sys.argv[3])
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    while True:
        users = open_lock(home / USERS)
        wait_alone(users)
        os.close(users)
        with alone(home / START):
            users = open_lock(home / USERS)
            if try_alone(users):
                stop_postmaster(home / "pgdata")
                os.close(lock)
                return
            os.close(users)
