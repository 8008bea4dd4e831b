"""attune doctor: check whether this installation can run studies, and report any problems."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer
from sqlalchemy import text

from app import __version__
from app.actions.readiness import MIN_FREE_BYTES, free_bytes
from app.postgres import default_data_dir
from app.settings import folder, settings
from app.storage.database.address import reach
from app.storage.database.engine import database_url, make_engine
from app.storage.database.migrate import differences
from app.web.assets import htmx_file

if TYPE_CHECKING:
    from collections.abc import Callable


def doctor() -> None:
    """Check this installation: programs, files, database and disk space. Exit code 1 if there is a problem."""
    results = [_result(words, check) for words, check in CHECKS.items()]
    raise typer.Exit(0 if all(results) else 1)


def _result(words: str, check: Callable[[], str]) -> bool:
    """Run a check and print one line; a check returns what it found or raises an exception."""
    try:
        found, is_well = check(), True
    except Exception as error:  # noqa: BLE001 - any error is a result of the check
        found, is_well = str(error).splitlines()[0] if str(error) else type(error).__name__, False
    typer.echo(f"{'OK    ' if is_well else 'FAILED'} {words}: {found}")
    return is_well


def _programs() -> str:
    return f"Attune {__version__}, Python {sys.version.split()[0]}"


def _files() -> str:
    for name in ("templates", "static", "migrations"):
        if not any(folder(name).iterdir()):
            raise FileNotFoundError(f"{folder(name)} is empty")
    return f"complete in {folder('templates').parent}; {htmx_file().name} has the expected checksum"


def _database() -> str:
    engine = make_engine(database_url(settings().database_url, settings().data_dir), n_connections=1)
    try:
        reach(engine)
        with engine.begin() as db:
            server = db.execute(text("SHOW server_version")).scalar_one()
            is_durable = db.execute(text("SHOW fsync")).scalar_one() == "on"
        missing = differences(engine)
    finally:
        engine.dispose()
    if missing:
        raise RuntimeError(f"PostgreSQL {server} is running, but its tables need an upgrade. Run: attune db upgrade")
    if not is_durable:
        raise RuntimeError(
            f"PostgreSQL {server} runs with fsync off, so a power failure could lose answers. Set fsync = on"
        )
    kind = "set by DATABASE_URL" if settings().database_url else "embedded"
    return f"PostgreSQL {server}, {kind}, up to date"


def _disk() -> str:
    place = settings().data_dir or default_data_dir()
    free = free_bytes(place)
    if free < MIN_FREE_BYTES:
        raise OSError(f"only {free / 1e9:.1f} GB free in {place}")
    return f"{free / 1e9:.0f} GB free in {place}"


CHECKS = {"programs": _programs, "files": _files, "database": _database, "disk": _disk}
