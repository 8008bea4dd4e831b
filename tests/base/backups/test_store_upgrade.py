"""The embedded database over a major version of PostgreSQL: 16, whose programs the wheel carries too, to 18."""

from pathlib import Path

import psycopg
import pytest

from app.base.backups import store_upgrade
from app.base.backups.backup import BackupError
from app.base.backups.store_upgrade import serving_old, upgrade_store
from app.base.postgres import EmbeddedError, EmbeddedPostgres
from app.base.postgres.account import server_account
from app.base.postgres.binaries import binaries
from tests.kit.postgres_fixture import libpq_url

OLD = "16"
PROGRAMS = binaries().parents[1] / "pginstall" / "bin"
CONTENT = """
    CREATE TABLE ratings (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, value double precision, text text);
    INSERT INTO ratings (value, text) SELECT n / 7.0, 'I hear you — ☺ ' || n FROM generate_series(1, 200) n;
"""

pytestmark = pytest.mark.skipif(not (PROGRAMS / "postgres").exists(), reason="the wheel has no older PostgreSQL")


def query(url: str, statement: str) -> object:
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        found = connection.execute(statement.encode())
        row = found.fetchone() if found.description else None
    return row[0] if row else None


@pytest.fixture
def old_dir(made_dir: Path) -> Path:
    """A data folder whose database was made by PostgreSQL 16, with 200 rows."""
    home = made_dir / "postgres"
    cluster = home / "pgdata"
    account = server_account(cluster)
    cluster.rename(home / "pgdata-made")
    command: list[str | Path] = [
        PROGRAMS / "initdb",
        "-D",
        cluster,
        "-U",
        "attune",
        "--auth",
        "trust",
        "--locale",
        "C",
        "--no-sync",
    ]
    home.chmod(0o777)
    done = account.run(*command, "--encoding", "UTF8")
    assert done.returncode == 0, done.stdout
    with serving_old(made_dir, PROGRAMS) as url:
        query(url.replace("/attune?", "/postgres?"), "CREATE DATABASE attune")
        query(url, CONTENT)
    return made_dir


def fail(_url: str, _file: Path) -> None:
    raise BackupError("The disk is full.")


# One test, because making the old files takes longer than all the rest.
@pytest.mark.slow
def test_failure_puts_old_files_back_and_success_moves_every_row(
    old_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(store_upgrade, "restore", fail)
        with pytest.raises(BackupError, match="disk is full"):
            upgrade_store(old_dir, durable=False)
    with serving_old(old_dir, None) as url:
        assert query(url, "SELECT count(*) FROM ratings") == 200
    with pytest.raises(EmbeddedError, match="attune db upgrade-postgres"):
        EmbeddedPostgres(old_dir, durable=False).start()
    moved = upgrade_store(old_dir, durable=False)
    assert moved is not None
    assert (moved.n_tables, moved.n_rows) == (1, 200)
    assert (moved.aside / "PG_VERSION").read_text().strip() == OLD
    server = EmbeddedPostgres(old_dir, durable=False)
    url = server.start()
    assert query(url, "SELECT count(*) FROM ratings WHERE text = 'I hear you — ☺ ' || id") == 200
    assert query(url, "INSERT INTO ratings (value) VALUES (1) RETURNING id") == 201
    server.stop()
    assert upgrade_store(old_dir, durable=False) is None


def test_programs_of_another_version_are_refused(made_dir: Path) -> None:
    (made_dir / "postgres" / "pgdata" / "PG_VERSION").write_text(f"{OLD}\n")
    with pytest.raises(EmbeddedError, match="PostgreSQL 16, which made the database, was not found"):
        upgrade_store(made_dir, binaries(), durable=False)
