"""What an estimate is about: a group of raters (people, those of one pool, or judges; never both), and a contrast."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, TypeVar

import numpy as np

from app.analysis.data.answers import Answers
from app.analysis.data.encoded_study import Bools, Codes, Ints, Raters
from app.analysis.data.question_data import ScaledData
from app.analysis.estimate import Scope, Unit
from app.stats.result import Result

Some = TypeVar("Some", bound=Answers)


@dataclass(frozen=True, eq=False)
class Group:
    """A group of raters and its scope. `has_rater` is a mask with one entry per rater."""

    scope: Scope
    has_rater: Bools

    def of(self, answers: Some) -> Some:
        """Return the answers of these raters."""
        return answers if self.has_rater.all() else answers.select(self.has_rater[answers.rater])

    @property
    def is_model(self) -> bool:
        """Whether these are the model judges."""
        return "rater_kind" in self.scope


def groups(codes: Codes) -> list[Group]:
    """Return all human raters first, then each pool of human raters, then the model judges if there are any."""
    raters = codes.raters
    is_person = ~raters.is_model
    found = [Group({}, is_person)]
    for number, pool in enumerate(raters.pools):
        mask = is_person & (raters.pool == number)
        if mask.any():
            found.append(Group({"pool": pool}, mask))
    if raters.is_model.any():
        found.append(Group({"rater_kind": "model"}, raters.is_model))
    return found


def distinct_groups(codes: Codes) -> list[Group]:
    """Return the groups without pools that contain all human raters, unless a primary contrast names the pool.

    Estimates of such a pool duplicate those of all human raters, but have the scope that was declared.
    """
    declared = codes.raters.declared_pools
    return [one for one in groups(codes) if one.scope.get("pool") in declared or not _is_everyone(one, codes)]


# how all human raters are named where a kind of raters is
PEOPLE: Scope = {"rater_kind": "person"}
MIN_MODELS = 2
ONE_MODEL = "All models are runs of one: the interval is about more runs of it, and not about other models."


def runs_as_one(raters: Raters, rater: Ints) -> tuple[Ints, str]:
    """The raters of a group's answers, shape (n,), with all runs of a model as one.

    If the group is one model, its runs stay the raters, and the note says so.
    """
    counts_as = raters.counts_as[rater]
    if len(np.unique(counts_as)) < MIN_MODELS and (counts_as != rater).any():
        return rater, ONE_MODEL
    return counts_as, ""


def with_answers(found: list[Group], answers: Some) -> Iterator[tuple[Group, Some]]:
    """Yield each group with its answers. All human raters are always included, other groups only if they answered."""
    for group in found:
        part = group.of(answers)
        if len(part.value) or not group.scope:
            yield group, part


def _is_everyone(group: Group, codes: Codes) -> bool:
    return "pool" in group.scope and bool((group.has_rater == ~codes.raters.is_model).all())


# The comparison of one source with its reference on one question.


@dataclass(frozen=True, slots=True)
class Found:
    """A result with its statistic, its unit, its scope in addition to the two sources, and `Estimate.detail`."""

    statistic: str
    unit: Unit
    result: Result
    scope: Scope = field(default_factory=Scope)
    detail: Mapping[str, object] = field(default_factory=dict)


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
