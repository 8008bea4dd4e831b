"""The registered plan compared with what was done, as the report for a paper compares them."""

from __future__ import annotations

from dataclasses import dataclass

from app.base.database.engine import Begin
from app.base.documents.blocks import DataTable, Paragraph
from app.results.registration.registrations import registration_of
from app.results.reports.outcomes import LiveReport
from app.studies.studies import StudyRow


@dataclass(frozen=True, slots=True)
class ComparedPlan:
    """The comparison in sentences, and point by point; there are no points where it cannot be made."""

    sentences: tuple[str, ...]
    table: DataTable | None

    @property
    def short(self) -> str:
        """How many points differ, for the summary; empty if that is not known."""
        return self.sentences[-1] if self.table else ""

    @property
    def points(self) -> list[tuple[tuple[str, ...], bool]]:
        """Each point, and whether it is to be looked at; those first."""
        from app.analysis.document.deviations import NO

        rows = self.table.rows if self.table else ()
        return sorted(((row, row[-1] != NO) for row in rows), key=lambda point: not point[1])


def compared_plan(begin: Begin, study: StudyRow, made: LiveReport, version: int) -> ComparedPlan | None:
    """The comparison of a report by this version of the protocol; None if the study was never registered."""
    with begin() as db:
        registration = registration_of(db, study)
    if registration is None:
        return None
    from app.analysis.document.deviations import deviations_section

    blocks = deviations_section(registration, made.report, made.protocol, version).blocks
    table = next((block for block in blocks if isinstance(block, DataTable)), None)
    return ComparedPlan(tuple(block.text for block in blocks if isinstance(block, Paragraph)), table)
