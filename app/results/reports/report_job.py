"""A report that is being computed in the background, and what computes it."""

from __future__ import annotations

import time
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from typing import Protocol as Typed

from app.base.database.engine import Begin
from app.results.reports.computing import READING, WAITING
from app.studies.studies import StudyRow

if TYPE_CHECKING:
    from app.analysis.data.report_filters import Filters
    from app.results.reports.computing import Computing, FirstNumbers, LiveReport, Tell
    from app.results.reports.known_marks import Seen
    from app.results.reports.outcomes import Shown

    class Prepared(Typed):
        """The computations on one study; they run outside of the request."""

        def count(self, seen: Seen | None, tell: Tell) -> FirstNumbers: ...

        def report(self, seen: Seen | None, settled: Collection[str], tell: Tell) -> LiveReport | str: ...

    class Work(Typed):
        """Where reports are computed."""

        def prepare(self, begin: Begin, study: StudyRow, filters: Filters) -> Prepared: ...


@dataclass(eq=False)
class ReportJob:
    """A report that is being computed, or whose data are being compared with those of a known report."""

    study: StudyRow
    filters: Filters
    prepared: Prepared
    begin: Begin
    glanced: Seen | None
    after: datetime | None = None
    future: Future[Shown] = field(default_factory=Future)
    computing: Computing | None = None
    seen: Seen | None = None
    _began: float | None = None

    def __post_init__(self) -> None:
        """Data that have no mark are always read."""
        self.computing = None if self.glanced else WAITING

    def tell(self, computing: Computing) -> None:
        """Note how far it has come, and when it began."""
        self.computing = computing
        if computing == READING and self._began is None:
            self._began = time.monotonic()

    @property
    def took_s(self) -> float:
        """How long it has been worked on, in seconds, without the time that it waited."""
        return 0.0 if self._began is None else time.monotonic() - self._began
