"""Whether this installation can take answers, and the checks of `attune doctor`: what was found and what to do."""

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection

from app.base.backups.backups import EVERY, list_backups, made_until
from app.base.database.address import get_encryption
from app.base.database.engine import connections_needed, count_connections, is_alive, max_workers
from app.base.database.migrate import has_all_migrations
from app.base.database.operations import count_lost_and_double, count_overdue_leases, get_time, get_trials_shown

# Whether this installation can take answers: database, migrations, disk.


MIN_FREE_BYTES = 1 << 30


def problems_of(db: Connection, migrations: Path, data_dir: Path | None) -> dict[str, str]:
    """What keeps the server from taking answers, by the name of the check; empty if nothing does.

    Args:
        db: the database.
        migrations: the folder with env.py and versions/.
        data_dir: the folder of the embedded database; None if the database is elsewhere.
    """
    found = {}
    if not is_alive(db):
        found["database"] = "The database does not respond."
    elif not has_all_migrations(db, migrations):
        found["migrations"] = "The tables need an upgrade. Run: attune db upgrade"
    if data_dir is not None and free_bytes(data_dir) < MIN_FREE_BYTES:
        found["disk"] = f"Less than {MIN_FREE_BYTES >> 30} GiB is free for the database."
    return found


def free_bytes(place: Path) -> int:
    """Free space on the disk of a folder, which need not exist yet."""
    existing = next(path for path in (place, *place.absolute().parents) if path.exists())
    return shutil.disk_usage(existing).free


State = Literal["ok", "warning", "failed"]
# Backups are made daily; one more day is allowed for the next one.
OLD = 2 * EVERY
MAX_CLOCK_DIFFERENCE = timedelta(seconds=30)
# Leases are released when another rater arrives, so a study without visitors keeps its last ones.
OVERDUE_HOURS = 24


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check. `what_to_do` is empty if all is well."""

    state: State
    found: str
    what_to_do: str = ""


def check_leases(db: Connection) -> Finding:
    """Rating sessions that hold trials long after their lease has ended."""
    n = count_overdue_leases(db, OVERDUE_HOURS)
    if not n:
        return Finding("ok", "no trial is held by a rater who left more than a day ago")
    held = f"{n:,} trials are held by raters who left more than {OVERDUE_HOURS} hours ago"
    return Finding(
        "warning",
        held,
        "The next rater who arrives releases them. To end the study without them: attune study close.",
    )


def check_reconciliation(db: Connection) -> Finding:
    """Every trial shown is answered, skipped, returned or open, and every answered one has its answers once."""
    shown, (n_lost, n_double) = get_trials_shown(db), count_lost_and_double(db)
    if shown.n_unaccounted or n_lost or n_double:
        problem = f"{shown.n_unaccounted} trials not accounted for, {n_lost} lost, {n_double} double"
        advice = "Make a backup (attune backup), do not close the studies, and report it with the log of the server."
        return Finding("failed", problem, advice)
    states = f"{shown.n_answered:,} answered, {shown.n_skipped:,} skipped, {shown.n_returned:,} returned"
    return Finding("ok", f"{shown.n_served:,} trials shown in open studies: {states}, {shown.n_open:,} open")


def check_workers(db: Connection, n_threads: int) -> Finding:
    """How many processes `attune serve` can start."""
    n, fit = count_connections(db), max_workers(count_connections(db), n_threads)
    if fit:
        return Finding("ok", f"{n} connections allowed, enough for up to {fit} processes with {n_threads} threads")
    needed = connections_needed(1, n_threads)
    return Finding(
        "failed",
        f"{n} connections allowed, and one process with {n_threads} threads needs {needed}",
        "Set ATTUNE_N_THREADS to a lower value, or raise max_connections in PostgreSQL.",
    )


def check_encryption(db: Connection) -> Finding:
    """Whether answers and passwords cross a network in plain text, or to a server that could be another one."""
    found = get_encryption(db)
    if found.is_on_this_machine:
        return Finding("ok", "the database is on this machine")
    if found.tls_version is None:
        return Finding(
            "warning",
            f"the connection to {found.host} is not encrypted",
            "Add ?sslmode=verify-full&sslrootcert=FILE to DATABASE_URL, unless only you control the network.",
        )
    encrypted = f"the connection to {found.host} is encrypted with {found.tls_version}"
    if not found.is_checked:
        return Finding(
            "warning",
            f"{encrypted}, but the certificate of the server is not checked",
            "Add ?sslmode=verify-full&sslrootcert=FILE to DATABASE_URL. FILE is the certificate of your provider.",
        )
    return Finding("ok", f"{encrypted}, and the certificate of the server is checked")


def check_clock(db: Connection) -> Finding:
    """The clock of this machine against that of the database, whose times are stored with the answers."""
    difference = abs(datetime.now(UTC) - get_time(db))
    seconds = difference.total_seconds()
    if difference > MAX_CLOCK_DIFFERENCE:
        return Finding(
            "failed",
            f"this machine and the database differ by {seconds:,.0f} seconds",
            "Set both clocks by NTP (timedatectl set-ntp true).",
        )
    return Finding("ok", f"this machine and the database agree within {max(1.0, seconds):.0f} seconds")


def check_replica(lag_s: float | None, max_lag_s: float) -> Finding:
    """How far the replica is behind; None if it does not respond or is not a replica."""
    if lag_s is None:
        problem = "the replica does not respond, or is not a replica: results are read from the primary"
        return Finding("warning", problem, "Check DATABASE_REPLICA_URL, and that this server follows the primary.")
    behind = f"the replica is {lag_s:.0f} seconds behind"
    if lag_s > max_lag_s:
        advice = "See pg_stat_replication on the primary, and the network and disk of the replica."
        return Finding("warning", f"{behind}, and {max_lag_s:g} are allowed: results are read from the primary", advice)
    return Finding("ok", f"{behind}; up to {max_lag_s:g} are allowed")


def check_backups(folder: Path, now: datetime, *, is_embedded: bool) -> Finding:
    """The age of the last backup that was checked."""
    backups = made_until(now, list_backups(folder))
    good = next((backup for backup in backups if backup.is_verified), None)
    if good and now - good.made_at <= OLD:
        hours = (now - good.made_at) / timedelta(hours=1)
        return Finding("ok", f"the last one is {hours:.0f} hours old and was checked, {len(backups)} in {folder}")
    advice = "Make one: attune backup. " + (
        "attune serve makes one every day."
        if is_embedded
        else "For a database elsewhere, run it daily (cron), or use the backups of its provider."
    )
    if good:
        return Finding("warning", f"the last one that was checked is {(now - good.made_at).days} days old", advice)
    what = "none of them was checked successfully" if backups else "there is none"
    return Finding("warning", f"{what} in {folder}", advice)
