"""Raters that are reported individually, and their estimates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Ints
from app.analysis.data.question_data import AnyQuestionData
from app.analysis.data.scopes import groups
from app.analysis.estimate import Estimate, Scope, Unit
from app.stats.result import Result

SECTION = "rater"
# A longer table would not be read; estimates over all raters include every rater.
MAX_RATERS = 100
MIN_ANSWERS = 2


@dataclass(frozen=True, eq=False)
class Panel:
    """The human raters' answers to one question without repeated ratings of a unit, and the raters to report.

    `flagged` are the names of raters who are reported whatever the number of their answers.
    """

    data: AnyQuestionData
    answers: Answers
    flagged: frozenset[str] = frozenset()

    @classmethod
    def of(cls, data: AnyQuestionData, flagged: Iterable[str] = ()) -> Self:
        """Return the first answers of all human raters to a question."""
        whole = groups(data.codes)[0].of(data.answers)
        return cls(data, whole if whole.is_first.all() else whole.select(whole.is_first), frozenset(flagged))

    @cached_property
    def raters(self) -> Ints:
        """Sorted codes of the flagged raters and those with the most answers: at most MAX_RATERS, with at least
        MIN_ANSWERS each.
        """
        size = np.bincount(self.answers.rater)
        is_flagged = np.array([name in self.flagged for name in self.data.codes.raters.ids[: len(size)]], dtype=bool)
        most = np.lexsort((-size, ~is_flagged))[:MAX_RATERS]
        return np.sort(most[size[most] >= MIN_ANSWERS])

    @cached_property
    def by_rater(self) -> dict[int, Answers]:
        """The answers of each of `raters`, in the order in which they were given if that is known."""
        answers = self.answers.select(self._in_order())
        return {int(code): answers.select(answers.rater == code) for code in self.raters}

    def _in_order(self) -> Ints:
        """Return positions of the answers by time, then position; answers without either keep their order."""
        answers, kept = self.answers, self.data.codes.kept
        row = np.flatnonzero(np.isin(answers.rater, self.raters))
        given = kept[["rated_at", "position"]].iloc[answers.row[row]].reset_index(drop=True)
        return np.asarray(row[given.sort_values(["rated_at", "position"], kind="stable").index])

    @cached_property
    def has_order(self) -> bool:
        """Whether the order in which the answers were given is known."""
        kept = self.data.codes.kept
        return bool(kept[["rated_at", "position"]].iloc[self.answers.row].notna().any(axis=None))

    @property
    def note(self) -> str:
        """A note about raters that are not reported individually; empty if all are."""
        n = self.answers.counts["n_raters"]
        left = n - len(self.raters)
        few = f"{left} of {n} raters are not reported individually: "
        return few + "those with the fewest answers, or with only one" if left else ""

    def record(self, code: int | None, statistic: str, result: Result, *, unit: Unit) -> Estimate:
        """Return an estimate for one rater, or for all if `code` is None."""
        answers = self.answers if code is None else self.by_rater[code]
        of: Scope = {} if code is None else {"raters": [self.data.codes.raters.ids[code]]}
        return self.data.record(result, answers, section=SECTION, scope=of, statistic=statistic, unit=unit)

    def each(self) -> Iterator[tuple[int, Answers]]:
        """Yield the code and the answers of each rater that is reported individually."""
        yield from self.by_rater.items()
