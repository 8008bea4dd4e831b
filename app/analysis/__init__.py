"""The analysis of a study: data frames in, a Report of estimates out. No input or output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.data.filters.report_filters import ALL

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.analysis.data.filters.report_filters import Filters
    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol


def analyze(
    frames: Frames,
    protocol: Protocol,
    *,
    full: bool = False,
    filters: Filters | None = None,
    watch: Callable[[int, int], None] = lambda _done, _all: None,
) -> Report:
    """Return every estimate that the study's questions and answers allow, and the reason for those they do not.

    `full` also fits mixed models to more than 20,000 ratings; `filters` restricts the answers; `watch` is told how many
    parts of how many are done. The function reads and writes no files, and the same frames give exactly the same
    estimates.
    """
    return _report_of()(frames, protocol, full=full, filters=filters or ALL, watch=watch)


def analyze_primary(frames: Frames, protocol: Protocol, *, full: bool = False) -> Report:
    """Return a report with only the sections of the primary contrasts: much faster, with exactly the same estimates.

    Its exploratory estimates are incomplete and not counted.
    """
    return _report_of()(frames, protocol, full=full, only_primary=True)


def _report_of() -> Callable[..., Report]:
    """Return the function that makes reports; the first time, it imports what takes a second."""
    # Here, because the first page of a process should not wait for pandas and scipy.
    from app.analysis.first_import import first_import

    with first_import():
        from app.analysis.report.report import report_of
    return report_of


__all__ = ["analyze", "analyze_primary"]
