"""Folders of the embedded store: who owns them, who can reach them, and where the socket is."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from app.storage.embedded.errors import EmbeddedError

if TYPE_CHECKING:
    from app.storage.embedded.account import Account

HOME = "postgres"
PORT = "5432"
SOCKET = f".s.PGSQL.{PORT}"
MAX_SOCKET_PATH = 103  # bytes that fit the address of a Unix socket on macOS; Linux takes four more
SOCKET_RECORD = "socket-folder"


def default_data_dir() -> Path:
    """The folder of the embedded store when none is named: the user's data folder, or one of the system's for root."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/attune")
    from platformdirs import user_data_path

    return user_data_path("attune", appauthor=False)


def prepare_home(data_dir: Path, account: Account) -> Path:
    """Make the private folder of the embedded store inside `data_dir`, which the server's account can pass through.

    Rights of folders that were there before stay as they are, but for an empty `data_dir` of our own.

    Raises:
        EmbeddedError: the folder belongs to somebody else, or cannot be reached or written.
    """
    home = data_dir / HOME
    try:
        _make_parents(data_dir, account)
        home.mkdir(mode=0o700, exist_ok=True)
        owner = home.lstat()
    except OSError as error:
        raise EmbeddedError(f"The folder {home} cannot be used for the database: {error.strerror}.") from error
    if owner.st_uid not in {os.geteuid(), account.uid} or not stat.S_ISDIR(owner.st_mode):
        raise EmbeddedError(
            f"The folder {home} belongs to another account: start Attune as that account, "
            "or choose another folder with ATTUNE_DATA_DIR."
        )
    if account.switch and owner.st_uid == os.geteuid():
        os.chown(home, -1, account.gid)
        home.chmod(0o710)
    _check_reachable(home, account)
    return home


def _make_parents(data_dir: Path, account: Account) -> None:
    """Make missing folders; those that root makes can be passed through by the server's account, not read."""
    missing = [folder for folder in (data_dir, *data_dir.parents) if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
        if account.switch:
            folder.chmod(0o711)
    if account.switch and not missing and _is_ours(data_dir) and not account.can_enter(data_dir):
        os.chown(data_dir, -1, account.gid)
        data_dir.chmod(stat.S_IMODE(data_dir.stat().st_mode) | stat.S_IXGRP)


def _is_ours(data_dir: Path) -> bool:
    """An empty folder of our own, such as `mktemp -d` makes, may be opened for the server; any other may not."""
    return data_dir.stat().st_uid == os.geteuid() and not any(data_dir.iterdir())


def _check_reachable(home: Path, account: Account) -> None:
    if not account.switch or account.can_enter(home):
        return
    closed = next(folder for folder in (*reversed(home.parents), home) if not account.can_enter(folder))
    raise EmbeddedError(
        f"The database runs as the account {account.name} when Attune is started as root, and this account cannot "
        f"reach {closed}: choose a folder elsewhere with ATTUNE_DATA_DIR, such as {default_data_dir()}."
    )


def socket_folder(home: Path, account: Account) -> Path:
    """The folder of the server's socket, open to its account alone: inside `home` where the path is short enough."""
    inside = home / "run"
    if _fits(inside):
        inside.mkdir(mode=0o700, exist_ok=True)
        return _handed_over(inside, account)
    recorded = recorded_socket_folder(home)
    if recorded is not None and is_private(recorded, account.uid):
        return recorded
    short = _handed_over(_make_short_folder(account), account)
    write_private(home / SOCKET_RECORD, str(short))
    return short


def recorded_socket_folder(home: Path) -> Path | None:
    try:
        return Path((home / SOCKET_RECORD).read_text())
    except OSError:
        return None


def _fits(folder: Path) -> bool:
    """A comma or a colon would be taken for the border between two hosts by the clients."""
    path = os.fsencode(folder / SOCKET)
    return len(path) <= MAX_SOCKET_PATH and not set(b",:") & set(path)


def _handed_over(folder: Path, account: Account) -> Path:
    if folder.lstat().st_uid != account.uid and account.switch:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    folder.chmod(0o700)
    if not is_private(folder, account.uid):
        raise EmbeddedError(f"The folder {folder} for the database's socket belongs to another account: remove it.")
    return folder


def is_private(folder: Path, uid: int) -> bool:
    """Is this a real folder, not a link, owned by `uid` and closed to everybody else?"""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == uid and not stat.S_IMODE(found.st_mode) & 0o077


def _make_short_folder(account: Account) -> Path:
    """A new folder under a temporary directory, with a name that nobody could have taken before."""
    for parent in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108  # mkdtemp makes a name of its own there
        if _fits(parent / "attune-12345678") and _cannot_be_replaced(parent) and account.can_enter(parent):
            return Path(tempfile.mkdtemp(prefix="attune-", dir=parent))
    raise EmbeddedError("No folder was found for the database's socket: choose a shorter path with ATTUNE_DATA_DIR.")


def _cannot_be_replaced(parent: Path) -> bool:
    """Other accounts cannot rename what we make there: it is root's or ours, and sticky if they may write."""
    found = parent.stat()
    open_to_others = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
    return found.st_uid in {0, os.geteuid()} and not open_to_others


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    fd, name = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    owner = path.parent.stat()
    if os.geteuid() == 0:
        os.chown(name, owner.st_uid, owner.st_gid)
    Path(name).replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename inside the folder outlive a power cut."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
