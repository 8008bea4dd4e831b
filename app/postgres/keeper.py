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

from app.postgres.locks import KEEPER, START, USERS, alone, is_still, open_lock, share, try_alone
from app.postgres.outliving import let_live, reap
from app.postgres.postmaster import CLUSTER, stop_postmaster
from app.postgres.sockets import remove_short_folder


def ensure_keeper(home: Path) -> None:
    """Start a keeper for this folder unless one is at work; called while `start.lock` is held."""
    lock = open_lock(home / KEEPER)
    try:
        if try_alone(lock):
            let_live(_spawn(home, lock))
    finally:
        os.close(lock)
    reap()


def _spawn(home: Path, lock: int) -> subprocess.Popen[bytes]:
    checkout = str(Path(__file__).resolve().parents[2])
    code = "import sys; sys.path.insert(0, sys.argv[1]); from app.postgres.keeper import main; main()"
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-c", code, checkout, str(home), str(lock)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(lock,),
        start_new_session=True,
    )


def leave(home: Path) -> None:
    """Stop the server if nobody uses it; the caller has given up its own share before."""
    if not home.is_dir():
        return
    start, users = open_lock(home / START), open_lock(home / USERS)
    try:
        with alone(start):
            if _is_unused(users):
                _stop(home)
    finally:
        os.close(users)
        os.close(start)


def _is_unused(users: int) -> bool:
    """Take the lock exclusively if nobody uses the database.

    The keeper holds it for a moment, once, when the last user has gone: it is waited for, not taken for a user.
    """
    if try_alone(users):
        return True
    share(users)
    return try_alone(users)


def _stop(home: Path) -> None:
    cluster = home / CLUSTER
    if cluster.is_dir():
        stop_postmaster(cluster)
        remove_short_folder(home, cluster.stat().st_uid)


def main() -> None:
    """Wait until nobody uses the database, stop it, and end.

    The locks are opened once: a keeper must make no files in a folder that is being removed, nor touch the server of
    another folder that has taken its place.
    """
    home, lock = Path(sys.argv[2]), int(sys.argv[3])
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    try:
        start, users = (os.open(home / name, os.O_RDWR | os.O_CLOEXEC) for name in (START, USERS))
    except FileNotFoundError:
        return
    while True:
        with alone(users):
            pass
        with alone(start):
            if not is_still(users, home / USERS):
                return
            if try_alone(users):
                _stop(home)
                os.close(lock)
                return
