"""A temporary PostgreSQL for tests: one fast server per run (per xdist worker), and databases by copying."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from app.base.postgres import EmbeddedPostgres, cluster
from app.base.postgres.account import Account
from app.base.postgres.cluster import PASSWORD
from app.base.postgres.postmaster import CLUSTER
from app.base.postgres.private_files import KEEPER, alone, open_lock

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory; mkdtemp makes an own one in it
MIN_FREE = 2 * 1024**3


def folder_in_memory() -> Path | None:
    """Return a folder in memory with enough space for databases, if there is one that can also hold programs.

    To copy, run and remove a database there takes a sixth of the processor time that it takes on a disk.
    """
    has_space = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MIN_FREE
    return MEMORY if has_space and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC else None


@contextmanager
def reachable_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a folder with a short path that the server's account can reach if tests run as root, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp(prefix="attune-", dir=parent))
    if os.geteuid() == 0:
        folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """Yield an empty folder for one test's own embedded database."""
    with reachable_folder(folder_in_memory()) as folder:
        yield folder


@pytest.fixture(scope="session")
def made_once() -> Iterator[Path]:
    """Yield a folder with an embedded database that was started and stopped, as a template for copies."""
    with reachable_folder(folder_in_memory()) as folder:
        server = EmbeddedPostgres(folder / "made", durable=False)
        server.start()
        server.stop()
        wait_for_keeper(folder / "made" / "postgres")
        yield folder / "made"


def wait_for_keeper(home: Path) -> None:
    """Wait until the keeper has ended: at its end it removes files, which must not happen while they are copied."""
    lock = open_lock(home / KEEPER)
    try:
        with alone(lock):
            pass
    finally:
        os.close(lock)


@pytest.fixture
def made_dir(data_dir: Path, made_once: Path) -> Path:
    """Like `data_dir`, but with an initialized database that is not running, which saves a second."""
    subprocess.run(["/bin/cp", "-a", str(made_once / "postgres"), str(data_dir)], check=True)
    return data_dir


@pytest.fixture
def copied_cluster(made_once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `start` copy an initialized database instead of running initdb, which takes a second each time."""
    made = made_once / "postgres"

    def copy(staging: Path, _password: str, account: Account, _programs: Path, *, durable: bool) -> None:
        assert not durable
        subprocess.run(["/bin/cp", "-a", str(made / CLUSTER), str(staging)], check=True)
        if account.switch:
            subprocess.run(["/bin/chown", "-R", f"{account.uid}:{account.gid}", str(staging)], check=True)
        (staging.parent / PASSWORD).write_text((made / PASSWORD).read_text())

    monkeypatch.setattr(cluster, "_initdb", copy)


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """Yield the server of the test run, without durability; it stops when the run ends or is killed."""
    with reachable_folder(folder_in_memory()) as folder:
        server = EmbeddedPostgres(folder, durable=False)
        server.start()
        yield server
        _administrator(server.url("postgres")).close()
        _administrator.cache_clear()
        server.stop()


def create_database(postgres: EmbeddedPostgres, name: str, template: str | None = None) -> str:
    """Create a database and return its address; `template` is copied if given, and must have no connections."""
    command = sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name))
    if template is not None:
        command += sql.SQL(" TEMPLATE {} STRATEGY file_copy").format(sql.Identifier(template))
    _execute(postgres, command)
    return postgres.url(name)


def drop_database(postgres: EmbeddedPostgres, name: str) -> None:
    """Drop a database, and close all connections to it."""
    _execute(postgres, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def new_database(postgres: EmbeddedPostgres) -> Iterator[Callable[[str | None], str]]:
    """Create databases that last as long as the test: `new_database(None)` is empty, `new_database("name")` a copy."""
    made: list[str] = []

    def create(template: str | None = None) -> str:
        made.append(f"test_{uuid.uuid4().hex}")
        return create_database(postgres, made[-1], template)

    yield create
    for name in made:
        drop_database(postgres, name)


def _execute(postgres: EmbeddedPostgres, command: sql.Composed) -> None:
    _administrator(postgres.url("postgres")).execute(command)


@cache
def _administrator(url: str) -> psycopg.Connection[Any]:
    """The connection that creates and drops databases, kept for the whole run: to open one costs as much as a copy."""
    return psycopg.connect(libpq_url(url), autocommit=True)


def libpq_url(url: str) -> str:
    """Convert SQLAlchemy's address to the format of psycopg."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)
