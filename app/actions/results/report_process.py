"""Reports are made in a process of their own: minutes of arithmetic beside the web server's threads would slow every
rater's answer.
"""

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

# Starting costs about two seconds and resting a quarter of a gigabyte.
REST_S = 600


def make_report(job: Job) -> Report:
    """`analysis.analyze`, in the process."""
    frames, protocol, filters = job
    return analyze(frames, protocol, filters=filters)


class ReportProcess(SideProcess):
    """The process that makes one report at a time."""

    def __init__(self, work: Callable[[Job], Report] = make_report) -> None:
        """Nothing starts yet."""
        super().__init__(work, name="attune-report", rest_s=REST_S)

    def analyze(self, frames: Frames, protocol: Protocol, filters: Filters | None = None) -> Report:
        """`analysis.analyze`, over there.

        Raises:
            SideProcessError: the process is gone.
            Exception: whatever `analyze` raised.
        """
        report: Report = self.ask((frames, protocol, filters))
        return report


# One for each web process, whatever number of applications it serves.
REPORT_PROCESS = ReportProcess()
