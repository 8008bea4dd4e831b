"""Which statistics a study gets: frames in, a Report of estimates out. No input or output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.filters import ALL

if TYPE_CHECKING:
    from app.analysis.data.filters import Filters
    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol


def analyze(frames: Frames, protocol: Protocol, *, full: bool = False, filters: Filters | None = None) -> Report:
    """Every estimate that this study's questions and answers allow; what they do not allow, with the reason.

    `full` runs the mixed models on more than 20,000 ratings too; `filters` restricts the answers. Nothing is read or
    written, and the same frames give the same estimates to the last digit.
    """
    # pandas and scipy: a second that the first page need not wait for
    from app.analysis.report.report import report_of

    return report_of(frames, protocol, full=full, filters=filters or ALL)


def analyze_primary(frames: Frames, protocol: Protocol, *, full: bool = False) -> Report:
    """The report with the sections of its primary contrasts only: a fraction of the work, the same digits.

    What is exploratory is neither complete nor counted in it.
    """
    from app.analysis.report.report import report_of  # as above

    return report_of(frames, protocol, full=full, only_primary=True)


__all__ = ["analyze", "analyze_primary"]
