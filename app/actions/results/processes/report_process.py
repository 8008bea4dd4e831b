"""Reports are computed in separate processes, because minutes of arithmetic in the web server would delay raters."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.actions.process_bounds import OutOfTimeError
from app.actions.side_process import SideProcess, within_bounds
from app.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.analysis.data.filters.report_filters import Filters
    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol

    Work = Callable[[Frames, Protocol, Filters | None], Report]

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
    def hanging_s(self) -> float:
        """Seconds on the clock, on a busy machine, after which a process that was not stopped in time is ended."""
        return 4 * self.seconds + 60


def make_report(frames: Frames, protocol: Protocol, filters: Filters | None) -> Report:
    """Run `analysis.analyze` in the process."""
    return analyze(frames, protocol, filters=filters)


class ReportProcess:
    """Two processes, each computing one report at a time: small reports never wait for a large one.

    A report that is not done in its quick time is computed again in the process for large ones. Waiting reports are
    computed in the order in which they were asked for.
    """

    def __init__(self, work: Work = make_report, bounds: ReportBounds | None = None) -> None:
        """Create the object; a process starts when it is needed."""
        self.bounds = bounds or ReportBounds()
        self._work = work
        self._quick = SideProcess(within_bounds, name="attune-quick-report", rest_s=REST_S)
        self._large = SideProcess(within_bounds, name="attune-report", rest_s=REST_S)

    def analyze(self, frames: Frames, protocol: Protocol, filters: Filters | None = None) -> Report:
        """Run `analysis.analyze` in one of the processes.

        Raises:
            SideProcessError: the process ended, or the report took more than it may; the message says which.
            Exception: any exception raised by `analyze`.
        """
        given = (frames, protocol, filters)
        if len(frames.ratings) <= self.bounds.quick_ratings:
            with suppress(OutOfTimeError):
                return self._within(self._quick, given, self.bounds.quick_seconds)
        return self._within(self._large, given, self.bounds.seconds)

    def _within(self, process: SideProcess, given: tuple[Frames, Protocol, Filters | None], seconds: int) -> Report:
        job = (self._work, given, min(seconds, self.bounds.seconds), self.bounds.memory_mb)
        report: Report = process.ask(job, timeout_s=self.bounds.hanging_s, waits=True)
        return report

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
