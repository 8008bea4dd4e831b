"""Tasks that the serving process looks after: backups of the embedded database, retention dates, and counts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from app.base.backups.backup import BackupError
from app.base.backups.backups import is_due, make_backup
from app.base.database.engine import make_engine, transactions
from app.base.database.outages import OUTAGES
from app.rating.withdrawal.deletions import delete_outdated
from app.results.reports.background_counts import count_large_studies
from app.results.reports.report_process import REPORT_PROCESS, ReportWork

if TYPE_CHECKING:
    from app.rating.withdrawal.deletions import DeletionList

Task = Callable[[], None]


log = logging.getLogger("attune.store")
# A server that has just started is busy with other things; after a failure, all tasks are tried again in an hour.
FIRST_S, LOOK_S, RETRY_S = 60.0, 300.0, 3600.0
FAILURES: tuple[type[Exception], ...] = (BackupError, OSError, *OUTAGES)


class DailyTasks:
    """A thread that runs tasks every few minutes, until `stop` is called; each task knows whether it is due."""

    def __init__(self, tasks: Sequence[Task], *, first_s: float = FIRST_S) -> None:
        """Run the tasks for the first time after `first_s` seconds."""
        self._tasks, self._first_s = tasks, first_s
        self._stopped = Event()
        Thread(target=self._run, name="attune-daily", daemon=True).start()

    def stop(self) -> None:
        """Run no further tasks."""
        self._stopped.set()

    def _run(self) -> None:
        wait_s = self._first_s
        while not self._stopped.wait(wait_s):
            results = [run(task) for task in self._tasks]
            wait_s = LOOK_S if all(results) else RETRY_S


def run(task: Task) -> bool:
    """Run a task; False if it failed, which the log says."""
    try:
        task()
    except FAILURES as error:
        log.error("a daily task failed: %s", error)  # noqa: TRY400 - the message says all
        return False
    except Exception:  # the thread would end, and with it the backups
        log.exception("a daily task failed unexpectedly")
        return False
    return True


def backup_task(url: str, folder: Path) -> Task:
    """Back the database up if the last backup is a day old."""

    def back_up() -> None:
        if is_due(folder, datetime.now(UTC)):
            make_backup(url, folder)

    return back_up


def retention_task(url: str, deletions: DeletionList) -> Task:
    """Announce and then delete the studies whose retention date has passed, if their protocol says so."""

    def delete() -> None:
        engine = make_engine(url, n_connections=1)
        try:
            announced, deleted = delete_outdated(transactions(engine), deletions, datetime.now(UTC))
            for slug in announced:
                log.warning("the study %s will be deleted in a day, as its retention date asks", slug)
            for slug in deleted:
                log.warning("the study %s was deleted, as its retention date asks", slug)
        finally:
            engine.dispose()

    return delete


def counting_task(url: str) -> Task:
    """Count large studies that have grown, in the process for quick reports, for the first page of their results."""

    def count() -> None:
        engine = make_engine(url, n_connections=1)
        try:
            for slug in count_large_studies(transactions(engine), ReportWork(REPORT_PROCESS, lambda: url, url)):
                log.info("the answers of the study %s were counted", slug)
        finally:
            engine.dispose()

    return count
