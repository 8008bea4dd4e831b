"""The persons who are told of one by one, and the records about each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.analysis.data.scopes import groups
from app.design.questions.choice import ChoiceQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.data.answers import Answers
    from app.analysis.data.encoded_study import Ints
    from app.analysis.data.question_data import AnySheet
    from app.analysis.estimate import Estimate, Scope, Unit
    from app.stats.core.result import Result

SECTION = "rater"
# a table of more raters is read by nobody; all of them are in the estimates of all
MAX_RATERS = 100
MIN_ANSWERS = 2


@dataclass(frozen=True, eq=False)
class Panel:
    """What persons answered to one question, each thing once, and who of them is told of."""

    sheet: AnySheet
    answers: Answers

    @classmethod
    def of(cls, sheet: AnySheet) -> Panel:
        """The persons of a question."""
        whole = groups(sheet.codes)[0].of(sheet.answers)
        return cls(sheet, whole if whole.is_first.all() else whole.select(whole.is_first))

    @property
    def is_nominal(self) -> bool:
        """Whether the answers have no order."""
        question = self.sheet.question
        return isinstance(question, ChoiceQuestion) or question.level == "nominal"

    @cached_property
    def raters(self) -> Ints:
        """The codes of those with the most answers, at most MAX_RATERS with MIN_ANSWERS or more, in their order."""
        size = np.bincount(self.answers.rater)
        most = np.argsort(-size, kind="stable")[:MAX_RATERS]
        return np.sort(most[size[most] >= MIN_ANSWERS])

    @cached_property
    def by_rater(self) -> dict[int, Answers]:
        """The answers of each of `raters`, in the order in which they were given where that is known."""
        answers = self.answers.select(self._in_order())
        return {int(code): answers.select(answers.rater == code) for code in self.raters}

    def _in_order(self) -> Ints:
        """Places of the answers by time, then by position; those of unknown time as they stand."""
        answers, kept = self.answers, self.sheet.codes.kept
        row = np.flatnonzero(np.isin(answers.rater, self.raters))
        given = kept[["rated_at", "position"]].iloc[answers.row[row]].reset_index(drop=True)
        return np.asarray(row[given.sort_values(["rated_at", "position"], kind="stable").index])

    @cached_property
    def has_order(self) -> bool:
        """Whether it is known in which order the answers were given."""
        kept = self.sheet.codes.kept
        return bool(kept[["rated_at", "position"]].iloc[self.answers.row].notna().any(axis=None))

    @property
    def note(self) -> str:
        """How many are told of."""
        n = self.answers.counts["n_raters"]
        left = n - len(self.raters)
        few = f"{left} of {n} raters are not told of one by one: "
        return few + "those with the fewest answers, or with a single one" if left else ""

    def record(self, code: int | None, statistic: str, result: Result, *, unit: Unit, **scope: object) -> Estimate:
        """An estimate of one rater, or of all."""
        answers = self.answers if code is None else self.by_rater[code]
        of: Scope = dict(scope) if code is None else {"raters": [self.sheet.codes.raters.ids[code]], **scope}
        return self.sheet.record(result, answers, section=SECTION, scope=of, statistic=statistic, unit=unit)

    def each(self) -> Iterator[tuple[int, Answers]]:
        """The code and the answers of each rater who is told of."""
        yield from self.by_rater.items()
