"""The folder of backups: which are kept, and when a new one is due."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.base.backups.backup import BackupError, BackupRecord, write_record
from app.base.backups.backups import MAX_AGE_DAYS, Backup, is_due, list_backups, make_backup, outdated

NOW = datetime(2026, 11, 22, 3, 0, tzinfo=UTC)


def made(folder: Path, at: datetime, problem: str | None = None) -> Path:
    file = folder / f"attune-{at:%Y%m%dT%H%M%SZ}.backup"
    file.write_text("a backup")
    write_record(file, BackupRecord(at, "18.4", {}, problem))
    return file


def days_kept(backups: list[Backup]) -> list[int]:
    removed = {backup.file for backup in outdated(backups, NOW)}
    return [(NOW - backup.made_at).days for backup in backups if backup.file not in removed]


def test_seven_days_and_four_weeks_are_kept(tmp_path: Path) -> None:
    for day in range(60):
        made(tmp_path, NOW - timedelta(days=day))
    assert days_kept(list_backups(tmp_path)) == [0, 1, 2, 3, 4, 5, 6, 7, 14, 21]


def test_two_of_a_day_leave_the_newer_one(tmp_path: Path) -> None:
    for hours in (0, 5, 12, 30):
        made(tmp_path, NOW - timedelta(hours=hours))
    removed = [backup.made_at for backup in outdated(list_backups(tmp_path), NOW)]
    assert removed == [NOW - timedelta(hours=12)]


def test_backup_that_failed_its_check_replaces_no_good_one(tmp_path: Path) -> None:
    good = made(tmp_path, NOW - timedelta(days=3))
    failed = made(tmp_path, NOW, "These tables are not as saved: ratings.")
    assert [backup.file for backup in list_backups(tmp_path)] == [failed, good]
    assert outdated(list_backups(tmp_path), NOW) == []
    assert is_due(tmp_path, NOW)


def test_after_some_weeks_no_backup_has_deleted_answers(tmp_path: Path) -> None:
    made(tmp_path, NOW)
    old = made(tmp_path, NOW - timedelta(days=MAX_AGE_DAYS, hours=1))
    assert [backup.file for backup in outdated(list_backups(tmp_path), NOW)] == [old]


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "attune-before-the-move.backup").write_text("mine")
    assert list_backups(tmp_path) == []


def test_a_backup_is_due_after_a_day(tmp_path: Path) -> None:
    assert is_due(tmp_path / "missing", NOW)
    made(tmp_path, NOW - timedelta(hours=23))
    assert not is_due(tmp_path, NOW)
    assert is_due(tmp_path, NOW + timedelta(hours=1))


def test_backup_from_the_future_replaces_no_other(tmp_path: Path) -> None:
    ahead = made(tmp_path, NOW + timedelta(days=400))
    assert is_due(tmp_path, NOW)
    assert outdated(list_backups(tmp_path), NOW) == []
    made(tmp_path, NOW)
    old = made(tmp_path, NOW - timedelta(days=MAX_AGE_DAYS, hours=1))
    assert not is_due(tmp_path, NOW)
    assert [backup.file for backup in outdated(list_backups(tmp_path), NOW)] == [ahead, old]


def test_a_new_backup_is_private_and_removes_outdated_ones(
    tmp_path: Path, new_database: Callable[[str | None], str]
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    old = made(folder, NOW - timedelta(days=3000))
    backup = make_backup(new_database(None), folder)
    assert backup
    assert backup.is_verified
    assert backup.file.stat().st_mode & 0o077 == 0
    assert not old.exists()
    assert [one.file for one in list_backups(folder)] == [backup.file]


def test_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BackupError, match="cannot be used for backups"):
        make_backup("postgresql+psycopg://nobody@127.0.0.1:1/none", tmp_path / "file" / "backups")
