"""Let the sample of items that people rate grow where model judges and people are likely to disagree."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter
from sqlalchemy import Connection

from app.protocol.allocation.human_sample import draw_words, drawn_by_stage, last_stage, outside
from app.rating.life_cycle import growth_problem
from app.rating.seats.trials import list_items
from app.results.making.making import LONG_PARTS, Making, Wanted
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

SIZES = TypeAdapter(dict[str, float])


@dataclass(frozen=True, slots=True)
class HumanSample:
    """The sample of a study: items by the stage in which they were drawn, those outside it, and why it cannot grow.

    `grows_to` is the share of the items that the design wants in the end, 0 without one. `again` says whether the seed
    draws the sample again.
    """

    by_stage: Mapping[int, int]
    n_outside: int
    stage: int
    problem: str
    grows_to: float = 0.0
    again: str = ""

    @property
    def n_drawn(self) -> int:
        """Number of items in the sample."""
        return sum(self.by_stage.values())

    @property
    def n_items(self) -> int:
        """Number of items that were drawn from."""
        return self.n_drawn + self.n_outside

    @property
    def n_planned(self) -> int:
        """How many items the design still wants to add."""
        return max(round(self.grows_to * self.n_items) - self.n_drawn, 0)


def get_human_sample(db: Connection, study: StudyRow) -> HumanSample:
    """The sample as it is now."""
    protocol, items = get_protocol(db, study.id, study.protocol_version), list_items(db, study.id)
    problem = growth_problem(protocol, items, study.status)
    declared = protocol.design.human_sample
    grows_to = (declared.grows_to if declared else None) or 0.0
    n_outside, again = len(outside(protocol, items)), draw_words(protocol, items)
    return HumanSample(drawn_by_stage(items), n_outside, last_stage(items), problem, grows_to, again)


def sizes_of(making: Making, study: StudyRow) -> dict[str, float]:
    """How far judges and people are likely to disagree about each item, by its key; waits for the job.

    Raises:
        RefusedError: it cannot be said yet, for the reason in the message.
        SideProcessError: it took too much or too long.
    """
    return SIZES.validate_json(making.content(study, Wanted("residual-sizes", "residual-sizes", kind=LONG_PARTS)))
