"""Checks of attention, comprehension and plausible ratings. They flag raters and never exclude them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import BrokenRuleError
from app.protocol.flow import Accepted, Practice
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.question import Key, Prose
from app.protocol.questions.slot import Slot

DEFAULT_FLAG_AT = 2


class _Check(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    key: Key
    """The check's name in checks.csv."""
    text: Prose = Field(min_length=1)
    """The question as raters read it."""
    codes: dict[Key, str] = Field(min_length=2, title="Answers")
    """The answers, from code to words."""
    correct: Key = Field(title="Right answer")
    """The correct code."""

    @model_validator(mode="after")
    def _correct_is_a_code(self) -> Self:
        if self.correct not in self.codes:
            raise BrokenRuleError("correct must be one of the codes", self.correct)
        return self


class AttentionCheck(_Check):
    """A question that says which answer to choose, shown after the trial at that position.

    The instruction is explicit in the question itself, and the answer to choose is not the middle one, as Prolific's
    policy on attention checks requires.
    """

    after: int = Field(ge=1, title="Asked after this many trials")
    """Number of trials before the check."""

    @model_validator(mode="after")
    def _says_what_to_choose(self) -> Self:
        if self.codes[self.correct].casefold() not in self.text.casefold():
            rule = "the text of an attention check must say which answer to choose"
            raise BrokenRuleError(rule, f"no {self.codes[self.correct]}")
        place, n = list(self.codes).index(self.correct), len(self.codes)
        if n % 2 and place == n // 2:
            raise BrokenRuleError("the correct answer of an attention check must not be the middle one")
        return self


class ComprehensionCheck(_Check):
    """A question about the instructions; raters who answer incorrectly read the explanation and try again."""

    explanation: Prose = ""
    """Shown to raters who answer incorrectly."""


def slot_of_check(check: AttentionCheck | ComprehensionCheck, number: int = 1, help_: str = "") -> Slot:
    """The slot of a check: a question with one answer, the `number`th on its page, with an optional help text."""
    return Slot(
        f"c{number}",
        CategoryQuestion(
            key=check.key, target="rater", text=check.text, type="category", codes=check.codes, help=help_
        ),
    )


class GoldTrial(BaseModel):
    """A trial with known correct answers: mixed into every rater's order and excluded from every estimate."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    item: Key
    """The item's ID in items.csv; it is used only for this check."""
    responses: tuple[Key, ...] = ()
    """The responses to show; default: as in the other trials."""
    expect: dict[Key, Accepted] = Field(min_length=1)
    """Questions with the answers that count as correct, as in practice."""


class Checks(BaseModel):
    """The checks of a study, and the number of failures at which a rater is flagged."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    attention: tuple[AttentionCheck, ...] = Field(default=(), title="Attention checks")
    """Questions that tell raters which answer to choose."""
    comprehension: tuple[ComprehensionCheck, ...] = Field(default=(), title="Comprehension checks")
    """Questions about the instructions."""
    comprehension_attempts: int = Field(default=2, ge=1, le=10)
    """Maximum number of attempts at these questions."""
    gold: tuple[GoldTrial, ...] = Field(default=(), title="Gold trials")
    """Trials with known correct answers."""
    flag_at: int | None = Field(default=None, ge=1, title="Flag raters who fail at least")
    """Number of failed attention checks and gold trials at which a rater is flagged. Default: 2, or 1 if there is only
    one.
    """
    too_fast_sd: float | None = Field(default=None, gt=0, title="Standard deviations below the mean time")
    """Also flag raters whose total time is this many standard deviations below the mean. Times are skewed, so this
    rarely flags anyone.
    """

    @property
    def n_scored(self) -> int:
        """The number of attention checks and gold trials: those that can flag a rater."""
        return len(self.attention) + len(self.gold)

    @property
    def flagged_at(self) -> int:
        """The number of failures at which a rater is flagged, never more than there are checks."""
        at = self.flag_at or DEFAULT_FLAG_AT
        return min(at, self.n_scored) if self.n_scored else at


@dataclass(frozen=True, slots=True)
class Score:
    """How many of the expected answers were correct."""

    n_right: int
    n_expected: int

    @property
    def share(self) -> float:
        """The proportion of correct answers; 1 if no answers are expected."""
        return self.n_right / self.n_expected if self.n_expected else 1.0


def is_right(accepted: Sequence[str], given: Sequence[str]) -> bool:
    """Whether a question is answered as expected; if it was asked about several things, for each of them."""
    return all(answer in accepted for answer in given)


def score_of(expect: Mapping[str, Sequence[str]], asked: Mapping[str, Sequence[str]]) -> Score:
    """Score the answers on a page.

    Args:
        expect: accepted answers by question, as written in ratings.csv.
        asked: the answers by question of the page, one per thing that it was asked about; empty for no answer.
    """
    due = [question for question in expect if question in asked]
    return Score(sum(is_right(expect[question], asked[question]) for question in due), len(due))


def practice_outcome(practice: Practice, shares: Sequence[float]) -> Literal["passed", "again", "go_on", "end"]:
    """What follows an attempt at the practice trials.

    Args:
        practice: its settings.
        shares: proportion of correct answers in each attempt so far, 0 to 1; at least one.
    """
    if shares[-1] >= practice.pass_share:
        return "passed"
    return "again" if len(shares) < practice.attempts else practice.on_fail
