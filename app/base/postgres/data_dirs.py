"""The folder of the embedded database: its location, its owner, and whether the server's account can reach it."""

import logging
import os
import secrets
import stat
from pathlib import Path

from app.base.postgres.account import Account
from app.base.postgres.errors import EmbeddedError, UnreachableError
from app.base.postgres.private_files import open_private

# Data folders of root that the server's account cannot reach: files are kept elsewhere, recorded in a pointer file.
#
# Root's private folders (`/root`, or a temporary folder of root) stay private. The database files are then in
# `/var/lib/attune`, and the named folder contains one small file with their location, so that the same name always
# means the same database.

POINTER = "postgres.elsewhere"
PLACES = Path("/var/lib/attune/elsewhere")

log = logging.getLogger("attune.store")


def moved_to(data_dir: Path) -> Path | None:
    """The folder that contains the files of `data_dir`, if they are kept elsewhere.

    Raises:
        EmbeddedError: the pointer file was not written by root, or the location does not exist.
    """
    pointer = data_dir / POINTER
    try:
        owner, text = pointer.lstat().st_uid, pointer.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    place = Path(text)
    # Root trusts only its own pointer files: in a user's folder, the file could name any location.
    if owner != 0 or place.parent != PLACES:
        raise EmbeddedError(f"The file {pointer} is not one that Attune wrote: remove it, or name another folder.")
    if not place.is_dir():
        raise EmbeddedError(
            f"The database of {data_dir} was kept in {place}, which is gone: restore a backup, or remove {pointer} "
            "to begin anew."
        )
    return place


def move(data_dir: Path) -> Path:
    """Choose a location for the files of `data_dir` and record it; of several processes at once, the first one wins."""
    place = PLACES / secrets.token_hex(8)
    for folder in (PLACES.parent, PLACES, place):
        folder.mkdir(mode=0o711, parents=True, exist_ok=True)
        if folder != PLACES.parent or not any(folder.iterdir()):
            folder.chmod(0o711)
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = data_dir / f"{POINTER}.{place.name}"
    with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "w", encoding="utf-8") as file:
        file.write(f"{place}\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, data_dir / POINTER)
    except FileExistsError:
        place.rmdir()
        place = moved_to(data_dir) or place
    else:
        log.warning("PostgreSQL does not run as root and cannot reach %s: its files are kept in %s.", data_dir, place)
    finally:
        draft.unlink()
    return place


HOME = "postgres"


def default_data_dir() -> Path:
    """The default folder of the embedded database: the user's data folder, or a system folder for root."""
    from platformdirs import user_data_path

    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/attune")
    return user_data_path("attune", appauthor=False)


def settle(data_dir: Path, account: Account) -> Path:
    """Create the private folder of the embedded database, in `data_dir` or elsewhere if the account cannot reach it.

    Raises:
        EmbeddedError: the folder belongs to someone else, or cannot be written.
    """
    try:
        return prepare_home(data_dir, account)
    except UnreachableError:
        if data_dir.exists() and data_dir.stat().st_uid != os.geteuid():
            raise
        return prepare_home(move(data_dir), account)


def prepare_home(data_dir: Path, account: Account) -> Path:
    """Create the private folder of the embedded database inside `data_dir`, where the server's account can reach it.

    Permissions of existing folders are not changed, except for an empty `data_dir` of our own.

    Raises:
        EmbeddedError: the folder belongs to someone else, or cannot be reached or written.
    """
    home = data_dir / HOME
    try:
        _make_parents(data_dir, account)
        home.mkdir(mode=0o700, exist_ok=True)
        owner = home.lstat()
        if account.switch and owner.st_uid == os.geteuid() and stat.S_ISDIR(owner.st_mode):
            os.chown(home, -1, account.gid)
            home.chmod(0o710)
    except OSError as error:
        raise EmbeddedError(f"The folder {home} cannot be used for the database: {error.strerror}.") from error
    if owner.st_uid not in {os.geteuid(), account.uid} or not stat.S_ISDIR(owner.st_mode):
        raise EmbeddedError(
            f"The folder {home} belongs to another account: start Attune as that account, "
            "or choose another folder with ATTUNE_DATA_DIR."
        )
    _check_reachable(home, account)
    return home


def _make_parents(data_dir: Path, account: Account) -> None:
    """Create missing folders; the server's account can enter those created by root, but not list them."""
    missing = [folder for folder in (data_dir, *data_dir.parents) if not folder.exists()]
    if account.switch and missing:
        _check_reachable(missing[-1].parent, account)
    for folder in reversed(missing):
        folder.mkdir(mode=0o700, exist_ok=True)
        if account.switch:
            folder.chmod(0o711)
    if account.switch and not missing and _is_empty_and_ours(data_dir) and not account.can_enter(data_dir):
        _check_reachable(data_dir.parent, account)
        os.chown(data_dir, -1, account.gid)
        data_dir.chmod(stat.S_IMODE(data_dir.stat().st_mode) | stat.S_IXGRP)


def _is_empty_and_ours(data_dir: Path) -> bool:
    """Whether the folder is new, for example from `mktemp -d`, so that its permissions may be changed."""
    return data_dir.stat().st_uid == os.geteuid() and not any(data_dir.iterdir())


def _check_reachable(folder: Path, account: Account) -> None:
    if not account.switch or account.can_enter(folder):
        return
    closed = next(place for place in (*reversed(folder.parents), folder) if not account.can_enter(place))
    raise UnreachableError(
        f"The database runs as the account {account.name} when Attune is started as root, and this account cannot "
        f"reach {closed}: choose a folder elsewhere with ATTUNE_DATA_DIR, such as {default_data_dir()}."
    )
