"""Reports are computed in separate processes, because minutes of arithmetic in the web server would delay raters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from app.analysis import analyze
from app.analysis.libraries import load_libraries
from app.base.database.engine import Begin, make_engine, on_database
from app.base.processes.side_process import OutOfTimeError, SideProcess, tell_parent, within_bounds
from app.results.reports.computed_once import ComputedOnce
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters
    from app.results.reports.computing import FirstNumbers, LiveReport, Tell
    from app.results.reports.known_marks import Seen

# Starting takes about two seconds; an idle process takes a quarter of a gigabyte.
REST_S = 600


@dataclass(frozen=True, slots=True)
class ReportBounds:
    """What one report may take: processor time in seconds and memory in MB.

    A report of at most `quick_ratings` ratings is first given `quick_seconds` in the process for quick reports.
    """

    seconds: int = 1_800
    memory_mb: int = 4_000
    quick_seconds: int = 30
    quick_ratings: int = 50_000

    @property
    def in_words(self) -> str:
        """What a report may take altogether."""
        return f"{self.seconds} s, {self.memory_mb} MB"

    @property
    def hanging_s(self) -> float:
        """Seconds on the clock, on a busy machine, after which a process that was not stopped in time is ended."""
        return 4 * self.seconds + 60


class ReportProcess:
    """Two processes, each doing one job at a time: small reports never wait for a large one.

    A report that is not done in its quick time is computed again in the process for large ones. Waiting reports are
    computed in the order in which they were asked for.
    """

    def __init__(self, bounds: ReportBounds | None = None) -> None:
        """Create the object; a process starts when it is needed."""
        self.bounds = bounds or ReportBounds()
        self._quick = SideProcess(within_bounds, name="attune-quick-report", rest_s=REST_S)
        self._large = SideProcess(within_bounds, name="attune-report", rest_s=REST_S)

    def ask(self, work: Callable[..., Any], *given: object, n_ratings: int, told: Tell = lambda _: None) -> Any:  # noqa: ANN401 - what `work` returns
        """Call `work`, a function of a module, in the process for so many ratings; `told` takes what it tells.

        Raises:
            SideProcessError: the process ended, or the work took more than it may; the message says which.
            Exception: any exception raised by `work`.
        """
        if n_ratings <= self.bounds.quick_ratings:
            with suppress(OutOfTimeError):
                return self._within(self._quick, (work, given), self.bounds.quick_seconds, told)
        return self._within(self._large, (work, given), self.bounds.seconds, told)

    def ask_quickly(self, work: Callable[..., Any], *given: object, told: Tell = lambda _: None) -> Any:  # noqa: ANN401 - as above
        """Call `work` in the process for quick reports, where it never waits for a large one.

        Raises:
            SideProcessError: the process ended, or the work took more than quick work may.
        """
        return self._within(self._quick, (work, given), self.bounds.quick_seconds, told)

    def _within(
        self, process: SideProcess, job: tuple[Callable[..., Any], tuple[Any, ...]], seconds: int, told: Tell
    ) -> Any:  # noqa: ANN401 - as above
        bounded = (*job, min(seconds, self.bounds.seconds), self.bounds.memory_mb)
        return process.ask(bounded, timeout_s=self.bounds.hanging_s, waits=True, told=told)

    @property
    def pids(self) -> tuple[int, ...]:
        """The IDs of the running processes."""
        return tuple(process.pid for process in (self._quick, self._large) if process.pid)

    def stop(self) -> None:
        """End the processes, if there are any."""
        self._quick.stop()
        self._large.stop()


# One per web process, however many applications it serves.
REPORT_PROCESS = ReportProcess()


@dataclass(frozen=True, slots=True)
class Place:
    """Where results are read from, where they are kept, and how far the first may be behind the second."""

    reading: str
    primary: str
    max_lag: timedelta = timedelta()


@dataclass(frozen=True, slots=True)
class _Prepared:
    """The computations on one study in the processes."""

    process: ReportProcess
    place: Place
    study: StudyRow
    filters: Filters

    def count(self, seen: Seen | None, tell: Tell) -> FirstNumbers:
        """Count the answers."""
        found: FirstNumbers = self.process.ask_quickly(count_there, self.place, self.study, seen, told=tell)
        return found

    def report(self, seen: Seen | None, settled: Collection[str], tell: Tell) -> LiveReport | str:
        """Read the study and compute its report, or return its name if it is kept or one of `settled`."""
        given = (self.place, self.study, self.filters, seen, settled)
        n_ratings = seen.n_ratings if seen else 0
        made: LiveReport | str = self.process.ask(report_there, *given, n_ratings=n_ratings, told=tell)
        return made


class ReportWork:
    """The work for `LiveReports`, in processes that read the database themselves: the web process would be busy."""

    def __init__(self, process: ReportProcess, reading: Callable[[], str], primary: str, max_lag_s: float = 0) -> None:
        """`reading` gives the address to read from, which may be behind the primary by so many seconds."""
        self._process, self._reading, self._primary = process, reading, primary
        self._max_lag = timedelta(seconds=max_lag_s)

    def prepare(self, _: Begin, study: StudyRow, filters: Filters) -> _Prepared:
        """Decide where to read from; nothing is computed yet."""
        return _Prepared(self._process, Place(self._reading(), self._primary, self._max_lag), study, filters)


def count_there(place: Place, study: StudyRow, seen: Seen | None) -> FirstNumbers:
    """Run `ComputedOnce.count` in the process."""
    with _there(place) as once:
        return once.count(study, seen)


def report_there(
    place: Place, study: StudyRow, filters: Filters, seen: Seen | None, settled: Collection[str]
) -> LiveReport | str:
    """Run `ComputedOnce.report` in the process."""
    load_libraries()
    with _there(place) as once:
        return once.report(study, filters, seen, settled, analyze)


@contextmanager
def _there(place: Place) -> Iterator[ComputedOnce]:
    # One connection holds the lock of the study, and one keeps what was computed.
    primary = make_engine(place.primary, n_connections=2)
    try:
        with on_database(place.reading) as reading:
            yield ComputedOnce(primary, reading, place.max_lag, tell_parent)
    finally:
        primary.dispose()
