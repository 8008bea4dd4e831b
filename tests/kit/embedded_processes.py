"""Helpers of the embedded database's tests: programs that use it, and processes running on this machine."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from app.base.postgres.account import Account, server_account
from app.base.postgres.postmaster import proven_pid
from app.base.postgres.private_files import KEEPER, open_lock, try_alone
from tests.kit.postgres_fixture import libpq_url
from tests.kit.waiting import eventually

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGES = os.pathsep.join([str(CHECKOUT), str(Path(psycopg.__file__).resolve().parents[1])])
IS_ROOT = os.geteuid() == 0

HOLD = """
import sys
from pathlib import Path
from app.base.postgres import EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
print(server.start(), flush=True)
sys.stdin.read()
"""


def python_of(user: int | None) -> str:
    """A Python that this account can run with our packages; root's own is often closed to others."""
    if user is None:
        return sys.executable
    usual = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    account = Account(user, user, str(user), switch=True)
    for python in (sys.executable, usual):
        if account.run("/usr/bin/env", f"PYTHONPATH={PACKAGES}", python, "-c", "import app, psycopg").returncode == 0:
            return python
    pytest.skip("this checkout and its Python can be used by root alone")


def program(code: str, *arguments: object, user: int | None = None) -> subprocess.Popen[str]:
    """Start a Python program in the background, with pipes for its input and output."""
    return subprocess.Popen(
        [python_of(user), "-c", code, *map(str, arguments)],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": PACKAGES},
    )


def holder(data_dir: Path) -> subprocess.Popen[str]:
    """Start a program that starts the database and uses it until its input is closed."""
    process = program(HOLD, data_dir)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("postgresql+psycopg://")
    return process


def finish(process: subprocess.Popen[str]) -> str:
    """Close a program's input, wait for it to end successfully, and return its output."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output


def kill(process: subprocess.Popen[str], number: signal.Signals = signal.SIGKILL) -> None:
    """End a program started by the tests with a signal."""
    process.send_signal(number)
    process.communicate(timeout=60)


@dataclass(frozen=True)
class Process:
    """A running process, as reported by the system."""

    pid: int
    parent: int
    uid: int
    command: list[str]


def processes() -> list[Process]:
    """All running processes except zombies, which have no command line."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("this system has no /proc")
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = os.fsdecode((folder / "cmdline").read_bytes()).split("\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if command != [""]:
                found.append(Process(int(folder.name), parent, folder.stat().st_uid, command))
    return found


def server_processes(data_dir: Path) -> list[Process]:
    """The processes of this folder's server: the main process, sessions and helpers."""
    pid = proven_pid(data_dir / "postgres" / "pgdata")
    return [] if pid is None else [process for process in processes() if pid in {process.pid, process.parent}]


def keepers(data_dir: Path) -> list[Process]:
    """The keepers of this folder."""
    home = str(data_dir / "postgres")
    return [process for process in processes() if home in process.command and "-S" in process.command]


def kill_everything(data_dir: Path) -> None:
    """Kill the server, its sessions and the keeper, as a power failure would."""
    for process in [*keepers(data_dir), *server_processes(data_dir)]:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    eventually(lambda: not server_processes(data_dir) and _is_free(data_dir / "postgres" / KEEPER))


def _is_free(lock: Path) -> bool:
    """Whether nobody holds this lock; a process that was killed holds its locks a moment longer than its memory."""
    file = open_lock(lock)
    try:
        return try_alone(file)
    finally:
        os.close(file)


def ask(url: str, query: str) -> object:
    """The first value of a query's result."""
    with psycopg.connect(libpq_url(url)) as connection:
        row = connection.execute(query.encode()).fetchone()
    return row[0] if row else None


def innocent(data_dir: Path) -> subprocess.Popen[bytes]:
    """Start an unrelated process under the account that runs the server."""
    account = server_account(data_dir / "postgres" / "pgdata")
    user = account.uid if account.switch else None
    return subprocess.Popen(["/bin/sleep", "120"], user=user)
