"""The jobs that make files and parts of pages, each in a process of its own, within limits of time and memory."""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from app.base.database.engine import Begin, on_database
from app.base.database.outages import OUTAGES
from app.base.jobs.children import Children
from app.base.jobs.queue import Kind, say
from app.base.processes.side_process import (
    OutOfMemoryError,
    SideProcessError,
    SideProcessTimeoutError,
    tell_parent,
)
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.results.making.made_files import (
    REFUSED,
    STOPPED,
    Attempt,
    database_time,
    record_made,
    record_not_made,
)
from app.results.making.task import RefusedError, Task
from app.results.reports.outcomes import Computing, Tell
from app.results.reports.report_job import TOLD_S, UNEXPECTED, Place, ReportBounds
from app.studies.studies import get_study_by_id

log = logging.getLogger("attune.making")
# What makes each kind: called with the task, and with `Wanted.given`. Named, so that a process loads the libraries of
# what it makes: those of all take twice the time and three times the memory of those of charts.
MAKERS = {
    "download": "app.results.downloads.download_files:write_one",
    "spreadsheet": "app.results.downloads.download_files:write_ratings_for_spreadsheets",
    "archive": "app.results.downloads.download_files:write_study_zip",
    "chart": "app.results.charts.draw:draw_chart",
    "report": "app.results.documents.report_download:write_report",
    "registration": "app.results.registration.preregister:write_archive",
    "preregistration": "app.results.registration.preregister:write_registration",
    "forecast": "app.results.planning.forecast:write_forecast",
    "rehearsal": "app.results.rehearsal.rehearsal:write_rehearsal",
    "looks": "app.results.reports.looks:write_looks",
}


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be made; see `making.Wanted`."""

    study: int
    maker: str
    part: str
    given: dict[str, Any]
    name: str
    kept_s: float
    n_deleted: int | None

    def attempt(self, begin: Begin) -> Attempt:
        """An attempt that begins now."""
        with begin() as db:
            n_deleted = count_deleted_raters(db, self.study) if self.n_deleted is None else self.n_deleted
            begun_at = database_time(db)
        return Attempt(self.study, self.part, begun_at, n_deleted, timedelta(seconds=self.kept_s), self.name)


class MakingJobs:
    """Does the jobs, each in a process of its own."""

    def __init__(self, begin: Begin, place: Callable[[], Place], bounds: ReportBounds, children: Children) -> None:
        """`begin` opens transactions on the primary; `bounds` is what one job may take."""
        self._begin, self._place, self._bounds, self._children = begin, place, bounds, children

    def work(self, kind: Kind, **given: Any) -> None:  # noqa: ANN401 - JSON
        """Make it and keep it, or keep why there is none.

        Raises:
            SideProcessError: the process ended, which may have been by chance.
        """
        job = Job(**given)
        told_at = 0.0

        def tell(computing: Computing) -> None:
            nonlocal told_at
            if time.monotonic() - told_at > TOLD_S:
                told_at = time.monotonic()
                with suppress(*OUTAGES), self._begin() as db:
                    say(db, kind, f"{job.study} {job.part}", [computing.step, computing.share])

        bounds = self._bounds
        try:
            self._children.ask(
                kind.lane,
                (make_there, (self._place(), job), bounds.seconds, bounds.memory_mb),
                timeout_s=bounds.hanging_s,
                told=tell,
            )
        except (SideProcessTimeoutError, OutOfMemoryError) as error:
            self._keep_stopped(job, str(error))
        except SideProcessError:
            raise
        except OUTAGES:
            raise
        except Exception:
            log.exception("making %s of the study %s failed", job.part, job.study)
            self._keep_stopped(job, UNEXPECTED)

    def give_up(self, _: Kind, **given: Any) -> None:  # noqa: ANN401 - JSON
        """Keep that the process ended at each attempt."""
        self._keep_stopped(Job(**given), SideProcessError.words)

    def _keep_stopped(self, job: Job, words: str) -> None:
        attempt = job.attempt(self._begin)
        with self._begin() as db:
            record_not_made(db, attempt, STOPPED, words)


def make_there(place: Place, job: Job) -> None:
    """Run `make` in the process: it reads the database itself, because the worker would be busy."""
    with on_database(place.primary) as begin, on_database(place.reading) as reading:
        make(begin, reading, job, tell=tell_parent)


def make(begin: Begin, reading: Begin, job: Job, *, tell: Tell = lambda _: None) -> None:
    """Make it and keep it; nothing if the study is gone."""
    with begin() as db:
        study = get_study_by_id(db, job.study)
    if study is None:
        return
    attempt = job.attempt(reading)
    with tempfile.NamedTemporaryFile(prefix="attune-") as file:
        path = Path(file.name)
        try:
            resolve_name(MAKERS[job.maker])(Task(begin, reading, study, path, tell), **job.given)
        except RefusedError as error:
            with begin() as db:
                record_not_made(db, attempt, REFUSED, str(error))
        else:
            with begin() as db:
                record_made(db, attempt, path)
