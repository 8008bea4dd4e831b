"""Backups that are checked at once: restored into a scratch database, whose tables are compared with the original."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from app.base.backups.backup import (
    BackupError,
    BackupRecord,
    Digest,
    backup,
    connect,
    differing,
    record_of,
    remove_backup,
    restore,
    table_digests,
    write_record,
)
from app.base.postgres.account import reason

NOT_ALLOWED = (
    "It was not checked: the role of DATABASE_URL may not create databases. Check it by restoring it elsewhere, or "
    "allow the role to create databases (ALTER ROLE ... CREATEDB)."
)


def verified_backup(url: str, file: Path) -> BackupRecord:
    """Back up the database at `url` to a new file, restore it into a scratch database and compare every table.

    The digests are of the same moment as the backup, so that raters can go on meanwhile.

    Raises:
        BackupError: the backup could not be made. If its check fails, the record says so.
    """
    made_at = datetime.now(UTC)
    postgres, tables = backup_with_digests(url, file)
    record = BackupRecord(made_at, postgres, tables, _check(url, file, tables))
    try:
        write_record(file, record)
    except OSError as error:
        # On a full disk, pg_dump may have left a file that is cut off without noticing.
        remove_backup(file)
        raise BackupError(f"The backup {file} could not be made: {error.strerror}.") from error
    return record


def backup_with_digests(url: str, file: Path) -> tuple[str, dict[str, Digest]]:
    """Back up the database; returns the version of the server, and the digest of each table at that moment.

    Raises:
        BackupError: the backup could not be made.
    """
    with _snapshot(url) as connection:
        name = str(_one(connection, "SELECT pg_export_snapshot()"))
        postgres = str(_one(connection, "SHOW server_version"))
        tables = table_digests(connection)
        backup(url, file, snapshot=name)
    return postgres, tables


def restore_compared(url: str, file: Path) -> BackupRecord | None:
    """Restore a backup into the empty database at `url`, and compare it with the record beside it, if there is one.

    Raises:
        BackupError: it cannot be restored, or the restored tables are not those that were saved.
    """
    restore(url, file)
    record = record_of(file)
    if record and (tables := differing(record.tables, digests_at(url))):
        raise BackupError(f"The backup {file} was restored, but these tables are not as saved: {', '.join(tables)}.")
    return record


def digests_at(url: str) -> dict[str, Digest]:
    """The digest of each table of the database at `url`."""
    with _snapshot(url) as connection:
        return table_digests(connection)


def _check(url: str, file: Path, tables: dict[str, Digest]) -> str | None:
    """Restore the backup into a scratch database; None if all tables are the same, otherwise what is wrong."""
    try:
        with _scratch(url) as scratch:
            restore(scratch, file)
            wrong = differing(tables, digests_at(scratch))
    except psycopg.errors.InsufficientPrivilege:
        return NOT_ALLOWED
    except (BackupError, psycopg.Error) as error:
        return f"It could not be checked: {reason(str(error))}"
    return f"These tables are not as saved: {', '.join(wrong)}." if wrong else None


@contextmanager
def _scratch(url: str) -> Iterator[str]:
    name = f"attune_check_{secrets.token_hex(6)}"
    with connect(url) as connection:
        connection.autocommit = True
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
        try:
            yield make_url(url).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@contextmanager
def _snapshot(url: str) -> Iterator[psycopg.Connection[Any]]:
    """Yield a transaction that sees a single snapshot of the database."""
    with connect(url) as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        yield connection


def _one(connection: psycopg.Connection[Any], query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    return row[0] if row else None
