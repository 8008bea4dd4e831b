"""What the page of raters shows: the filter, the search, and which part of each group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode

from fastapi import Query
from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.actions.results.rater_review import ReviewedRater

GROUPS = (
    ("people", "People"),
    ("imported", "Imported raters"),
    ("models", "Model judges"),
    ("simulated", "Simulated raters"),
)
FILTERS = (
    ("", "All raters"),
    ("flagged", "Flagged"),
    ("finished", "Finished"),
    ("unfinished", "Not finished"),
    ("excluded", "Excluded"),
)
MAX_ROWS = 500
Skipped = Annotated[int, Field(ge=0, le=10_000_000)]


class RaterView(BaseModel):
    """The address of a view. `people`, `imported`, `models`, `simulated`: number of raters to skip in this group."""

    show: str = Field("", max_length=20)
    words: str = Field("", max_length=200)
    people: Skipped = 0
    imported: Skipped = 0
    models: Skipped = 0
    simulated: Skipped = 0

    def query(self, **changes: str | int) -> str:
        """The query string of this view with these changes, with question mark; empty for the first view."""
        found = {name: value for name, value in {**self.model_dump(), **changes}.items() if value}
        return f"?{urlencode(found)}" if found else ""

    def filtered(self, show: str) -> str:
        """The query string of another filter, from the first rater on."""
        return RaterView(show=show, words=self.words).query()

    def finds(self, one: ReviewedRater) -> bool:
        """Whether the pseudonym or the pool contains what is searched for."""
        words = self.words.strip().casefold()
        return words in one.row.key.casefold() or words in (one.row.pool or "").casefold()


Asked = Annotated[RaterView, Query()]


@dataclass(frozen=True, slots=True)
class RaterGroup:
    """The raters of one group that are shown, of `n` in all; `before` and `after`: addresses of the other parts."""

    label: str
    rows: Sequence[ReviewedRater]
    n: int
    first: int
    before: str | None
    after: str | None


def groups_of(shown: Sequence[ReviewedRater], view: RaterView) -> list[RaterGroup]:
    """The groups that have raters, flagged ones first, each from the rater on that the view names."""
    found = []
    for key, label in GROUPS:
        rows = sorted((one for one in shown if one.group == key), key=lambda one: not one.flags)
        # The last part, if raters have left the group since the address was made.
        first = min(getattr(view, key), max(0, len(rows) - 1) // MAX_ROWS * MAX_ROWS)
        end = first + MAX_ROWS
        before = view.query(**{key: max(0, first - MAX_ROWS)}) if first else None
        after = view.query(**{key: end}) if end < len(rows) else None
        if rows:
            found.append(RaterGroup(label, rows[first:end], len(rows), first, before, after))
    return found


def is_shown(one: ReviewedRater, show: str) -> bool:
    """Whether a filter lists the rater; an unknown filter lists all."""
    match show:
        case "flagged":
            return bool(one.flags)
        case "finished":
            return one.row.state == "finished"
        case "unfinished":
            return one.row.state not in {None, "finished"}
        case "excluded":
            return one.row.is_excluded
        case _:
            return True
