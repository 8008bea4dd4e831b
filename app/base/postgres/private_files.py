"""Private files and folders: closed to other accounts, written atomically, with the owner of the folder they are in."""

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEW = "new-"


def open_private(path: Path, flags: int) -> int:
    """Open or create a file that only its owner can read, without following links or inheritance by child processes."""
    fd = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    _give_to_owner_of(path.parent, fd)
    return fd


def write_private(path: Path, text: str) -> None:
    """Atomically write a file that only its owner can read."""
    fd, name = tempfile.mkstemp(prefix=NEW, dir=path.parent)
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(fd)
            _give_to_owner_of(path.parent, fd)
        Path(name).replace(path)
    finally:
        Path(name).unlink(missing_ok=True)
    sync(path.parent)


def _give_to_owner_of(folder: Path, fd: int) -> None:
    """Change the owner if needed: when root works in a user's folder, the user must be able to open the files."""
    owner = folder.stat()
    if os.geteuid() == 0 and os.fstat(fd).st_uid != owner.st_uid:
        os.fchown(fd, owner.st_uid, owner.st_gid)


def new_folder(parent: Path) -> Path:
    """Create a private folder whose contents are renamed to their final location when complete."""
    return Path(tempfile.mkdtemp(prefix=NEW, dir=parent))


def remove_unfinished(parent: Path) -> None:
    """Remove files left by an interrupted start; called while `start.lock` is held."""
    for path in parent.glob(f"{NEW}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Flush a file's content, or a folder's entries, to disk, so that they survive a power failure."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def is_private(folder: Path, uid: int) -> bool:
    """Whether this is a real folder, not a link, owned by `uid` and closed to everyone else."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid and not stat.S_IMODE(found.st_mode) & 0o077


# Locks between the processes that use one data folder; the system releases them whenever a process ends.
#
# `start.lock` is held while a server is started or stopped. `users.lock` is held, shared, as long as a process uses the
# database: a process that gets it exclusively is the only user. `keeper.lock` is held by the keeper.

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
