"""A report that is being computed in the background, and what computes it."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.actions.results.computing import WAITING

if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Protocol as Typed

    from app.actions.results.computing import Computing, FirstNumbers, LiveReport, Tell
    from app.actions.results.known_marks import Seen
    from app.analysis.data.filters.report_filters import Filters
    from app.storage.database.engine import Begin
    from app.storage.studies.studies import StudyRow

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
    future: Future[LiveReport] = field(default_factory=Future)
    computing: Computing | None = None
    seen: Seen | None = None

    def __post_init__(self) -> None:
        """Data that have no mark are always read."""
        self.computing = None if self.glanced else WAITING

    def tell(self, computing: Computing) -> None:
        """Note how far it has come."""
        self.computing = computing

    @property
    def name(self) -> str:
        """The name of the report, once its data were read."""
        return self.computing.name if self.computing else ""
