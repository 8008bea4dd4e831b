"""All estimates as closed groups: one per question, then those that could not be estimated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.web.lead.results.sections.estimate_tables import all_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.design.protocol.parts.labels import Labels
    from app.web.lead.results.sections.estimate_tables import Row

# Rows of one page: each has a recipe of a few hundred characters.
MAX_ROWS = 400
NO_QUESTION, NOT_ESTIMABLE = "All questions together", "Not estimable"


@dataclass(frozen=True, slots=True)
class Group:
    """The estimates of a question; without `rows`, they are at the address of the question `key`."""

    key: str
    title: str
    n: int
    rows: list[Row]
    is_open: bool = False


def estimate_groups(estimates: Sequence[Estimate], labels: Labels) -> list[Group]:
    """Every estimate is in one group. A single group is open, and a page holds at most `MAX_ROWS` rows."""
    known: dict[str, list[Estimate]] = {}
    for estimate in estimates:
        if estimate.estimate is not None:
            known.setdefault((estimate.question or "").partition("=")[0], []).append(estimate)
    missing = [estimate for estimate in estimates if estimate.estimate is None]
    named = [(key, labels.question(key) if key else NO_QUESTION, own) for key, own in known.items()]
    named += [("", NOT_ESTIMABLE, missing)] if missing else []
    room, groups = MAX_ROWS, []
    for key, title, own in named:
        # What has no question has no address of its own.
        shown = own[:room] if len(own) <= room or len(named) == 1 or not key else []
        room -= len(shown)
        groups.append(Group(key, title, len(own), all_rows(shown, labels), is_open=len(named) == 1))
    return groups
