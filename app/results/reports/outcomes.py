"""What an attempt at a report gives, and for how long no other attempt is made: the same rule in every process.

Imports nothing heavy, because the web process imports it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from app.analysis.data.filter_options import FilterOptions
from app.analysis.data.report_filters import Filters
from app.analysis.report.report import Report
from app.base.processes.side_process import SideProcessError
from app.protocol.study import Protocol

# A report that misses newer ratings is computed again after ten times as long as it took, so that raters who are busy
# and leads who look at it take at most a tenth of a processor. A lead who does not want to wait presses Update.
PACE = 10


@dataclass(frozen=True, slots=True)
class Computing:
    """What is being done, and the share of the whole that is done."""

    step: str
    share: float


Tell = Callable[[Computing], None]
WAITING = Computing("Waiting to begin", 0.0)
READING = Computing("Reading the answers", 0.15)
ESTIMATING = Computing("Computing the estimates", 0.4)
WRITING = Computing("Writing the file", 0.7)


@dataclass(frozen=True, slots=True)
class LiveReport:
    """A report, when its data were read, and its name, which depends only on the data.

    `n_deleted` raters had had their answers deleted before. Reading and computing took `took_s` seconds.
    """

    name: str
    read_at: datetime
    report: Report
    protocol: Protocol
    options: FilterOptions
    n_deleted: int = 0
    took_s: float = 0.0

    @property
    def filters(self) -> Filters:
        """The filters that select the answers of the report."""
        return self.report.filters


@dataclass(frozen=True, slots=True)
class Stopped:
    """An attempt that gave no report. `read_at`: when it ended."""

    read_at: datetime
    words: str
    took_too_much: bool
    took_s: float = 0.0


class Shown(NamedTuple):
    """The report to show, None if there is none; whether it is that of the current data; how far a newer one is.

    It is settled if no newer one is due. `early`: the primary contrasts of the newer one, once they are computed.
    """

    made: LiveReport | None
    is_current: bool
    computing: Computing | None = None
    is_settled: bool = True
    early: LiveReport | None = None


class ReportStoppedError(SideProcessError):
    """There is no report of the current data, because the attempt at it was stopped. `latest`: an earlier report."""

    def __init__(self, stopped: Stopped, latest: LiveReport | None) -> None:
        """Say why."""
        super().__init__(stopped.words)
        self.stopped, self.latest = stopped, latest


class StillComputingError(SideProcessError):
    """The report is not available yet; it is still being computed."""

    words = "The results are still being computed. Try again in a minute."


def holds(outcome: LiveReport | Stopped, *, is_behind: bool, after: datetime | None, patience_s: float) -> bool:
    """Whether an outcome is shown as it is, and no other attempt is made.

    Args:
        outcome: the last one for the same filters and decisions of leads.
        is_behind: whether ratings have changed since.
        after: when the ratings of an outcome that a lead wants to be replaced were read.
        patience_s: how long a page waits for a report. One that takes no longer is always that of the current ratings.
    """
    if isinstance(outcome, LiveReport) and not is_behind:
        return True
    if after and outcome.read_at <= after:
        return False
    age = datetime.now(UTC) - outcome.read_at
    return not is_behind or (outcome.took_s > patience_s and age < PACE * timedelta(seconds=outcome.took_s))
