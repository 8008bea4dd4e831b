"""Ask the worker for what takes long to make, and wait for it: the same for downloads and for parts of pages."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

from sqlalchemy import Connection

from app.base.database.engine import Begin
from app.base.jobs.queue import Kind, defer
from app.base.processes.side_process import SideProcessBusyError, SideProcessError
from app.results.making.bounded_jobs import progress
from app.results.making.made_files import REFUSED, STOPPED, Made, copy_content, database_time, get_made
from app.results.making.task import RefusedError
from app.results.reports.outcomes import Computing
from app.studies.studies import StudyRow

# Nobody waits for a file behind the report of a large study, nor for a part of a page behind a file, nor for a chart
# behind a simulation.
FILES, PARTS, LONG_PARTS = Kind("file", "files"), Kind("page-part", "parts"), Kind("long-page-part", "long-parts")
# How long a page waits for a part of it.
PATIENCE_S = 120
# How often a request that waits looks whether the job is done: as often as that is a tenth of the time it has waited.
LOOK_S, MAX_LOOK_S, PACE = 0.02, 0.5, 10
# How often it asks again if a job left nothing, because answers were deleted meanwhile.
MAX_ASKED = 3
A_WHILE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is wanted of a study.

    Attributes:
        maker: what makes it, see `making_job.MAKERS`.
        part: its name in the study, which says everything that it depends on besides the study's data; in addresses.
        given: what the maker needs besides, as JSON.
        name: the name of the file; empty for what only pages read.
        kind: the kind of job.
        is_lasting: whether it depends on nothing else, so that an earlier one is as good.
        kept: for how long it is kept.
        n_deleted: of how many raters the answers had been deleted when `given` was read, if any of it is theirs.
    """

    maker: str
    part: str
    given: dict[str, Any] = field(default_factory=dict)
    name: str = ""
    kind: Kind = FILES
    is_lasting: bool = False
    kept: timedelta = A_WHILE
    n_deleted: int | None = None


@dataclass(frozen=True, slots=True)
class InTheMaking:
    """It is not there yet. `since`: when it was asked for."""

    part: str
    since: datetime
    computing: Computing


Ask = Callable[[Connection, int, Wanted], None]


def ask_worker(db: Connection, study_id: int, wanted: Wanted) -> None:
    """Add the job."""
    defer(db, wanted.kind, f"{study_id} {wanted.part}", **job_args(study_id, wanted))


def job_args(study_id: int, wanted: Wanted) -> dict[str, Any]:
    """What the job is given; see `making_job.Job`."""
    return {
        "study": study_id,
        "maker": wanted.maker,
        "part": wanted.part,
        "given": wanted.given,
        "name": wanted.name,
        "kept_s": wanted.kept.total_seconds(),
        "n_deleted": wanted.n_deleted,
    }


class Making:
    """What was made, and jobs for what was not."""

    def __init__(self, begin: Begin, *, ask: Ask = ask_worker) -> None:
        """`begin` opens transactions on the primary; `ask` adds the job."""
        self._begin, self._ask = begin, ask

    def get(
        self, study: StudyRow, wanted: Wanted, *, since: datetime | None = None, patience_s: float
    ) -> Made | InTheMaking:
        """What was made since then, or since now; waits for it so long.

        Raises:
            SideProcessError: the attempts at it ended without any outcome.
        """
        start, n_asked, is_first = time.monotonic(), 0, since is None and not wanted.is_lasting
        with self._begin() as db:
            since = since or database_time(db)
        while True:
            with self._begin() as db:
                computing = get_making(db, study.id, wanted.kind, wanted.part)
                made = get_made(db, study.id, wanted.part, since, is_lasting=wanted.is_lasting)
                if made:
                    return made
                if computing is None and n_asked == MAX_ASKED:
                    raise SideProcessError
                if computing is None or is_first:  # a job that runs may have read the answers before
                    self._ask(db, study.id, wanted)
                    n_asked, is_first = n_asked + 1, False
                    continue
            waited_s = time.monotonic() - start
            if waited_s >= patience_s:
                return InTheMaking(wanted.part, since, computing)
            time.sleep(min(max(LOOK_S, waited_s / PACE), MAX_LOOK_S))

    def content(self, study: StudyRow, wanted: Wanted, *, patience_s: float = PATIENCE_S) -> bytes:
        """The content of what only pages read; waits for it so long.

        Raises:
            SideProcessError: it was not made, for the reason in the message, or not in time.
            RefusedError: it cannot be made of this study.
        """
        made = self.get(study, wanted, patience_s=patience_s)
        if isinstance(made, InTheMaking):
            raise SideProcessBusyError
        return self.content_of(made)

    def content_of(self, made: Made) -> bytes:
        """The content of what was made; see `content`."""
        if made.state == STOPPED:
            raise SideProcessError(made.words)
        if made.state == REFUSED:
            raise RefusedError(made.words)
        file = BytesIO()
        with self._begin() as db:
            copy_content(db, made, file)
        return file.getvalue()


def get_making(db: Connection, study_id: int, kind: Kind, part: str) -> Computing | None:
    """How far the job is; None if there is none."""
    return progress(db, kind, f"{study_id} {part}")
