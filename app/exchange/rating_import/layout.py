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

    `item` and `response` are columns of IDs or of texts. `rater` may contain {source} and {question}, for files that
    name the raters in several columns. `questions`: from question to the column with its answers, which may contain
    the placeholders {rater} and {source}. `value`: the column with the answers to all questions, which may contain
    {question} too. `recoded`: from question and cell to the value to read instead, empty for no answer. `missing`:
    cells that are not answers. `columns`: the columns with answers, if each is described by itself.
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

    def named_for(self, others: str) -> set[str]:
        """Return the columns that are named for another part of an answer than this one."""
        parts = ("item", "response", "source", "rater", "question", "value")
        named = {getattr(self, part) for part in parts if part != others}
        return {*named, *self.questions.values(), *(one.column for one in self.columns)} - {None}


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
