"""Move the embedded database to a new major version of PostgreSQL: dump, restore, compare, and keep the old files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from app.base.backups.backup import BackupError, Digest, differing, restore
from app.base.backups.verified_backup import backup_with_digests, digests_at
from app.base.postgres import EmbeddedPostgres
from app.base.postgres.data_dirs import HOME, moved_to
from app.base.postgres.old_version import old_version, put_back, serving_old, set_aside


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
