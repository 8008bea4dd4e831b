"""Locks between the processes that use one data folder; the system drops them when a process dies, however it dies.

`start.lock` is held while a server is started or stopped. `users.lock` is held, shared, for as long as a process uses
the database: who gets it exclusively is alone. `keeper.lock` is held by the keeper.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = "start.lock"
USERS = "users.lock"
KEEPER = "keeper.lock"


def open_lock(path: Path) -> int:
    """An open file to lock, which no started program inherits."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def share(fd: int) -> None:
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_SH)


def wait_alone(fd: int) -> None:
    import fcntl

    fcntl.flock(fd, fcntl.LOCK_EX)


def try_alone(fd: int) -> bool:
    """Take the lock exclusively if nobody else holds it."""
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock exclusively; wait for it as long as it takes."""
    fd = open_lock(path)
    try:
        wait_alone(fd)
        yield
    finally:
        os.close(fd)
