"""The jobs that make files and parts of pages, each in a process of its own, within limits of time and memory."""

import tempfile
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from app.base.database.engine import Begin, on_database
from app.base.jobs.queue import Kind
from app.base.processes.side_process import SideProcessError, tell_parent
from app.rating.withdrawal.withdraw import count_deleted_raters
from app.results.making.bounded_jobs import BoundedJobs, Place, stops_kept
from app.results.making.made_files import (
    REFUSED,
    STOPPED,
    Attempt,
    database_time,
    record_made,
    record_not_made,
)
from app.results.making.task import RefusedError, Task
from app.results.reports.outcomes import Tell
from app.studies.studies import get_study_by_id

# The function that makes each kind of file; it is called with the task and `Wanted.given`. Functions are named, not
# imported, so that a process loads only what it needs: all libraries take three times the memory of those for charts.
MAKERS = {
    "download": "app.results.downloads.download_files:write_one",
    "spreadsheet": "app.results.downloads.download_files:write_ratings_for_spreadsheets",
    "archive": "app.results.downloads.whole_study:write_study_zip",
    "chart": "app.results.charts.draw:draw_chart",
    "report": "app.results.documents.report_download:write_report",
    "ethics": "app.results.documents.ethics_download:write_ethics",
    "registration": "app.results.registration.preregister:write_archive",
    "preregistration": "app.results.registration.preregister:write_registration",
    "forecast": "app.results.planning.forecast:write_forecast",
    "residual-sizes": "app.results.planning.residual_sizes:write_sizes",
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


class MakingJobs(BoundedJobs):
    """Does the jobs."""

    def work(self, kind: Kind, **given: Any) -> None:  # noqa: ANN401 - JSON
        """Make it and keep it, or keep why there is none.

        Raises:
            SideProcessError: the process ended, which may have been by chance.
        """
        job = Job(**given)
        with stops_kept(f"making {job.part} of the study {job.study}", partial(self._keep_stopped, job)):
            self._ask(kind, f"{job.study} {job.part}", make_there, self._place(), job)

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
