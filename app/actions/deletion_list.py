"""The list of deletions beside the backups: one line of JSON per deletion, on disk before the deletion is committed."""

from __future__ import annotations

import json
import logging
import os
from typing import TYPE_CHECKING

from app.postgres.filesystem.private_files import open_private

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from app.storage.studies.deletions import Deletion

NAME = "deletions.jsonl"
log = logging.getLogger("attune.store")


class DeletionList:
    """The list in a folder of backups."""

    def __init__(self, folder: Path) -> None:
        """Nothing is created before the first deletion."""
        self.file = folder / NAME

    def add(self, deletion: Deletion) -> None:
        """Record a deletion. If the folder cannot be written to, this is logged, and the deletion goes on."""
        try:
            self.add_all([deletion])
        except OSError as error:
            log.error("a deletion could not be recorded in %s: %s", self.file, error.strerror)  # noqa: TRY400

    def add_all(self, deletions: Iterable[Deletion]) -> None:
        """Append deletions that the list does not have.

        Raises:
            OSError: the folder cannot be written.
        """
        known = self.read()
        lines = [json.dumps(deletion) + "\n" for deletion in deletions if deletion not in known]
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = open_private(self.file, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, "".join(lines).encode())
            os.fsync(fd)
        finally:
            os.close(fd)

    def read(self) -> list[Deletion]:
        """All deletions; a last line that was cut off by a crash is left out, its deletion was not committed.

        Raises:
            OSError: the file exists but cannot be read.
        """
        if not self.file.exists():
            return []
        lines = self.file.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1] if line.strip()]
