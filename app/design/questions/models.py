"""Questions: what is asked, of what, and which answers are allowed."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, FiniteFloat, StringConstraints, model_validator

from app.design.questions.scale import Level, Point, Scale, number_text
from app.language.message import message

Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")]
# Every step is a value of the scale that statistics go through.
MOST_STEPS = 10_000
# The points of `strength: true`.
STRENGTH = {1: message("slightly"), 2: message("clearly"), 3: message("strongly")}
USUAL_STRENGTH = Scale(points=tuple(Point(value=value, words=words.text) for value, words in STRENGTH.items()))
Target = Literal["response", "pair", "item", "turn", "rater"]


class _Question(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    key: Key
    target: Target
    text: str = Field(min_length=1)
    help: str = ""
    required: bool = True
    comment: bool = False
    condition: str | None = None


class RatingQuestion(_Question):
    """A Likert question: one point of a scale. `reversed`: a high value is undesirable."""

    type: Literal["rating"]
    scale: Scale
    level: Level = "ordinal"
    reversed: bool = False
    cannot_judge: bool = False

    @property
    def values(self) -> tuple[float, ...]:
        """The declared values, ascending."""
        return self.scale.values


class SliderQuestion(_Question):
    """A slider from `min` to `max` in steps."""

    type: Literal["slider"]
    min: FiniteFloat = 0
    max: FiniteFloat = 100
    step: FiniteFloat = Field(default=1, gt=0)
    min_words: str = ""
    max_words: str = ""
    level: Level = "interval"
    reversed: bool = False
    cannot_judge: bool = False

    @model_validator(mode="after")
    def _has_room(self) -> SliderQuestion:
        if self.max <= self.min:
            raise ValueError("the slider's max is above its min")
        n_steps = (self.max - self.min) / self.step
        if n_steps > MOST_STEPS:
            raise ValueError(f"a slider has at most {MOST_STEPS:,} steps, found {n_steps:,.0f}")
        return self

    @property
    def values(self) -> tuple[float, ...]:
        """The declared values, ascending; in decimal steps, so that 0.1 + 0.2 stays 0.3."""
        low, high, step = (Decimal(repr(number)) for number in (self.min, self.max, self.step))
        return tuple(float(low + step * k) for k in range(int((high - low) / step) + 1))


class ChoiceQuestion(_Question):
    """A forced choice between the two responses of a pair."""

    type: Literal["choice"]
    target: Literal["pair"] = "pair"
    tie: bool = False
    neither: bool = False
    strength: Scale | None = None

    @model_validator(mode="before")
    @classmethod
    def _plain_strength(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if isinstance(data, dict) and isinstance(data.get("strength"), bool):
            return {**data, "strength": USUAL_STRENGTH if data["strength"] else None}
        return data


class CategoryQuestion(_Question):
    """One or several codes. `correct` is the right one where there is a key."""

    type: Literal["category"]
    codes: dict[Key, str] = Field(validation_alias=AliasChoices("codes", "options"), min_length=1)
    multiple: bool = False
    correct: str | None = None
    correct_column: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _codes_from_list(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        name = "codes" if isinstance(data, dict) and "codes" in data else "options"
        if isinstance(data, dict) and isinstance(data.get(name), list):
            return {**data, name: {str(code): str(code) for code in data[name]}}
        return data

    @model_validator(mode="after")
    def _codes_can_be_joined(self) -> CategoryQuestion:
        if any("|" in code for code in self.codes):
            raise ValueError("a code has no | in it: it joins several codes in ratings.csv")
        if self.correct is not None and self.correct not in self.codes:
            raise ValueError(f"correct names one of the codes, found {self.correct}")
        return self


class TextQuestion(_Question):
    """Free text, such as a rationale."""

    type: Literal["text"]
    min_length: int = Field(default=0, ge=0)
    required: bool = False


class HighlightQuestion(_Question):
    """Passages of the text, as character offsets."""

    type: Literal["highlight"]
    target: Literal["response", "item", "turn"]
    required: bool = False


Question = Annotated[
    RatingQuestion | SliderQuestion | ChoiceQuestion | CategoryQuestion | TextQuestion | HighlightQuestion,
    Field(discriminator="type"),
]
ScaledQuestion = RatingQuestion | SliderQuestion


def allowed_words(question: Question) -> str:
    """Which answers a question takes, as a person reads it.

    >>> allowed_words(ChoiceQuestion(key="p", type="choice", text="Which?", tie=True))
    'the id of one of the two responses, or its source, or tie'
    """
    match question:
        case RatingQuestion():
            values = [number_text(value) for value in question.values]
            return f"{', '.join(values[:-1])} or {values[-1]} (the scale of `{question.key}`)"
        case SliderQuestion():
            low, high, step = (number_text(value) for value in (question.min, question.max, question.step))
            return f"{low} to {high} in steps of {step}"
        case ChoiceQuestion():
            more = "".join(f", or {word}" for word in ("tie", "neither") if getattr(question, word))
            return f"the id of one of the two responses, or its source{more}"
        case CategoryQuestion():
            return f"{', '.join(question.codes)}{' (several joined by |)' if question.multiple else ''}"
        case HighlightQuestion():
            return "character offsets such as 12-30|45-60, in a dialogue each led by its turn: 2:12-30"
        case _:
            return "any text"


__all__ = ["Key", "Point", "Question", "ScaledQuestion", "Target", "allowed_words"]
