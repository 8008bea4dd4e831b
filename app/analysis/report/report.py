"""The report of a study: each estimate once, in the order of the sections."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from app.analysis.data.flow import Flow
from app.analysis.data.report_filters import ALL, Filters
from app.analysis.estimate import Estimate
from app.analysis.report.primary import PrimaryResult
from app.base.numbers import whole
from app.base.words import and_list, isolated

# What a report rests on: items, responses, raters and answers.


@dataclass(frozen=True, slots=True)
class RaterGroup:
    """Raters of one kind and pool who answered; `pool` is None for raters without one."""

    kind: str
    pool: str | None
    n: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Counts over all answers but planned repeats; `excluded` counts answers by the reason why they are left out.

    `first_day` and `last_day` are None where no answer has a time. `missing` is how many answers are missing in the
    trials rated, and how many there would be: by the part of the condition that varies between raters, otherwise by
    pool; the key is empty without either. Only questions that every rater is asked about each thing count. `flow` is
    what became of everyone who arrived, None if that is not known or the report is of a part of the answers.
    `by_version` counts people's answers to questions that were asked in other words before: by question and version
    of the study, those to the current words as "". `n_drawn` counts the items that were drawn for people to rate, of
    `n_drawn_from`, by the stage in which they were drawn.
    """

    n_items: int
    n_responses: dict[str, int]
    raters: tuple[RaterGroup, ...]
    n_simulated: int
    n_imported: int
    n_answers: dict[str, int]
    excluded: dict[str, int]
    n_repeats: int
    first_day: date | None
    last_day: date | None
    missing: dict[str, tuple[int, int]] = field(default_factory=dict)
    flow: Flow | None = None
    by_version: dict[str, dict[str, int]] = field(default_factory=dict)
    n_drawn: dict[int, int] = field(default_factory=dict)
    n_drawn_from: int = 0

    @property
    def n_raters(self) -> int:
        """How many answered, of all kinds."""
        return sum(group.n for group in self.raters)

    @property
    def all_excluded(self) -> str:
        """That every answer is excluded, and why; empty if some are not, or there are none."""
        if self.n_raters or not self.excluded:
            return ""
        reasons = and_list(f"{whole(n)} ({isolated(reason)})" for reason, n in self.excluded.items())
        return f"Every answer is excluded from the results: {reasons}."


NO_SAMPLE = Sample(0, {}, (), 0, 0, {}, {}, 0, None, None)


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
            if estimate.section == section and (question is None or estimate.measured == question)
        )

    @property
    def primary_estimates(self) -> tuple[Estimate, ...]:
        """The estimates of the primary contrasts, in the order of these."""
        return tuple(one for result in self.primary for one in result.estimates)

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
            "answers_by_version": {
                question: {version or "current": n for version, n in counts.items()}
                for question, counts in self.sample.by_version.items()
            },
            "estimates": [estimate.as_record() for estimate in self.estimates],
        }
