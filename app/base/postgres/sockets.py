"""The folder of the server's socket, open only to the server's account."""

import os
import socket
import stat
import struct
import tempfile
from contextlib import suppress
from pathlib import Path

from app.base.postgres.account import Account
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.private_files import is_private, write_private

PORT = "5432"
SOCKET = f".s.PGSQL.{PORT}"
MAX_SOCKET_PATH = 103  # maximum bytes of a Unix socket's path on macOS; Linux allows four more
RECORD = "socket-folder"
ANSWER_SECONDS = 2.0
# The first message of PostgreSQL's protocol: its version 3.0, then parameters.
_PROTOCOL = 3 << 16
_ASKED_FOR = b"user\0attune\0database\0postgres\0\0"


def socket_folder(home: Path, account: Account) -> Path:
    """The folder of the socket, created if missing: in `home` or, if that path is too long, a short one recorded there.

    Raises:
        EmbeddedError: there is no suitable folder.
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
    """The folder of the socket if it exists and is private to `uid`, otherwise None."""
    inside = home / "run"
    folder = inside if _fits(inside) else _recorded(home)
    return folder if folder is not None and is_private(folder, uid) else None


def is_listening(folder: Path) -> bool:
    """Whether a process accepts connections on the socket, even if it is not ready for queries."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(folder / SOCKET))
        except OSError:
            return False
    return True


def takes_sessions(folder: Path) -> bool:
    """Whether the server begins a session, or says why not, except that it is shutting down.

    A server that recovers from a crash or has no connection left is at work. The question is that of any client, up to
    the password: the keeper has no psycopg.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(ANSWER_SECONDS)
        try:
            probe.connect(str(folder / SOCKET))
            probe.sendall(struct.pack("!ii", 8 + len(_ASKED_FOR), _PROTOCOL) + _ASKED_FOR)
            answer = probe.recv(1024)
        except OSError:
            return False
    return answer[:1] in {b"R", b"E"} and b"the database system is shutting down" not in answer


def remove_short_folder(home: Path, uid: int) -> None:
    """Remove the short folder from the temporary directory after the server has stopped."""
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
    """Whether the path is short enough and has no comma or colon, which clients interpret as separators of hosts."""
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
    """Create a folder in a temporary directory, with an unpredictable name."""
    for parent in (Path(tempfile.gettempdir()), Path("/tmp")):  # noqa: S108  # mkdtemp creates a new name there
        if _fits(parent / "attune-12345678") and _cannot_be_replaced(parent) and account.can_enter(parent):
            return Path(tempfile.mkdtemp(prefix="attune-", dir=parent))
    raise EmbeddedError("No folder was found for the database's socket: choose a shorter path with ATTUNE_DATA_DIR.")


def _cannot_be_replaced(parent: Path) -> bool:
    """Whether other accounts cannot rename our files there: it is root's or ours, and sticky if others can write."""
    found = parent.stat()
    open_to_others = found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX
    return found.st_uid in {0, os.geteuid()} and not open_to_others
