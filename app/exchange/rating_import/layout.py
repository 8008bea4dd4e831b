"""Which column of a spreadsheet of ratings says what: as the lead names them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class RatingLayout:
    """Columns by what they hold; None is guessed from their names.

    `questions`: question to the column with its answers, which may hold {rater} and {source} in place of words.
    `value`: the column with the answers to all questions, which may hold {question} too.
    `recoded`: question and cell to the cell that is read instead. `missing`: cells that are no answer.
    """

    item: str | None = None
    response: str | None = None
    source: str | None = None
    rater: str | None = None
    question: str | None = None
    value: str | None = None
    questions: Mapping[str, str] = field(default_factory=dict)
    recoded: Mapping[tuple[str, str], str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewRaters:
    """Who gave the ratings. `rater`: the one rater of a file that names none. `kind` and `pool`: of raters who are new.

    `are_welcome`: whether raters whom the study does not name may come into one that names raters.
    """

    rater: str | None = None
    kind: str | None = None
    pool: str | None = None
    are_welcome: bool = False
