"""A database backed up to a file and restored from it, completely or not at all."""

import stat
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from app.base.backups.backup import BackupError, backup, restore
from app.base.postgres import EmbeddedPostgres
from tests.kit.postgres_fixture import libpq_url

CONTENT = """
    CREATE TYPE side AS ENUM ('left', 'right');
    CREATE TABLE responses (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL CHECK (text <> ''));
    CREATE TABLE ratings (
        response_id bigint NOT NULL REFERENCES responses, value double precision, side side, rated_at timestamptz,
        PRIMARY KEY (response_id, value)
    );
    CREATE INDEX ON ratings (rated_at);
    INSERT INTO responses (text)
        SELECT 'I hear you — ☺ "quoted" \\\\ ' || n || E'\\n\\tnew line' FROM generate_series(1, 500) n;
    INSERT INTO ratings SELECT id, id / 7.0, 'left', '2026-01-01 00:00:00.123456+00' FROM responses;
"""


def run(url: str, *statements: str) -> None:
    with psycopg.connect(libpq_url(url)) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def rows(url: str) -> list[tuple[object, ...]]:
    query = b"SELECT * FROM responses JOIN ratings ON ratings.response_id = responses.id ORDER BY id"
    with psycopg.connect(libpq_url(url)) as connection:
        return connection.execute(query).fetchall()


def tables(url: str) -> int:
    with psycopg.connect(libpq_url(url)) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
def filled(new_database: Callable[[str | None], str]) -> str:
    url = new_database(None)
    run(url, CONTENT)
    return url


@pytest.fixture
def saved(filled: str, tmp_path: Path) -> Path:
    file = tmp_path / "a backup.dump"
    backup(filled, file)
    return file


def test_restored_database_has_same_rows(filled: str, saved: Path, new_database: Callable[[str | None], str]) -> None:
    other = new_database(None)
    restore(other, saved)
    assert rows(other) == rows(filled)
    assert len(rows(other)) == 500


def test_restored_database_keeps_constraints_and_sequences(
    saved: Path, new_database: Callable[[str | None], str]
) -> None:
    other = new_database(None)
    restore(other, saved)
    with pytest.raises(psycopg.errors.CheckViolation):
        run(other, "INSERT INTO responses (text) VALUES ('')")
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        run(other, "INSERT INTO ratings VALUES (100000, 1)")
    run(other, "INSERT INTO responses (text) VALUES ('one more')")
    with psycopg.connect(libpq_url(other)) as connection:
        assert connection.execute("SELECT max(id) > 500 FROM responses").fetchone() == (True,)


def test_backup_file_is_private_and_leaves_no_other_file(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert list(saved.parent.iterdir()) == [saved]


def test_existing_file_is_not_overwritten(filled: str, tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("mine")
    with pytest.raises(BackupError, match="already exists"):
        backup(filled, file)
    assert file.read_text() == "mine"


def test_missing_folder_is_reported(filled: str, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="cannot be written: No such file or directory"):
        backup(filled, tmp_path / "missing" / "file.dump")


def test_failed_backup_leaves_no_file(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    with pytest.raises(BackupError, match='could not be made: database "missing" does not exist'):
        backup(postgres.url("missing"), tmp_path / "file.dump")
    assert list(tmp_path.iterdir()) == []


def test_nonempty_database_is_not_restored_into(filled: str, saved: Path) -> None:
    before = rows(filled)
    with pytest.raises(BackupError, match="only into an empty database"):
        restore(filled, saved)
    assert rows(filled) == before


def test_database_with_a_single_view_is_not_empty(saved: Path, new_database: Callable[[str | None], str]) -> None:
    other = new_database(None)
    run(other, "CREATE SCHEMA apart", "CREATE VIEW apart.one AS SELECT 1 AS one")
    with pytest.raises(BackupError, match="only into an empty database"):
        restore(other, saved)


def test_truncated_backup_restores_nothing(saved: Path, new_database: Callable[[str | None], str]) -> None:
    whole = saved.read_bytes()
    saved.write_bytes(whole[: len(whole) * 3 // 4])
    other = new_database(None)
    with pytest.raises(BackupError, match="could not be restored"):
        restore(other, saved)
    assert tables(other) == 0


def test_invalid_backup_file_is_rejected(tmp_path: Path, new_database: Callable[[str | None], str]) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a backup")
    with pytest.raises(BackupError, match="is not a backup made by Attune"):
        restore(new_database(None), file)


def test_missing_file_or_database_is_reported(saved: Path, postgres: EmbeddedPostgres) -> None:
    with pytest.raises(BackupError, match="There is no file"):
        restore(postgres.url(), saved.parent / "missing.dump")
    with pytest.raises(BackupError, match='cannot be reached: database "missing" does not exist'):
        restore(postgres.url("missing"), saved)


def test_password_is_not_on_command_line(
    filled: str, tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = data_dir / "pg_dump"
    recorder.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{data_dir}/command'\nenv > '{data_dir}/environment'\n")
    recorder.chmod(0o755)
    monkeypatch.setattr("app.base.backups.backup.binaries", lambda: data_dir)
    backup(filled, tmp_path / "file.dump")
    password = make_url(filled).password
    assert f"PGPASSWORD={password}" in (data_dir / "environment").read_text().splitlines()
    assert "--format=custom" in (data_dir / "command").read_text()
    assert str(password) not in (data_dir / "command").read_text()


def test_an_address_that_demands_tls_is_dumped_by_the_systems_program(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorder = data_dir / "pg_dump"
    recorder.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > '{data_dir}/command'\n")
    recorder.chmod(0o755)
    monkeypatch.setenv("PATH", f"{data_dir}:/usr/bin:/bin")
    backup("postgresql+psycopg://me:x@127.0.0.1:1/studies?sslmode=verify-full", tmp_path / "file.dump")
    assert "sslmode=verify-full" in (data_dir / "command").read_text()


def test_study_moves_to_embedded_database_with_space_in_path(filled: str, saved: Path, data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir / "new home", durable=False)
    restore(server.start(), saved)
    moved = rows(server.url())
    server.stop()
    assert moved == rows(filled)
