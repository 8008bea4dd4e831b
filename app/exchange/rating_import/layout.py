"""The meaning of each column of a ratings spreadsheet, as named by the lead."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.exchange.rating_import.patterns import AnswerColumn


@dataclass(frozen=True, slots=True)
class RatingLayout:
    """Columns by content; None means that the column is guessed from its name.

    `questions`: from question to the column with its answers, which may contain the placeholders {rater} and {source}.
    `value`: the column with the answers to all questions, which may contain {question} too. `recoded`: from question
    and cell to the value to read instead. `missing`: cells that are not answers. `columns`: the columns with
    answers, if each is described by itself.
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
    columns: tuple[AnswerColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class NewRaters:
    """The raters of the imported ratings.

    `rater`: the only rater of a file that does not name raters. `kind` and `pool`: of raters who are new.
    `are_welcome`: whether new raters may be added to a study that already names raters.
    """

    rater: str | None = None
    kind: str | None = None
    pool: str | None = None
    are_welcome: bool = False
