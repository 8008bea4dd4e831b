"""Locks between the processes that use one data folder; the system releases them whenever a process ends.

`start.lock` is held while a server is started or stopped. `users.lock` is held, shared, as long as a process uses the
database: a process that gets it exclusively is the only user. `keeper.lock` is held by the keeper.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from app.postgres.filesystem.private_files import open_private

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if sys.platform != "win32":  # Windows has no such module
    import fcntl

START = "start.lock"
USERS = "users.lock"
KEEPER = "keeper.lock"


def open_lock(path: Path) -> int:
    """Open a file to lock; returns its file descriptor."""
    return open_private(path, os.O_RDWR)


def share(fd: int) -> None:
    """Take a shared lock; waits while another process holds it exclusively."""
    fcntl.flock(fd, fcntl.LOCK_SH)


def try_alone(fd: int) -> bool:
    """Take the lock exclusively if no other process holds it; returns whether it was taken."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def alone(fd: int) -> Iterator[None]:
    """Hold the lock exclusively; waits for it without a time limit."""
    fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.flock(fd, fcntl.LOCK_UN)


@contextmanager
def starting(home: Path) -> Iterator[None]:
    """Be the only process that starts or stops the server of `home`."""
    fd = open_lock(home / START)
    try:
        with alone(fd):
            yield
    finally:
        os.close(fd)


def is_still(fd: int, path: Path) -> bool:
    """Whether the open file is still the one at this path, and not one in a folder that was removed."""
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False
