"""The record beside a backup: when and from what it was made, the digest of each table, and how its check ended."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from app.postgres.filesystem.private_files import write_private
from app.storage.backups.digests import Digest

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """What is known about a backup. `problem` is None after a successful check; it says what was found otherwise."""

    made_at: datetime
    postgres: str
    tables: dict[str, Digest]
    problem: str | None

    @property
    def is_verified(self) -> bool:
        """Whether the backup was restored into an empty database and every table was the same."""
        return self.problem is None

    @property
    def n_rows(self) -> int:
        """Number of rows in all tables."""
        return sum(table.n_rows for table in self.tables.values())


def record_of(file: Path) -> BackupRecord | None:
    """The record of a backup; None if it has none or it cannot be read."""
    try:
        read = json.loads(_path(file).read_text(encoding="utf-8"))
        tables = {name: Digest(int(n), str(content)) for name, (n, content) in read["tables"].items()}
        return BackupRecord(datetime.fromisoformat(read["made_at"]), read["postgres"], tables, read["problem"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_record(file: Path, record: BackupRecord) -> None:
    """Write the record of a backup beside it."""
    tables = {name: list(digest) for name, digest in record.tables.items()}
    values = {"made_at": record.made_at.isoformat(), "postgres": record.postgres, "problem": record.problem}
    write_private(_path(file), json.dumps({**values, "tables": tables}, indent=1) + "\n")


def remove_backup(file: Path) -> None:
    """Remove a backup and its record."""
    file.unlink(missing_ok=True)
    _path(file).unlink(missing_ok=True)


def _path(file: Path) -> Path:
    return file.with_name(file.name + SUFFIX)
