"""What jobs make, made in the test's own process: on its own transaction, which no other process could read."""

import tempfile
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from app.base.database.engine import Begin
from app.base.jobs.children import Children
from app.results.downloads.whole_study import write_study_zip
from app.results.making.bounded_jobs import Place, ReportBounds
from app.results.making.making import Making, Wanted, job_args
from app.results.making.making_job import MakingJobs, make
from app.results.making.task import Task
from app.studies.studies import StudyRow


class ChildrenHere(Children):
    """No processes: `make` is called."""

    def __init__(self, begin: Begin) -> None:
        super().__init__()
        self._begin = begin

    def ask(self, lane: str, work: Any, **_: object) -> None:  # noqa: ANN401, ARG002 - as the class
        make(self._begin, self._begin, work[1][1])


def jobs_here(begin: Begin) -> MakingJobs:
    """What does the jobs."""
    return MakingJobs(begin, lambda: Place("", ""), ReportBounds(), ChildrenHere(begin))


def making_here(begin: Begin) -> Making:
    """What is wanted is made where it is asked for."""
    jobs = jobs_here(begin)

    def ask(_: Connection, study_id: int, wanted: Wanted) -> None:
        jobs.work(wanted.kind, **job_args(study_id, wanted))

    return Making(begin, ask=ask)


def study_zip(begin: Begin, study: StudyRow) -> Path:
    """The whole study in a temporary file."""
    with tempfile.NamedTemporaryFile(prefix="attune-", suffix=".zip", delete=False) as file:
        path = Path(file.name)
    write_study_zip(Task(begin, begin, study, path, lambda _: None))
    return path
