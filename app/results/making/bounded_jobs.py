"""What jobs of results share: a process within limits of time and memory, how far it is, and why it left nothing."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection

from app.base.database.engine import Begin
from app.base.database.outages import OUTAGES
from app.base.jobs.children import Children
from app.base.jobs.queue import Kind, get_job, say
from app.base.processes.side_process import OutOfMemoryError, SideProcessError, SideProcessTimeoutError
from app.results.reports.outcomes import WAITING, Computing

log = logging.getLogger("attune.results")
# How often the progress is stored.
TOLD_S = 0.3
UNEXPECTED = "The computation failed unexpectedly. The log of the server says why."


@dataclass(frozen=True, slots=True)
class ReportBounds:
    """What one report may take, and what else jobs make of a study: processor time in seconds and memory in MB."""

    seconds: int = 1_800
    memory_mb: int = 4_000

    @property
    def in_words(self) -> str:
        """What a report may take altogether."""
        return f"{self.seconds} s, {self.memory_mb} MB"

    @property
    def hanging_s(self) -> float:
        """Seconds on the clock, on a busy machine, after which a process that was not stopped in time is ended."""
        return 4 * self.seconds + 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where results are read from, where they are kept, and how far the first may be behind the second."""

    reading: str
    primary: str
    max_lag: timedelta = timedelta()


class BoundedJobs:
    """Does jobs, each in a process of its own."""

    def __init__(self, begin: Begin, place: Callable[[], Place], bounds: ReportBounds, children: Children) -> None:
        """`begin` opens transactions on the primary; `bounds` is what one job may take."""
        self._begin, self._place, self._bounds, self._children = begin, place, bounds, children

    def _ask(self, kind: Kind, of: str, work: Callable[..., None], *given: object, seconds: int | None = None) -> None:
        """Call the function in a process, within so many seconds of processor time if any; see `Children.ask`."""
        told_at = 0.0

        def tell(computing: Computing) -> None:
            nonlocal told_at
            if time.monotonic() - told_at > TOLD_S:
                told_at = time.monotonic()
                with suppress(*OUTAGES), self._begin() as db:
                    say(db, kind, of, [computing.step, computing.share])

        bounds = self._bounds
        bounded = (work, given, seconds or bounds.seconds, bounds.memory_mb)
        self._children.ask(kind.lane, bounded, timeout_s=bounds.hanging_s, told=tell)


@contextmanager
def stops_kept(what: str, keep: Callable[[str], None]) -> Iterator[None]:
    """Keep the words for why the work in this block left nothing, unless it is to be done again.

    Raises:
        SideProcessError: the process ended, which may have been by chance.
        Exception: the database is away.
    """
    try:
        yield
    except (SideProcessTimeoutError, OutOfMemoryError) as error:
        keep(str(error))
    except SideProcessError:
        raise
    except OUTAGES:
        raise
    except Exception:
        log.exception("%s failed", what)
        keep(UNEXPECTED)


def progress(db: Connection, kind: Kind, of: str) -> Computing | None:
    """How far the job is; None if there is none."""
    job = get_job(db, kind, of)
    if job is None:
        return None
    return Computing(*job.said) if job.said else WAITING
