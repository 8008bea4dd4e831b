"""attune worker: do the background jobs of the web processes."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from app.base.backups.backups import is_due, make_backup
from app.base.database.address import parse_address
from app.base.database.engine import Begin, make_engine, transactions
from app.base.database.replica import ReplicaReads
from app.base.jobs.children import Children
from app.base.jobs.queue import Kind
from app.base.jobs.worker import Work, Worker
from app.base.postgres import default_data_dir
from app.cli.listen import stop_cleanly
from app.cli.model_options import listed_servers
from app.cli.output import say
from app.cli.store import store
from app.llm.runs.queued_runs import QueuedRuns
from app.llm.runs.runs import RUNNING
from app.rating.withdrawal.deletions import DeletionList, delete_outdated
from app.results.making.bounded_jobs import Place, ReportBounds
from app.results.making.made_files import forget_made
from app.results.making.making import FILES, LONG_PARTS, PARTS
from app.results.making.making_job import MakingJobs
from app.results.reports.report_job import LARGE, QUICK, ReportJobs
from app.settings import Settings, settings
from app.studies.creation.sheet_drafts import forget_old_drafts
from app.studies.walk_throughs import forget_old_walk_throughs
from app.webhooks.addresses import Networks, parse_networks
from app.webhooks.outbox import SENDING
from app.webhooks.sender import send_due

log = logging.getLogger("attune.store")
# Daily tasks know whether they are due. After a failure, they are tried again in an hour.
LOOK, RETRY_S = "*/5 * * * *", 3600
BACKUP, RETENTION = Kind("backup", "short"), Kind("retention", "short")
# A process may have been killed by chance.
REPORT_RETRY_S = 5


def worker() -> None:
    """Do background jobs, such as webhooks and runs of models; Ctrl-C stops it. `attune serve` does the same."""
    stop_cleanly()
    with store() as engine:
        url = engine.url.render_as_string(hide_password=False)
    say("The worker is running (Ctrl-C stops it).")
    jobs = make_worker(url)
    try:
        jobs.run()
    except KeyboardInterrupt:
        pass
    finally:
        jobs.stop()
        say("Stopped.")


def make_worker(url: str, *, is_demo: bool = False) -> Worker:
    """The worker of this installation for the database at this address; a demo has no daily tasks."""
    now = settings()
    engine = make_engine(url, n_connections=2, statement_s=30)
    begin, folder = transactions(engine), now.backups_folder(default_data_dir)
    daily = [Work(RETENTION, partial(_delete_outdated, begin, DeletionList(folder)), RETRY_S, LOOK)]
    if now.database_url is None and now.daily_backups:  # a server elsewhere has its own
        daily.append(Work(BACKUP, partial(_back_up, url, folder), RETRY_S, LOOK))
    networks = parse_networks(now.webhook_networks)
    bounds, children = ReportBounds(now.report_seconds, now.report_memory_mb), Children()
    place = _place(begin, url, now)
    reports = ReportJobs(begin, place, bounds, children)
    making = MakingJobs(begin, place, bounds, children)
    works = [Work(SENDING, partial(_send, begin, networks)), *([] if is_demo else daily)]
    works += [
        Work(kind, partial(reports.work, kind), REPORT_RETRY_S, give_up=partial(reports.give_up, kind))
        for kind in (QUICK, LARGE)
    ]
    works += [
        Work(kind, partial(making.work, kind), REPORT_RETRY_S, give_up=partial(making.give_up, kind))
        for kind in (FILES, PARTS, LONG_PARTS)
    ]
    servers = listed_servers()
    runs = QueuedRuns(url, servers)
    if servers:
        works.append(Work(RUNNING, partial(runs.work, begin), wait_s=2))

    def stop() -> None:
        runs.stop()
        children.stop()

    return Worker(url, works, stop_children=stop)


def _place(begin: Begin, url: str, now: Settings) -> Callable[[], Place]:
    """Where jobs read: the replica, if the settings name one and while it is close enough."""
    if not now.database_replica_url:
        return lambda: Place(url, url)
    address, lag_s = parse_address(now.database_replica_url), now.max_replica_lag_s
    engine = make_engine(address, n_connections=1, statement_s=30)
    replica = ReplicaReads(begin, transactions(engine), max_lag_s=lag_s)
    return lambda: Place(replica.address(address, url), url, timedelta(seconds=lag_s))


def _send(begin: Begin, networks: Networks, study: int, webhook: int) -> None:
    send_due(begin, study, webhook, networks)


def _delete_outdated(begin: Begin, deletions: DeletionList) -> None:
    """Announce and then delete the studies whose retention date has passed, if their protocol says so."""
    with begin() as db:
        forget_old_drafts(db)
        forget_old_walk_throughs(db)
        forget_made(db)
    announced, deleted = delete_outdated(begin, deletions, datetime.now(UTC))
    for slug in announced:
        log.warning("the study %s will be deleted in a day, as its retention date asks", slug)
    for slug in deleted:
        log.warning("the study %s was deleted, as its retention date asks", slug)


def _back_up(url: str, folder: Path) -> None:
    """Back the database up if the last backup is a day old."""
    if is_due(folder, datetime.now(UTC)):
        make_backup(url, folder)
