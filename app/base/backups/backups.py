"""The folder of backups: a new one each day, checked by restoring it, and old ones removed."""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from app.base.backups.backup import BackupError, BackupRecord, record_of, remove_backup
from app.base.backups.verified_backup import verified_backup
from app.base.postgres.private_files import open_lock, try_alone

EVERY = timedelta(days=1)
N_DAYS, N_WEEKS = 7, 4
# After this many days, no backup contains answers that were deleted at a rater's request.
MAX_AGE_DAYS = N_WEEKS * 7 + 7
_NAME = re.compile(r"attune-(\d{8}T\d{6}Z)\.backup")
_TIME = "%Y%m%dT%H%M%SZ"
LOCK = "backups.lock"


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup in the folder; files with other names are ignored."""

    file: Path
    made_at: datetime

    @property
    def record(self) -> BackupRecord | None:
        """Its record, with the result of its check."""
        return record_of(self.file)

    @property
    def is_verified(self) -> bool:
        """Whether its check succeeded."""
        record = self.record
        return record is not None and record.is_verified


def list_backups(folder: Path) -> list[Backup]:
    """The backups of a folder, newest first."""
    named = [(file, _NAME.fullmatch(file.name)) for file in folder.glob("attune-*.backup")] if folder.is_dir() else []
    found = [Backup(file, datetime.strptime(name[1], _TIME).replace(tzinfo=UTC)) for file, name in named if name]
    return sorted(found, key=lambda backup: backup.made_at, reverse=True)


def made_until(now: datetime, backups: Iterable[Backup]) -> list[Backup]:
    """The backups dated no later than now. One from the future (the clock was ahead) would pass for the newest."""
    return [backup for backup in backups if backup.made_at <= now]


def is_due(folder: Path, now: datetime) -> bool:
    """Whether the last successful backup is a day old, or there is none."""
    newest = next((backup for backup in made_until(now, list_backups(folder)) if backup.is_verified), None)
    return newest is None or now - newest.made_at >= EVERY


def make_backup(url: str, folder: Path) -> Backup | None:
    """Make a backup in the folder, check it, and remove old ones; None if another process is making one.

    Raises:
        BackupError: it could not be made, or its check failed. The file and its record are kept then.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = open_lock(folder / LOCK)
    except OSError as error:
        raise BackupError(f"The folder {folder} cannot be used for backups: {error.strerror}.") from error
    try:
        if not try_alone(lock):
            return None
        now = datetime.now(UTC)
        made = Backup(folder / f"attune-{now.strftime(_TIME)}.backup", now)
        record = verified_backup(url, made.file)
        if record.problem:
            raise BackupError(f"The backup {made.file} was made. {record.problem}")
        for old in outdated(list_backups(folder), now):
            remove_backup(old.file)
        return made
    finally:
        os.close(lock)


def outdated(backups: Sequence[Backup], now: datetime) -> list[Backup]:
    """The backups to remove: all but the newest of each of the last 7 days and 4 weeks that have one.

    A backup whose check failed does not take the place of a good one. The newest of all is always kept. Backups dated
    in the future (the clock was ahead) are removed once there is a good one from the present.

    Args:
        backups: newest first.
        now: the present.
    """
    past = made_until(now, backups)
    has_good = any(backup.is_verified for backup in past)
    return [*(backup for backup in backups if has_good and backup.made_at > now), *_outdated(past)]


def _outdated(backups: Sequence[Backup]) -> list[Backup]:
    good = [backup for backup in backups if backup.is_verified]
    kept = {backup.file for backup in (*backups[:1], *good[:1])}
    kept |= {backup.file for backup in _newest_of_each(good, "%Y-%j", N_DAYS)}
    kept |= {backup.file for backup in _newest_of_each(good, "%G-%V", N_WEEKS)}
    oldest = backups[0].made_at - timedelta(days=MAX_AGE_DAYS) if backups else None
    return [b for b in backups if b.file not in kept or (oldest is not None and b.made_at < oldest)]


def _newest_of_each(backups: Iterable[Backup], period: str, n: int) -> list[Backup]:
    found: dict[str, Backup] = {}
    for backup in backups:
        found.setdefault(backup.made_at.strftime(period), backup)
    return list(found.values())[:n]
