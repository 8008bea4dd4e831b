"""The embedded PostgreSQL from its first start to its last stop, as the user who runs the tests."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, text

from app.base.postgres import EmbeddedError, EmbeddedPostgres, default_data_dir
from app.base.postgres.postmaster import proven_pid
from tests.kit.postgres_fixture import create_database, drop_database, libpq_url


def ask(server: EmbeddedPostgres, query: str) -> object:
    with psycopg.connect(libpq_url(server.url())) as connection:
        row = connection.execute(query.encode()).fetchone()
        return row[0] if row else None


def test_empty_folder_becomes_a_safe_database_named_attune(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    engine = create_engine(server.start())
    with engine.connect() as connection:
        found = {name: connection.scalar(text(f"SELECT current_setting('{name}')")) for name in SETTINGS}
        database = connection.execute(
            text("SELECT datname, pg_encoding_to_char(encoding), datlocprovider, datlocale FROM pg_database")
        ).all()
    engine.dispose()
    server.stop()
    assert found == SETTINGS
    assert ("attune", "UTF8", "b", "C.UTF-8") in [tuple(row) for row in database]


SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "data_checksums": "on",
    "password_encryption": "scram-sha-256",
    "max_connections": "200",
    "TimeZone": "UTC",
}


def test_password_is_required(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    url = server.start()
    password = (made_dir / "postgres" / "password").read_text()
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(libpq_url(url).replace(password, "wrong"))
    rules = (made_dir / "postgres" / "pgdata" / "pg_hba.conf").read_text().splitlines()
    server.stop()
    assert len(password) >= 32
    methods = {rule.split()[-1] for rule in rules if rule and not rule.startswith("#")}
    assert methods == {"scram-sha-256"}


def test_files_and_socket_are_private(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir, durable=False)
    server.start()
    home = data_dir / "postgres"
    modes = {name: stat.S_IMODE((home / name).stat().st_mode) for name in ("password", "postgres.log", "pgdata", "run")}
    socket = stat.S_IMODE((home / "run" / ".s.PGSQL.5432").stat().st_mode)
    server.stop()
    assert modes == {"password": 0o600, "postgres.log": 0o600, "pgdata": 0o700, "run": 0o700}
    assert socket == 0o700
    assert stat.S_IMODE(home.stat().st_mode) & 0o007 == 0


def test_data_persist_after_restart(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir)
    with psycopg.connect(libpq_url(server.start())) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS value")
    server.stop()
    assert not server.is_running()
    server.start()
    assert ask(server, "SELECT value FROM kept") == 7
    server.stop()


def test_repeated_start_and_stop_are_harmless(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    assert server.start() == server.start()
    pid = proven_pid(made_dir / "postgres" / "pgdata")
    server.start()
    assert proven_pid(made_dir / "postgres" / "pgdata") == pid
    server.stop()
    server.stop()
    assert not server.is_running()


def test_url_is_unavailable_before_start(data_dir: Path) -> None:
    with pytest.raises(EmbeddedError, match="was not started"):
        EmbeddedPostgres(data_dir).url()


def test_is_running_creates_no_files(data_dir: Path) -> None:
    assert not EmbeddedPostgres(data_dir / "absent").is_running()
    assert list(data_dir.iterdir()) == []


def test_folder_may_have_any_name(data_dir: Path) -> None:
    name = 'a space+plus, quo\'te "ünï☺" 100%20: colon'
    server = EmbeddedPostgres(data_dir / name, durable=False)
    engine = create_engine(server.start())
    with engine.connect() as connection:
        found = connection.scalar(text("SELECT current_setting('data_directory')"))
    engine.dispose()
    assert ask(server, "SELECT 1") == 1, "psql and pg_dump read the address in another way"
    server.stop()
    assert found == str(data_dir / name / "postgres" / "pgdata")


def test_postgres_environment_variables_are_ignored(made_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PGPORT": "6000", "PGDATA": "/nowhere", "PGHOST": "example", "PGTZ": "Asia/Tokyo"}.items():
        monkeypatch.setenv(name, value)
    server = EmbeddedPostgres(made_dir, durable=False)
    engine = create_engine(server.start())
    with engine.connect() as connection:
        assert connection.scalar(text("SELECT current_setting('port')")) == "5432"
    engine.dispose()
    server.stop()


def test_server_without_durability_is_rejected(made_dir: Path) -> None:
    unsafe = EmbeddedPostgres(made_dir, durable=False)
    unsafe.start()
    with pytest.raises(EmbeddedError, match="does not keep its data safe"):
        EmbeddedPostgres(made_dir).start()
    unsafe.stop()


def test_database_is_copied_from_template_and_dropped(postgres: EmbeddedPostgres) -> None:
    source = create_database(postgres, "template_for_test")
    with psycopg.connect(libpq_url(source)) as connection:
        connection.execute("CREATE TABLE copied AS SELECT 3 AS value")
    copy = create_database(postgres, "copy_for_test", "template_for_test")
    with psycopg.connect(libpq_url(copy)) as connection:
        assert connection.execute("SELECT value FROM copied").fetchone() == (3,)
    for name in ("copy_for_test", "template_for_test"):
        drop_database(postgres, name)
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(libpq_url(copy))


def test_every_test_gets_its_own_database(new_database: Callable[[str | None], str]) -> None:
    assert new_database(None) != new_database(None)


def test_root_default_folder_is_reachable_by_server_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_data_dir() == Path("/var/lib/attune")


def test_user_default_folder_is_user_data_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_data_dir().name == "attune"
