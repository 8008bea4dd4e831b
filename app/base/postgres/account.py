"""The operating-system account that the server processes run as."""

import errno
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from app.base.postgres.errors import EmbeddedError

if sys.platform != "win32":  # Windows has no such module
    import pwd

UNPRIVILEGED = ("postgres", "nobody")
MARKS = ("error: ", "FATAL: ", "PANIC: ")


@dataclass(frozen=True)
class Account:
    """An account; `switch` is true if processes must be started as an account other than our own."""

    uid: int
    gid: int
    name: str
    switch: bool

    def popen_options(self) -> dict[str, object]:
        """Options of `subprocess.Popen` to run a program as this account, without our working folder and file mode."""
        options: dict[str, object] = {
            "cwd": "/",
            "stdin": subprocess.DEVNULL,
            "umask": 0o077,
            "env": clean_environment(),
        }
        if self.switch:
            options |= {"user": self.uid, "group": self.gid, "extra_groups": []}
        return options

    def run(self, *command: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a program as this account; standard output and standard error are returned as one text.

        Raises:
            EmbeddedError: the system does not let this process switch to the account.
        """
        try:
            return subprocess.run(  # type: ignore[call-overload, no-any-return]  # the options are a plain dict
                [str(part) for part in command],
                check=False,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                **self.popen_options(),
            )
        except OSError as error:
            if not self.switch or error.errno not in {errno.EPERM, errno.EINVAL}:
                return subprocess.CompletedProcess([], 126, f"error: {error.strerror}")
            raise EmbeddedError(
                f"PostgreSQL refuses to run as root, and this system does not let root start programs as the account "
                f"{self.name}: start Attune as a normal user, or set DATABASE_URL."
            ) from error

    def can_run(self, program: Path) -> bool:
        """Whether this account can execute the program. Tested by running it: mode bits do not show ACLs or mounts."""
        return self.run(program, "--version").returncode == 0

    def can_enter(self, folder: Path) -> bool:
        """Whether this account can enter the folder."""
        return self.run("/bin/sh", "-c", 'cd -- "$1"', "sh", folder).returncode == 0


def reason(said: str) -> str:
    """The line of a program's output that gives the reason for an error, without the prefix."""
    lines = said.strip().splitlines() or ["no reason given"]
    telling = [line for line in lines if any(mark in line for mark in MARKS)] or lines[-1:]
    line = telling[0]
    for mark in MARKS:
        line = line.rpartition(mark)[2]
    return line.strip()


def clean_environment() -> dict[str, str]:
    """An environment without the caller's PG* variables, which would change the server's port, time zone and more."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}


def server_account(cluster: Path) -> Account:
    """The account that runs the server: our own or, for root, the owner of the files, otherwise an unprivileged one.

    Raises:
        EmbeddedError: we are root and there is no such account.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), _name_of(os.geteuid()), switch=False)
    if cluster.is_dir() and cluster.stat().st_uid != 0:
        owner = cluster.stat()
        return Account(owner.st_uid, owner.st_gid, _name_of(owner.st_uid), switch=True)
    for name in UNPRIVILEGED:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(entry.pw_uid, entry.pw_gid, name, switch=True)
    raise EmbeddedError(
        "PostgreSQL refuses to run as root, and this system has neither an account postgres nor nobody to run it: "
        "start Attune as a normal user, or set DATABASE_URL."
    )


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
