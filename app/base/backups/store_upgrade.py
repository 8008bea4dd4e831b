"""Move the embedded database to a new major version of PostgreSQL: dump, restore, compare, and keep the old files."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from app.base.backups.backup import BackupError, Digest, differing, restore
from app.base.backups.verified_backup import backup_with_digests, digests_at
from app.base.postgres import EmbeddedPostgres, data_dirs, sockets
from app.base.postgres.account import Account, server_account
from app.base.postgres.binaries import MAJOR, WHEEL
from app.base.postgres.client import Client
from app.base.postgres.cluster import found_version, read_password
from app.base.postgres.data_dirs import HOME, moved_to
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.postmaster import CLUSTER, launch, stop_postmaster
from app.base.postgres.private_files import USERS, open_lock, starting, sync, try_alone

# Serve database files of an older major version with its own programs, to move their contents to the current one.


START_SECONDS, WAIT_SECONDS = 120.0, 5.0


def old_version(data_dir: Path) -> str | None:
    """The major version of the database files, if it is not the current one; None if there is nothing to upgrade."""
    found = found_version(data_dir / data_dirs.HOME / CLUSTER)
    return found if found not in {None, MAJOR} else None


@contextmanager
def serving_old(data_dir: Path, programs: Path | None) -> Iterator[str]:
    """Yield the address of the database, served by the programs of its own version; stop the server at the end.

    Args:
        data_dir: the folder of the embedded database.
        programs: the folder with the `postgres` of that version; None to look for it.

    Raises:
        EmbeddedError: the programs are missing or of another version, or the server is in use or does not start.
    """
    home = data_dir / data_dirs.HOME
    cluster, account = home / CLUSTER, server_account(home / CLUSTER)
    folder = _programs(account, found_version(cluster) or "", programs)
    with starting(home), _alone(home):
        socket = sockets.socket_folder(home, account)
        client = Client(socket, read_password(home), cluster)
        launched = launch(home, cluster, socket, account, folder, durable=True)
        try:
            end = time.monotonic() + START_SECONDS
            while not client.answers():
                if launched.has_ended() or time.monotonic() > end:
                    raise EmbeddedError(f"The database in {cluster} did not start: {launched.last_words()}")
                time.sleep(0.05)
            yield client.url("attune")
        finally:
            stop_postmaster(cluster)


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Be the only user of the database. A keeper that is ending holds the lock a moment longer."""
    users, end = open_lock(home / USERS), time.monotonic() + WAIT_SECONDS
    try:
        while not try_alone(users):
            if time.monotonic() > end:
                raise EmbeddedError(f"The database in {home / CLUSTER} is in use: stop Attune first.")
            time.sleep(0.05)
        yield
    finally:
        os.close(users)


def set_aside(data_dir: Path, version: str) -> Path:
    """Rename the old files, so that new ones can be made; returns where they are now."""
    home = data_dir / data_dirs.HOME
    aside = home / f"{CLUSTER}-{version}"
    if aside.exists():
        raise EmbeddedError(f"The folder {aside} already exists: an earlier upgrade left it. Move it elsewhere first.")
    (home / CLUSTER).rename(aside)
    sync(home)
    return aside


def put_back(data_dir: Path, aside: Path) -> None:
    """Undo `set_aside` after a failure; files that were made meanwhile are kept beside it."""
    cluster = data_dir / data_dirs.HOME / CLUSTER
    if cluster.exists():
        cluster.rename(cluster.with_name(f"{CLUSTER}-failed-{time.time_ns()}"))
    aside.rename(cluster)
    sync(cluster.parent)


def _programs(account: Account, version: str, named: Path | None) -> Path:
    for folder in [named] if named else _places(version):
        said = account.run(folder / "postgres", "--version").stdout
        if re.search(rf"PostgreSQL\) {re.escape(version)}\b", said):
            return folder
    where = f"in {named}" if named else "on this machine"
    raise EmbeddedError(
        f"PostgreSQL {version}, which made the database, was not found {where}: install it (on Debian and Ubuntu the "
        f"package postgresql-{version}), and name the folder of its programs with --programs."
    )


def _places(version: str) -> list[Path]:
    """Where the programs of a version usually are: in our wheel, or installed by the system."""
    spec = find_spec(WHEEL)
    wheel = Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")
    system = ("/usr/lib/postgresql/{}/bin", "/usr/pgsql-{}/bin", "/opt/homebrew/opt/postgresql@{}/bin")
    installed = (Path(place.format(version)) for place in system)
    places = (wheel / f"pginstall{version}" / "bin", wheel / "pginstall" / "bin", *installed)
    return [place for place in places if (place / "postgres").is_file()]


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved, and where the old files are."""

    n_tables: int
    n_rows: int
    aside: Path


def upgrade_store(data_dir: Path, programs: Path | None = None, *, durable: bool = True) -> Moved | None:
    """Move the database of `data_dir` to the current version of PostgreSQL; None if it is of that version already.

    If anything fails, the old files are put back as they were.

    Args:
        data_dir: the folder of the embedded database.
        programs: the folder with the programs of the old version; None to look for them.
        durable: False for tests, as in `EmbeddedPostgres`.

    Raises:
        app.base.postgres.EmbeddedError: the old version cannot be started.
        BackupError: the contents cannot be read or restored, or differ afterwards.
    """
    folder = moved_to(data_dir) or data_dir
    version = old_version(folder)
    if version is None:
        return None
    with TemporaryDirectory(prefix="upgrade-", dir=folder / HOME) as work:
        file = Path(work) / "upgrade.backup"
        with serving_old(folder, programs) as url:
            _, tables = backup_with_digests(url, file)
        aside = set_aside(folder, version)
        try:
            _fill(data_dir, file, tables, durable=durable)
        except BaseException:
            put_back(folder, aside)
            raise
    return Moved(len(tables), sum(table.n_rows for table in tables.values()), aside)


def _fill(data_dir: Path, file: Path, tables: dict[str, Digest], *, durable: bool) -> None:
    server = EmbeddedPostgres(data_dir, durable=durable)
    try:
        url = server.start()
        restore(url, file)
        if wrong := differing(tables, digests_at(url)):
            raise BackupError(f"After the move these tables differ: {', '.join(wrong)}. The old files are used again.")
    finally:
        server.stop()
