"""Composites: one score from several questions, such as a questionnaire's subscale or the mean of dimensions."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.base.problem import Broken, BrokenRuleError, broken
from app.base.words import and_list
from app.protocol.questions.question import Key, Prose
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.questions.scale import Label

MAX_FACTORS = 6


class Composite(BaseModel):
    """The questions that make up the score. In study.yaml a plain list of questions means their mean.

    `at_least` is the minimum number of answered questions, by default all. If answers are missing, a sum is the mean
    times the number of questions, so that it stays comparable.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    questions: tuple[Key, ...] = Field(min_length=1)
    """Rating or slider questions with the same target."""
    score: Literal["mean", "sum"] = "mean"
    """`mean` or `sum`."""
    at_least: int | None = Field(default=None, ge=1)
    """Minimum number of answered questions; default: all. If answers are missing, the sum is the mean times the number
    of questions.
    """
    label: Label | None = None
    """The score's name on the lead's pages and in charts."""
    factors: int | None = Field(default=None, ge=0, le=MAX_FACTORS)
    """Estimate the factor structure of three or more questions, with this number of factors; 0: as many as parallel
    analysis finds.
    """
    rotation: Literal["oblimin", "varimax"] = "oblimin"
    """How factors are rotated: `oblimin`, which may correlate, or `varimax`, which may not."""
    text: Prose = ""
    """What the score means, for readers of the report."""
    citation: Prose = ""
    """The publication of the scale that the score is from; the methods of the report and the codebook cite it."""

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        return {"questions": data} if isinstance(data, list | tuple) else data

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        if len(set(self.questions)) != len(self.questions):
            raise BrokenRuleError("a composite must name each question once")
        if self.at_least is not None and self.at_least > len(self.questions):
            raise BrokenRuleError(f"at_least must be at most the number of questions, {len(self.questions)}")
        k, m = len(self.questions), max(self.factors or 0, 1)
        if self.factors is not None and (k - m) ** 2 < k + m:
            raise BrokenRuleError("factors must be so few that questions can tell them apart: 1 of 3, 2 of 5, 3 of 6")
        return self

    @property
    def n_needed(self) -> int:
        """How many of the questions must be answered for a score."""
        return len(self.questions) if self.at_least is None else self.at_least


def turned(question: ScaledQuestion, value: float) -> float:
    """The value as it enters a composite: reverse-scored if a high value is undesirable.

    >>> from app.protocol.questions.slider import SliderQuestion
    >>> turned(SliderQuestion(key="k", target="rater", type="slider", text="Cold", min=0, max=10, reversed=True), 3)
    7.0
    """
    values = question.values
    return values[0] + values[-1] - value if question.reversed else value


def composite_score(
    composite: Composite, questions: Mapping[str, ScaledQuestion], values: Mapping[str, float]
) -> float | None:
    """The score of one rater for one thing, or None if too few questions are answered.

    Args:
        composite: the composite to compute.
        questions: by key, at least those of the composite.
        values: the answers as given, by question key; without unanswered questions.
    """
    answered = [turned(questions[key], values[key]) for key in composite.questions if key in values]
    if len(answered) < composite.n_needed:
        return None
    mean = sum(answered) / len(answered)
    return mean * len(composite.questions) if composite.score == "sum" else mean


def composite_problems(name: str, composite: Composite, questions: Sequence[ScaledQuestion]) -> Broken:
    """What is wrong with a composite, given the study's rating and slider questions."""
    part, known = f"analysis.composites.{name}", {question.key: question for question in questions}
    if unknown := [key for key in composite.questions if key not in known]:
        yield broken(part, "must name rating or slider questions", ", ".join(unknown))
    if len(targets := {known[key].target for key in composite.questions if key in known}) > 1:
        yield broken(part, "must combine questions with the same target", and_list(sorted(targets)))
    if len(turns := {known[key].turns for key in composite.questions if key in known}) > 1:
        yield broken(part, "must combine questions about the turns of the same writer", and_list(sorted(turns)))
    if name in known:
        yield broken(part, "must not have the key of a question", name)
