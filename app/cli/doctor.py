"""attune doctor: check whether this installation can run studies, and say what to do about each problem."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial

import typer
from sqlalchemy import Connection, Engine, text

from app import __version__
from app.base.database.address import DatabaseAddressError, DatabaseUnreachableError, parse_address, reach
from app.base.database.engine import database_url, make_engine, transactions
from app.base.database.replica import ReplicaReads
from app.base.health_checks import (
    MIN_FREE_BYTES,
    Finding,
    check_backups,
    check_clock,
    check_encryption,
    check_leases,
    check_reconciliation,
    check_replica,
    check_workers,
    free_bytes,
)
from app.base.postgres import EmbeddedError, default_data_dir
from app.base.rendering.assets import htmx_file
from app.cli.model_options import listed_servers
from app.schema import differences
from app.settings import folder, settings

MARKS = {"ok": "OK     ", "warning": "WARNING", "failed": "FAILED "}
FAILED, WARNED = 1, 3


def doctor() -> None:
    """Check this installation and its studies, and say what to do. Exit code 1 for a problem, 3 for warnings only."""
    settings()  # one that is not valid is named once, as by every command
    listed_servers()
    states = [_show(words, check) for words, check in CHECKS.items()]
    with _engine_or_finding() as found:
        if isinstance(found, Finding):
            states.append(_show("database", lambda: found))
        else:
            states += [_show(words, partial(check, found)) for words, check in DATABASE_CHECKS.items()]
            is_current = _show("migrations", partial(_migrations, found))
            states += [is_current, *_show_studies(found, has_tables=is_current == "ok")]
    raise typer.Exit(FAILED if "failed" in states else WARNED if "warning" in states else 0)


def _show_studies(engine: Engine, *, has_tables: bool) -> list[str]:
    """Check the studies; on outdated tables, their statements would fail."""
    if not has_tables:
        return []
    return [_show(words, partial(check, engine)) for words, check in STUDY_CHECKS.items()]


def _show(words: str, check: Callable[[], Finding]) -> str:
    """Run a check and print what it found; an exception is a finding too."""
    try:
        finding = check()
    except Exception as error:  # noqa: BLE001 - any error is a result of the check
        found = str(error).splitlines()[0] if str(error) else type(error).__name__
        finding = Finding("failed", found, "See the message, and the log of the database.")
    typer.echo(f"{MARKS[finding.state]} {words}: {finding.found}")
    if finding.what_to_do:
        typer.echo(f"        {finding.what_to_do}")
    return finding.state


@contextmanager
def _engine_or_finding() -> Iterator[Engine | Finding]:
    """Yield an engine on the database, or why it cannot be reached."""
    now = settings()
    try:
        engine = make_engine(database_url(now.database_url, now.data_dir), n_connections=1)
    except (DatabaseAddressError, EmbeddedError) as error:
        yield Finding("failed", str(error), "Correct the setting, or follow the message.")
        return
    except OSError as error:  # such as a full disk, on which the embedded database cannot start
        found = f"the embedded database cannot be started: {error.strerror or error}"
        yield Finding("failed", found, "Correct what it names: a full disk needs space.")
        return
    try:
        reach(engine)
    except DatabaseUnreachableError as error:
        yield Finding("failed", str(error), "Check DATABASE_URL, and that the server is running.")
    else:
        yield engine
    finally:
        engine.dispose()


def _programs() -> Finding:
    return Finding("ok", f"Attune {__version__}, Python {sys.version.split()[0]}")


def _files() -> Finding:
    for name in ("templates", "static", "migrations"):
        if not any(folder(name).iterdir()):
            return Finding("failed", f"{folder(name)} is empty", "Install Attune again.")
    return Finding("ok", f"complete in {folder('templates').parent}; {htmx_file().name} has the expected checksum")


def _disk() -> Finding:
    place = settings().data_dir or default_data_dir()
    free = free_bytes(place)
    if free < MIN_FREE_BYTES:
        return Finding("failed", f"only {free / 1e9:.1f} GB free in {place}", "Free some space, or use another disk.")
    return Finding("ok", f"{free / 1e9:.0f} GB free in {place}")


def _backups() -> Finding:
    now = settings()
    return check_backups(now.backups_folder(default_data_dir), datetime.now(UTC), is_embedded=now.database_url is None)


def _server(engine: Engine) -> Finding:
    with engine.begin() as db:
        server = db.execute(text("SHOW server_version")).scalar_one()
        is_durable = db.execute(text("SHOW fsync")).scalar_one() == "on"
    if not is_durable:
        problem = f"PostgreSQL {server} runs with fsync off, so a power failure could lose answers"
        return Finding("failed", problem, "Set fsync = on in postgresql.conf.")
    return Finding("ok", f"PostgreSQL {server}, {'set by DATABASE_URL' if settings().database_url else 'embedded'}")


def _migrations(engine: Engine) -> Finding:
    if differences(engine):
        return Finding(
            "failed", "the tables need an upgrade, so the studies were not checked", "Run: attune db upgrade"
        )
    return Finding("ok", "the tables are those of this version")


def _replica(engine: Engine) -> Finding:
    now = settings()
    if not now.database_replica_url:
        return Finding("ok", "none is used")
    replica = make_engine(parse_address(now.database_replica_url), n_connections=1)
    reads = ReplicaReads(transactions(engine), transactions(replica), max_lag_s=now.max_replica_lag_s)
    try:
        return check_replica(reads.lag_s(), now.max_replica_lag_s)
    finally:
        replica.dispose()


def _with_db(check: Callable[[Connection], Finding]) -> Callable[[Engine], Finding]:
    def run(engine: Engine) -> Finding:
        with engine.begin() as db:
            return check(db)

    return run


CHECKS = {"programs": _programs, "files": _files, "disk": _disk, "backups": _backups}
DATABASE_CHECKS = {
    "database": _server,
    "encryption": _with_db(check_encryption),
    "replica": _replica,
    "connections": _with_db(lambda db: check_workers(db, settings().n_threads)),
    "clock": _with_db(check_clock),
}
STUDY_CHECKS = {
    "leases": _with_db(check_leases),
    "reconciliation": _with_db(check_reconciliation),
}
