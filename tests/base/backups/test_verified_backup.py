"""Backups that are checked by restoring them, with a record beside them."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from app.base.backups import verified_backup as module
from app.base.backups.backup import BackupError, record_of, restore
from app.base.backups.verified_backup import digests_at, restore_compared, verified_backup
from tests.kit.postgres_fixture import libpq_url

CONTENT = """
    CREATE TABLE ratings (id bigint PRIMARY KEY, value double precision, rated_at timestamptz, text text);
    INSERT INTO ratings SELECT n, n / 7.0, '2026-01-01 00:00:00.123456+00', 'I hear you: ' || n
    FROM generate_series(1, 300) n;
"""


def run(url: str, statement: str) -> None:
    with psycopg.connect(libpq_url(url)) as connection:
        connection.execute(statement.encode())


def scratch_databases(url: str) -> int:
    with psycopg.connect(libpq_url(url)) as connection:
        row = connection.execute("SELECT count(*) FROM pg_database WHERE datname LIKE 'attune_check_%'").fetchone()
    assert row
    return int(row[0])


@pytest.fixture
def filled(new_database: Callable[[str | None], str]) -> str:
    url = new_database(None)
    run(url, CONTENT)
    return url


def test_nothing_is_left_of_a_backup_whose_record_finds_the_disk_full(
    filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = os.fsync

    def full(fd: int) -> None:
        if Path(f"/proc/self/fd/{fd}").readlink().name.startswith("new-"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        synced(fd)

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(BackupError, match=r"one\.backup could not be made: No space left on device\."):
        verified_backup(filled, tmp_path / "one.backup")
    assert [*tmp_path.iterdir()] == []


def test_a_backup_is_restored_and_compared_at_once(filled: str, tmp_path: Path) -> None:
    record = verified_backup(filled, tmp_path / "one.backup")
    assert record.is_verified
    assert (record.n_rows, list(record.tables)) == (300, ["ratings"])
    assert record_of(tmp_path / "one.backup") == record
    assert scratch_databases(filled) == 0


def test_rows_that_no_backup_has_are_not_missed(
    filled: str, new_database: Callable[[str | None], str], tmp_path: Path
) -> None:
    run(filled, "CREATE UNLOGGED TABLE made_files (id bigint); INSERT INTO made_files VALUES (1)")
    assert verified_backup(filled, tmp_path / "one.backup").is_verified
    assert restore_compared(new_database(None), tmp_path / "one.backup") is not None


def test_a_digest_changes_with_a_single_value_and_not_with_the_order(filled: str) -> None:
    before = digests_at(filled)
    run(filled, "UPDATE ratings SET text = text WHERE id < 100")  # moves the rows
    assert digests_at(filled) == before
    run(filled, "UPDATE ratings SET value = value + 1e-9 WHERE id = 7")
    assert digests_at(filled) != before


def test_a_backup_that_restores_to_other_rows_is_not_verified(
    filled: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def restore_less(url: str, file: Path) -> None:
        restore(url, file)
        run(url, "DELETE FROM ratings WHERE id = 7")

    monkeypatch.setattr(module, "restore", restore_less)
    record = verified_backup(filled, tmp_path / "one.backup")
    assert record.problem == "These tables are not as saved: ratings."
    assert scratch_databases(filled) == 0


def test_a_role_that_may_not_create_databases_gets_a_backup_that_is_not_checked(filled: str, tmp_path: Path) -> None:
    run(filled, "CREATE ROLE plain LOGIN PASSWORD 'plain'; GRANT SELECT ON ratings TO plain")
    try:
        record = verified_backup(as_plain(filled), tmp_path / "one.backup")
    finally:
        run(filled, "DROP OWNED BY plain; DROP ROLE plain")
    assert "not checked" in (record.problem or "")


def as_plain(url: str) -> str:
    name, _, rest = url.partition("://")
    return f"{name}://plain:plain@{rest.partition('@')[2]}"


def test_a_restored_database_is_compared_with_the_record(
    filled: str, tmp_path: Path, new_database: Callable[[str | None], str]
) -> None:
    file, record_file = tmp_path / "one.backup", tmp_path / "one.backup.json"
    verified_backup(filled, file)
    assert restore_compared(new_database(None), file) == record_of(file)
    record_file.write_text(record_file.read_text().replace("300", "301"))
    with pytest.raises(BackupError, match="these tables are not as saved: ratings"):
        restore_compared(new_database(None), file)
