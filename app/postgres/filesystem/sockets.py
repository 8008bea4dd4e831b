"""The folder of the server's socket, open to the server's account alone."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.postgres.errors import EmbeddedError
from app.postgres.filesystem.private_files import is_private, write_private

if TYPE_CHECKING:
    from app.postgres.account import Account

PORT = "5432"
SOCKET = f".s.PGSQL.{PORT}"
MAX_SOCKET_PATH = 103  # bytes that fit the address of a Unix socket on macOS; Linux takes four more
RECORD = "socket-folder"


def socket_folder(home: Path, account: Account) -> Path:
    """The socket's folder, made if missing: inside `home`, or, where that path is too long, a short one recorded there.

    Raises:
        EmbeddedError: there is no place for it.
    """
    inside = home / "run"
    if _fits(inside):
        inside.mkdir(mode=0o700, exist_ok=True)
        return _handed_over(inside, account)
    recorded = _recorded(home)
    if recorded is not None and is_private(recorded, account.uid):
        return recorded
    short = _handed_over(_make_short_folder(account), account)
    write_private(home / RECORD, str(short))
    return short


def existing_socket_folder(home: Path, uid: int) -> Path | None:
    """The socket's folder if there is one and it is proven to be private to `uid`."""
    inside = home / "run"
    folder = inside if _fits(inside) else _recorded(home)
    return folder if folder is not None and is_private(folder, uid) else None


def is_listening(folder: Path) -> bool:
    """Does any process accept connections on the socket, ready for queries or not?"""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(folder / SOCKET))
        except OSError:
            return False
    return True


def remove_short_folder(home: Path, uid: int) -> None:
    """Leave nothing in the temporary directory after the server has stopped."""
    recorded = _recorded(home)
    if recorded is not None:
        if is_private(recorded, uid):
            with suppress(OSError):
                recorded.rmdir()
        (home / RECORD).unlink(missing_ok=True)


def _recorded(home: Path) -> Path | None:
    try:
        return Path((home / RECORD).read_text(encoding="utf-8"))
    except OSError:
        return None


def _fits(folder: Path) -> bool:
    """Short enough, and without comma or colon, which clients take for the border between two hosts."""
    path = os.fsencode(folder / SOCKET)
    return len(path) <= MAX_SOCKET_PATH and not set(b",:") & set(path)


def _handed_over(folder: Path, account: Account) -> Path:
    if account.switch and folder.lstat().st_uid != account.uid:
        os.chown(folder, account.uid, account.gid, follow_symlinks=False)
    if not is_private(folder, account.uid):
        raise EmbeddedError(
            f"The folder {folder} for the database's socket is not private to {account.name}: remove it."
        )
    return folder


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
