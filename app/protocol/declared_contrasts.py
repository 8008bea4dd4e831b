"""Contrasts that must be declared: which scores make up a change, and which ratings are a target's own account."""

from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from app.base.problem import Broken, BrokenRuleError, broken
from app.protocol.composite import Composite
from app.protocol.questions.question import Key
from app.protocol.questions.registry import ScaledQuestion

RATED = ("turn", "item", "response")


class Change(BaseModel):
    """Two scores of the rater, before and after: rating or slider questions about the rater, or composites of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    before: Key
    """A rating or slider question about the rater, or a composite of such questions."""
    after: Key
    """The same score, measured later."""

    @model_validator(mode="after")
    def _two_scores(self) -> Self:
        if self.before == self.after:
            raise BrokenRuleError("a change must be between two different scores", f"{self.before} twice")
        return self


class EmpathicAccuracy(BaseModel):
    """A target's own account, and what perceivers thought that the target felt.

    A moment is a turn, or an item or response of the same target. Of two raters who wrote with each other, each is the
    target of their `own` turns, and the perceiver of the `partner`'s.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    felt: Key
    """The rating question with the target's own account."""
    perceived: Key | None = None
    """The rating question that perceivers answer; default: the same question."""
    pool: Key | None = None
    """The pool of the targets. Without it, the target of an item is the rater in column `rater` of items.csv."""

    @property
    def answered(self) -> str:
        """The question that perceivers answer."""
        return self.perceived or self.felt


def change_problems(
    changes: Iterable[Change], scaled: Mapping[str, ScaledQuestion], composites: Mapping[str, Composite]
) -> Broken:
    """What is wrong with the declared changes, one sentence each."""
    for change in changes:
        for name in (change.before, change.after):
            keys = composites[name].questions if name in composites else (name,)
            if any(key not in scaled or scaled[key].target != "rater" for key in keys):
                yield broken("analysis.changes", "must name rating questions or composites about the rater", name)


def empathic_problems(
    declared: EmpathicAccuracy | None, scaled: Mapping[str, ScaledQuestion], pools: Iterable[str]
) -> Broken:
    """What is wrong with the declared empathic accuracy, one sentence each."""
    if declared is None:
        return
    part = "analysis.empathic_accuracy"
    asked = [declared.felt, declared.answered]
    unknown = sorted({key for key in asked if key not in scaled or scaled[key].target not in RATED})
    if unknown:
        yield broken(part, "must name rating questions about a turn, an item or a response", ", ".join(unknown))
    elif scaled[asked[0]].target != scaled[asked[1]].target:
        yield broken(part, "must name two questions with the same target", " and ".join(asked))
    else:
        yield from _of_partners(declared, *(scaled[key] for key in asked))
    if declared.pool is not None and declared.pool not in pools:
        yield broken(f"{part}.pool", "must be one of design.pools", declared.pool)


def _of_partners(declared: EmpathicAccuracy, felt: ScaledQuestion, perceived: ScaledQuestion) -> Broken:
    """What is wrong if a question is about the turns of one writer."""
    part = "analysis.empathic_accuracy"
    if (felt.turns, perceived.turns) == ("all", "all"):
        return
    if (felt.turns, perceived.turns) != ("own", "partner"):
        rule = "must name a question about raters' own turns in `felt` and one about the partner's in `perceived`"
        yield broken(part, rule, f"{felt.key} ({felt.turns}) and {perceived.key} ({perceived.turns})")
    elif declared.pool is not None:
        yield broken(f"{part}.pool", "must not be set where raters are the targets of their own turns", declared.pool)
