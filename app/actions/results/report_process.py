"""Reports are computed in a separate process, because minutes of arithmetic in the web server would delay raters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.actions.side_process import SideProcess
from app.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.analysis.data.filters import Filters
    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol

    Job = tuple[Frames, Protocol, Filters | None]

# Starting takes about two seconds; an idle process takes a quarter of a gigabyte.
REST_S = 600


def make_report(job: Job) -> Report:
    """Run `analysis.analyze` in the process."""
    frames, protocol, filters = job
    return analyze(frames, protocol, filters=filters)


class ReportProcess(SideProcess):
    """The process that computes one report at a time."""

    def __init__(self, work: Callable[[Job], Report] = make_report) -> None:
        """Create the object; the process starts when it is needed."""
        super().__init__(work, name="attune-report", rest_s=REST_S)

    def analyze(self, frames: Frames, protocol: Protocol, filters: Filters | None = None) -> Report:
        """Run `analysis.analyze` in the process.

        Raises:
            SideProcessError: the process ended.
            Exception: any exception raised by `analyze`.
        """
        report: Report = self.ask((frames, protocol, filters))
        return report


# One per web process, however many applications it serves.
REPORT_PROCESS = ReportProcess()
