"""The report of a study: each estimate once, in the order of the sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.analysis.data.filters.report_filters import ALL
from app.analysis.report.sample import NO_SAMPLE, Sample

if TYPE_CHECKING:
    from app.analysis.data.filters.report_filters import Filters
    from app.analysis.estimate import Estimate
    from app.analysis.report.primary import PrimaryResult

SECTIONS = (
    "distribution",
    "comparison",
    "choice",
    "ranking",
    "category",
    "contrast",
    "belief",
    "subgroup",
    "composite",
    "dimension",
    "text",
    "agreement",
    "disagreement",
    "rater",
    "judge",
)


@dataclass(frozen=True, slots=True)
class Report:
    """The content of page, JSON, CSV and command line.

    `notes` are sentences about the whole report; `data_hash` is a SHA-256 of all data that enter the estimates;
    `primary` are the primary contrasts with their estimates, which are in `estimates` too; `filters` restricts the
    answers; `sample` says how much they rest on.
    """

    study: str
    data_hash: str
    notes: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    primary: tuple[PrimaryResult, ...] = ()
    filters: Filters = ALL
    sample: Sample = NO_SAMPLE

    def of(self, section: str, question: str | None = None) -> tuple[Estimate, ...]:
        """Return the estimates of a section, optionally of one question."""
        return tuple(
            estimate
            for estimate in self.estimates
            if estimate.section == section and (question is None or estimate.question == question)
        )

    @property
    def is_simulated(self) -> bool:
        """Whether the human raters are simulated: nobody else has answered yet."""
        return self.sample.n_simulated > 0

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections that have estimates, in their order."""
        return tuple(dict.fromkeys(estimate.section for estimate in self.estimates))

    def as_document(self) -> dict[str, Any]:
        """Return the report as plain JSON types."""
        return {
            "study": self.study,
            "data_hash": self.data_hash,
            "is_simulated": self.is_simulated,
            "notes": list(self.notes),
            "filters": self.filters.as_document(),
            "estimates": [estimate.as_record() for estimate in self.estimates],
        }
