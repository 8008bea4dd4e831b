"""The folder of the embedded database: its location, its owner, and whether the server's account can reach it."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from app.postgres.embedded_errors import EmbeddedError, UnreachableError
from app.postgres.filesystem import moved_data

if TYPE_CHECKING:
    from app.postgres.account import Account

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
        return prepare_home(moved_data.move(data_dir), account)


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
