"""The analysis of a study: data frames in, a Report of estimates out. No input or output."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

from app import stats
from app.analysis.data.report_filters import ALL
from app.protocol.study import Protocol

if TYPE_CHECKING:
    from app.analysis.data.frames import Frames
    from app.analysis.data.report_filters import Filters
    from app.analysis.report.report import Report


def analyze(
    frames: Frames,
    protocol: Protocol,
    *,
    full: bool = False,
    filters: Filters | None = None,
    watch: Callable[[int, int], None] = lambda _done, _all: None,
    first: Callable[[Report], None] | None = None,
) -> Report:
    """Return every estimate that the study's questions and answers allow, and the reason for those they do not.

    `full` also fits mixed models to more than 20,000 ratings; `filters` restricts the answers; `watch` is told how many
    parts of how many are done. `first` is given the report of the primary contrasts alone, see `analyze_primary`, as
    soon as it is computed. The function reads and writes no files, and the same frames give exactly the same estimates.
    """
    # Imports pandas and scipy, which takes a second that the first page should not wait for.
    from app.analysis.report.computed_report import report_of

    return report_of(frames, protocol, full=full, filters=filters or ALL, watch=watch, first=first)


def analyze_primary(frames: Frames, protocol: Protocol) -> Report:
    """Return a report with only the sections of the primary contrasts: much faster, with exactly the same estimates.

    Its exploratory estimates are incomplete and not counted.
    """
    from app.analysis.report.computed_report import report_of  # as above

    return report_of(frames, protocol, full=False, only_primary=True)


@cache
def load_libraries() -> None:
    """Import everything that a report may need, so that its time is the same in a new process as in a used one."""
    for room, folder in ((__name__, __path__), (stats.__name__, stats.__path__)):
        for module in walk_packages(folder, f"{room}."):
            import_module(module.name)


__all__ = ["analyze", "analyze_primary", "load_libraries"]
