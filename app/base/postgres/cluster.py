"""The database files: created once, by a final rename, and rejected if they belong to another major version."""

import os
import secrets
import shutil
from pathlib import Path

from app.base.postgres.account import Account, reason
from app.base.postgres.binaries import MAJOR
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.postmaster import CLUSTER
from app.base.postgres.private_files import new_folder, sync, write_private

PASSWORD = "password"  # noqa: S105  # a file name
SUPERUSER = "attune"


def check_version(cluster: Path) -> None:
    """Reject files that this version of PostgreSQL cannot read.

    Raises:
        EmbeddedError: another major version, or a folder with other contents.
    """
    try:
        found = found_version(cluster)
        if found is None and cluster.is_dir() and any(cluster.iterdir()):
            raise EmbeddedError(f"The folder {cluster} is not empty and holds no database.")
    except PermissionError as error:
        raise EmbeddedError(
            f"The database in {cluster} belongs to another account: start Attune as that account, "
            "or choose another folder with ATTUNE_DATA_DIR."
        ) from error
    if found not in {None, MAJOR}:
        raise EmbeddedError(
            f"The database in {cluster} was made by PostgreSQL {found} and this program carries PostgreSQL {MAJOR}. "
            "Nothing was changed. To move its contents to the new version: attune db upgrade-postgres"
        )


def found_version(cluster: Path) -> str | None:
    """The major version of PostgreSQL that made the files; None if there are none."""
    try:
        return (cluster / "PG_VERSION").read_text().strip()
    except (FileNotFoundError, NotADirectoryError):
        return None


def ensure_cluster(home: Path, account: Account, programs: Path, *, durable: bool) -> Path:
    """The cluster in `home`, created if there is none and then renamed; called while `start.lock` is held."""
    cluster = home / CLUSTER
    check_version(cluster)
    if (cluster / "PG_VERSION").exists():
        return cluster
    if not (home / PASSWORD).exists():
        write_private(home / PASSWORD, secrets.token_urlsafe(32))
    staging = new_folder(home)  # a new name, because an interrupted initdb may still be writing to another one
    try:
        _initdb(staging, (home / PASSWORD).read_text(), account, programs, durable=durable)
        (staging / CLUSTER).rename(cluster)
        sync(home)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return cluster


def _initdb(staging: Path, password: str, account: Account, programs: Path, *, durable: bool) -> None:
    password_file = staging / PASSWORD
    write_private(password_file, password)
    if account.switch:
        for path in (password_file, staging):
            os.chown(path, account.uid, account.gid)
    command: list[str | Path] = [programs / "initdb", "-D", staging / CLUSTER, "-U", SUPERUSER]
    command += ["--pwfile", password_file, "--auth", "scram-sha-256", "--data-checksums", "--no-instructions"]
    # PostgreSQL's built-in C.UTF-8: the same sort order and upper case on every system, whatever its locales.
    command += ["--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]
    done = account.run(*command, *([] if durable else ["--no-sync"]))
    if done.returncode:
        raise EmbeddedError(f"The database could not be made in {staging.parent}: {reason(done.stdout)}")


def read_password(home: Path) -> str:
    """The superuser's password.

    Raises:
        EmbeddedError: the file is missing or belongs to someone else.
    """
    try:
        return (home / PASSWORD).read_text()
    except OSError as error:
        raise EmbeddedError(
            f"The password of the database, {home / PASSWORD}, cannot be read: {error.strerror}."
        ) from error
