"""The keeper: a small process that restarts the server if it dies or answers nobody, and stops it after its last user.

It checks several times a second whether the server runs, and every second whether it answers. The system releases
a process's lock however it ends (a signal, a closed terminal, kill -9), so no server is left running without users.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from app.postgres.detached_processes import let_live, reap
from app.postgres.filesystem.locks import KEEPER, START, USERS, alone, is_still, open_lock, try_alone
from app.postgres.filesystem.sockets import remove_short_folder
from app.postgres.postmaster import CLUSTER, stop_postmaster
from app.postgres.restart import Restarter

# Without /proc, each check needs to start another process.
LOOK_SECONDS = 0.25 if Path("/proc/self").exists() else 2.0


def ensure_keeper(home: Path) -> None:
    """Start a keeper for this folder unless one is running; called while `start.lock` is held."""
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
    """Stop the server if nobody uses it; the caller must have released its own share first."""
    if not home.is_dir():
        return
    start = open_lock(home / START)
    try:
        with alone(start):
            _stop_without_users(home)
    finally:
        os.close(start)


def _stop_without_users(home: Path) -> None:
    """Stop the server if nobody uses it; `start.lock` must be held.

    The users' lock is released before `start.lock`: otherwise the keeper takes us for a user and restarts the server.
    """
    users = open_lock(home / USERS)
    try:
        if try_alone(users):
            _stop(home)
    finally:
        os.close(users)


def _stop(home: Path) -> None:
    cluster = home / CLUSTER
    if cluster.is_dir():
        stop_postmaster(cluster)
        remove_short_folder(home, cluster.stat().st_uid)


def main() -> None:
    """Restart the server when it has died or does not answer; stop it and exit when nobody uses it any more.

    The locks are opened only once: a keeper must not create files in a folder that is being removed, nor affect the
    server of another folder that has taken its place.
    """
    home, lock = Path(sys.argv[2]), int(sys.argv[3])
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    try:
        start, users = (os.open(home / name, os.O_RDWR | os.O_CLOEXEC) for name in (START, USERS))
    except FileNotFoundError:
        return
    restarter = Restarter(home)
    while True:
        with alone(start):
            if not is_still(users, home / USERS):
                return
            if try_alone(users):
                _stop(home)
                os.close(lock)  # while nobody else can start: the next start needs a new keeper
                return
            restarter.ensure()
        time.sleep(LOOK_SECONDS)
