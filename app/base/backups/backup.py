"""Back up a whole database to one file and restore it, with PostgreSQL's own programs from the wheel."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from sqlalchemy import make_url

from app.base.database.address import client_timeouts
from app.base.postgres.account import reason
from app.base.postgres.binaries import binaries
from app.base.postgres.private_files import sync, write_private

DEMANDS_TLS = ("require", "verify-ca", "verify-full")
# How a file in PostgreSQL's custom format begins.
_MARK = b"PGDMP"
COUNT_RELATIONS = """
    SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND nspname NOT LIKE 'pg\\_temp%'
"""


class BackupError(Exception):
    """The backup or restore failed; the message is one clear sentence."""


def backup(url: str, file: Path, *, snapshot: str | None = None) -> None:
    """Save a snapshot of the database at `url` (SQLAlchemy's format) to a new file that only its owner can read.

    The file is in PostgreSQL's custom format. It is created atomically. `snapshot` is the name of an exported snapshot,
    if the backup must show the moment that an open transaction sees.

    Raises:
        BackupError: the file already exists or cannot be written, or the database cannot be read.
    """
    if file.exists():
        raise BackupError(f"The file {file} already exists. Choose another name.")
    try:
        fd, unfinished = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    except OSError as error:
        raise BackupError(f"The file {file} cannot be written: {error.strerror}.") from error
    os.close(fd)
    try:
        options = ["--format=custom", "--no-unlogged-table-data", f"--file={unfinished}"]
        options += [f"--snapshot={snapshot}"] if snapshot else []
        _run("pg_dump", url, options, failure=f"The backup {file} could not be made")
        sync(Path(unfinished))
        Path(unfinished).rename(file)
        sync(file.parent)
    finally:
        Path(unfinished).unlink(missing_ok=True)


def restore(url: str, file: Path) -> None:
    """Restore a file made by `backup` into the empty database at `url`, in one transaction.

    Restore only files that you trust: they contain commands that the database runs.

    Raises:
        BackupError: the file is missing or not a backup, or the database is not empty or cannot be written.
    """
    if not file.is_file():
        raise BackupError(f"There is no file {file}.")
    with file.open("rb") as opened:
        if opened.read(len(_MARK)) != _MARK:
            raise BackupError(f"The file {file} is not a backup made by Attune.")
    if _count_relations(url):
        raise BackupError("The database is not empty. A backup can be restored only into an empty database.")
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"]
    _run("pg_restore", url, [*options, str(file.absolute())], failure=f"The backup {file} could not be restored")


def _connection(url: str) -> tuple[str, str]:
    """The address for libpq and, separately, the password, because command lines are visible to other users."""
    found = make_url(url)
    named = {"user": found.username, "host": found.host, "port": found.port, "dbname": found.database}
    options = {name: value if isinstance(value, str) else ",".join(value) for name, value in found.query.items()}
    return make_conninfo("", **{**named, **client_timeouts(options), **options}), found.password or ""


@contextmanager
def connect(url: str) -> Iterator[psycopg.Connection[Any]]:
    """Yield a connection to the database at `url`; it commits at the end.

    Raises:
        BackupError: the database cannot be reached.
    """
    address, password = _connection(url)
    try:
        connection = psycopg.connect(address, password=password or None, application_name="attune backup")
    except psycopg.OperationalError as error:
        raise BackupError(f"The database cannot be reached: {reason(str(error))}") from error
    with connection:
        yield connection


def _count_relations(url: str) -> int:
    with connect(url) as connection:
        row = connection.execute(COUNT_RELATIONS.encode()).fetchone()
    return int(row[0]) if row else 0


def _program(name: str, url: str) -> str:
    """Our own program, or that of the system if the address requires TLS, which ours does not support."""
    installed = shutil.which(name) if make_url(url).query.get("sslmode") in DEMANDS_TLS else None
    return installed or str(binaries() / name)


def _run(name: str, url: str, options: list[str], *, failure: str) -> None:
    """Run one of the programs on the database; `failure` is the beginning of the error message."""
    address, password = _connection(url)
    environment = os.environ | {"LC_ALL": "C"} | ({"PGPASSWORD": password} if password else {})
    done = subprocess.run(
        [_program(name, url), f"--dbname={address}", "--no-password", *options],
        check=False,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
    )
    if done.returncode:
        raise BackupError(f"{failure}: {reason(done.stderr)}")


# A digest of every table that a backup has the rows of, to compare a restored database with the one that was backed up.

_TABLES = """
    SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind = 'r' AND relpersistence <> 'u'
      AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg\\_%'
    ORDER BY 1, 2
"""
# The sum does not depend on the order of the rows. SHA-256 gives the same on every machine and version of PostgreSQL.
_DIGEST = """
    SELECT count(*), coalesce(sum(
        ('x' || encode(substring(sha256(convert_to(t::text, 'UTF8')) for 8), 'hex'))::bit(64)::bigint::numeric), 0)
    FROM {} AS t
"""


class Digest(NamedTuple):
    """The number of rows of a table, and a number made from their contents."""

    n_rows: int
    content: str


def table_digests(connection: psycopg.Connection[Any]) -> dict[str, Digest]:
    """The digest of each table; within a transaction, all are of the same moment."""
    # The text of a time depends on the time zone, that of a number on the digits.
    connection.execute("SET LOCAL timezone = 'UTC'")
    connection.execute("SET LOCAL extra_float_digits = 1")
    found = {}
    for schema, table in connection.execute(_TABLES).fetchall():
        row = connection.execute(sql.SQL(_DIGEST).format(sql.Identifier(schema, table))).fetchone()
        assert row is not None  # noqa: S101 - an aggregate has one row
        found[table if schema == "public" else f"{schema}.{table}"] = Digest(int(row[0]), str(row[1]))
    return found


def differing(before: Mapping[str, Digest], after: Mapping[str, Digest]) -> list[str]:
    """The tables that are not the same in both.

    >>> differing({"ratings": Digest(2, "7")}, {"ratings": Digest(2, "8"), "items": Digest(0, "0")})
    ['items', 'ratings']
    """
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))


# The record beside a backup: when and from what it was made, the digest of each table, and how its check ended.

SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """What is known about a backup. `problem` is None after a successful check; it says what was found otherwise."""

    made_at: datetime
    postgres: str
    tables: dict[str, Digest]
    problem: str | None

    @property
    def is_verified(self) -> bool:
        """Whether the backup was restored into an empty database and every table was the same."""
        return self.problem is None

    @property
    def n_rows(self) -> int:
        """Number of rows in all tables."""
        return sum(table.n_rows for table in self.tables.values())


def record_of(file: Path) -> BackupRecord | None:
    """The record of a backup; None if it has none or it cannot be read."""
    try:
        read = json.loads(_path(file).read_text(encoding="utf-8"))
        tables = {name: Digest(int(n), str(content)) for name, (n, content) in read["tables"].items()}
        return BackupRecord(datetime.fromisoformat(read["made_at"]), read["postgres"], tables, read["problem"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_record(file: Path, record: BackupRecord) -> None:
    """Write the record of a backup beside it."""
    tables = {name: list(digest) for name, digest in record.tables.items()}
    values = {"made_at": record.made_at.isoformat(), "postgres": record.postgres, "problem": record.problem}
    write_private(_path(file), json.dumps({**values, "tables": tables}, indent=1) + "\n")


def remove_backup(file: Path) -> None:
    """Remove a backup and its record."""
    file.unlink(missing_ok=True)
    _path(file).unlink(missing_ok=True)


def _path(file: Path) -> Path:
    return file.with_name(file.name + SUFFIX)
