"""The keeper: a small process that restarts the server if it dies or answers nobody, and stops it after its last user.

It checks several times a second whether the server runs, and every second whether it answers. The system releases
a process's lock however it ends (a signal, a closed terminal, kill -9), so no server is left running without users.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from app.base.postgres.account import Account, server_account
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.postmaster import (
    CLUSTER,
    Launched,
    Silence,
    keep_running,
    launch,
    proven_pid,
    reap,
    stop_postmaster,
)
from app.base.postgres.private_files import KEEPER, START, USERS, alone, is_still, open_lock, try_alone, write_private
from app.base.postgres.sockets import is_listening, remove_short_folder, socket_folder

# Restarting a server that died or does not answer: how it was started, and when to try again.

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


# Without /proc, each check needs to start another process.
LOOK_SECONDS = 0.25 if Path("/proc/self").exists() else 2.0


def ensure_keeper(home: Path) -> None:
    """Start a keeper for this folder unless one is running; called while `start.lock` is held."""
    lock = open_lock(home / KEEPER)
    try:
        if try_alone(lock):
            keep_running(_spawn(home, lock))
    finally:
        os.close(lock)
    reap()


def _spawn(home: Path, lock: int) -> subprocess.Popen[bytes]:
    checkout = str(Path(__file__).resolve().parents[3])
    code = "import sys; sys.path.insert(0, sys.argv[1]); from app.base.postgres.keeper import main; main()"
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
