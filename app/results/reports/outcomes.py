"""How an attempt at a report ended, and for how long no other attempt is made: the same rule in every process."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from app.base.processes.side_process import OutOfMemoryError, SideProcessError, SideProcessTimeoutError
from app.results.reports.computing import LiveReport

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters

# A report that misses newer ratings is computed again after ten times as long as it took, so that raters who are busy
# and leads who look at it take at most a tenth of a processor. A lead who does not want to wait presses Update.
PACE = 10
# A process that was killed may have been so by chance: the next attempt is soon, but not before a page that refreshes
# itself has shown what happened.
ENDED_S = 10


@dataclass(frozen=True, slots=True)
class Stopped:
    """An attempt that gave no report; `read_at` is when it ended. See `LiveReport`."""

    name: str
    read_at: datetime
    filters: Filters
    words: str
    took_too_much: bool
    n_deleted: int = 0
    took_s: float = 0.0


Outcome = LiveReport | Stopped


class Shown(NamedTuple):
    """The report to show, None if there is none, and whether it is that of the current data, as far as is known."""

    made: LiveReport | None
    is_current: bool


class ReportStoppedError(SideProcessError):
    """There is no report of the current data, because the attempt at it was stopped."""

    def __init__(self, stopped: Stopped) -> None:
        """Say why."""
        super().__init__(stopped.words)
        self.stopped = stopped


def took_too_much(error: SideProcessError) -> bool:
    """Whether the same computation would be stopped again: it reached a limit, and did not just end."""
    return isinstance(error, SideProcessTimeoutError | OutOfMemoryError)


def holds(outcome: Outcome, *, is_behind: bool, after: datetime | None, patience_s: float) -> bool:
    """Whether an outcome is shown as it is, and no other attempt is made.

    Args:
        outcome: the last one for the same filters and decisions of leads.
        is_behind: whether ratings have changed since.
        after: when the ratings of an outcome that a lead wants to be replaced were read.
        patience_s: how long a page waits for a report. One that takes no longer is always that of the current ratings.
    """
    age = datetime.now(UTC) - outcome.read_at
    if isinstance(outcome, LiveReport) and not is_behind:
        return True
    if after and outcome.read_at <= after:
        return False
    if isinstance(outcome, Stopped) and not outcome.took_too_much:
        return age < timedelta(seconds=ENDED_S)
    return not is_behind or (outcome.took_s > patience_s and age < PACE * timedelta(seconds=outcome.took_s))
