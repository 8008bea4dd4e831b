"""Data folders of root that the server's account cannot reach: files are kept elsewhere, recorded in a pointer file.

Root's private folders (`/root`, or a temporary folder of root) stay private. The database files are then in
`/var/lib/attune`, and the named folder contains one small file with their location, so that the same name always means
the same database.
"""

from __future__ import annotations

import logging
import os
import secrets
from pathlib import Path

from app.postgres.embedded_errors import EmbeddedError
from app.postgres.filesystem.private_files import open_private

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
