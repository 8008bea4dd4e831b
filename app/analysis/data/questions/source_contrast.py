"""The comparison of one source with its reference on one question."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Self

    from app.analysis.data.encoded_study import Bools
    from app.analysis.data.questions.answers import Answers
    from app.analysis.data.questions.question_data import ScaledData
    from app.analysis.estimate import Scope, Unit
    from app.stats.core.result import Result


@dataclass(frozen=True, slots=True)
class Found:
    """A result with its statistic, its unit, and its scope in addition to the two sources."""

    statistic: str
    unit: Unit
    result: Result
    scope: Scope = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Contrast:
    """The answers about two sources; `mine` is the code of the source that is compared with the reference."""

    data: ScaledData
    answers: Answers
    mine: int

    @classmethod
    def of(cls, data: ScaledData, answers: Answers, scope: Scope) -> Self:
        """Return the contrast that the scope names."""
        mine, theirs = data.code_of(scope["source"]), data.code_of(scope["reference"])
        return cls(data, answers.select((answers.source == mine) | (answers.source == theirs)), mine)

    @property
    def source(self) -> str:
        """The source that is compared with the reference."""
        return self.data.codes.sources[self.mine]

    @cached_property
    def is_mine(self) -> Bools:
        """Whether each answer is about the source; False for the reference."""
        return np.asarray(self.answers.source == self.mine)

    @cached_property
    def means(self) -> Answers:
        """One value per rater, item and source, for comparisons within items."""
        return self.answers.per_item

    @cached_property
    def means_are_mine(self) -> Bools:
        """`is_mine` for `means`."""
        return np.asarray(self.means.source == self.mine)
