"""Whether this installation can take answers: database, migrations, disk."""

from __future__ import annotations

import shutil
from pathlib import Path

from sqlalchemy import Connection

from app.base.database.engine import is_alive
from app.base.database.migrate import has_all_migrations

MIN_FREE_BYTES = 1 << 30


def problems_of(db: Connection, migrations: Path, data_dir: Path | None) -> dict[str, str]:
    """What keeps the server from taking answers, by the name of the check; empty if nothing does.

    Args:
        db: the database.
        migrations: the folder with env.py and versions/.
        data_dir: the folder of the embedded database; None if the database is elsewhere.
    """
    found = {}
    if not is_alive(db):
        found["database"] = "The database does not respond."
    elif not has_all_migrations(db, migrations):
        found["migrations"] = "The tables need an upgrade. Run: attune db upgrade"
    if data_dir is not None and free_bytes(data_dir) < MIN_FREE_BYTES:
        found["disk"] = f"Less than {MIN_FREE_BYTES >> 30} GiB is free for the database."
    return found


def free_bytes(place: Path) -> int:
    """Free space on the disk of a folder, which need not exist yet."""
    existing = next(path for path in (place, *place.absolute().parents) if path.exists())
    return shutil.disk_usage(existing).free
