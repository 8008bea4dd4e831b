"""The kind `slider`: a number between two ends, in steps."""

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import ClassVar, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from app.base.language.message import Message, message
from app.base.problem import BrokenRuleError
from app.base.words import number, number_text
from app.protocol.questions.display import Display, ReplyField, values_of
from app.protocol.questions.scale import Level
from app.protocol.questions.scaled import NumberQuestion

# Statistics iterate over every step of the scale.
MAX_STEPS = 10_000


class SliderQuestion(NumberQuestion):
    """A slider from `min` to `max` in steps."""

    has_script: ClassVar[bool] = True
    starts_with: ClassVar[Mapping[str, object]] = {"target": "response"}
    type_words: ClassVar[str] = "Slider"
    type: Literal["slider"]
    min: FiniteFloat = 0
    """Lowest value of a slider."""
    max: FiniteFloat = 100
    """Highest value of a slider."""
    step: FiniteFloat = Field(default=1, gt=0)
    """Distance between two values of a slider."""
    min_words: str = ""
    """Words at the low end of a slider."""
    max_words: str = ""
    """Words at the high end of a slider."""
    level: Level = "interval"

    @model_validator(mode="after")
    def _has_room(self) -> Self:
        if self.max <= self.min:
            raise BrokenRuleError("the slider's max must be greater than its min", f"{self.min:g} to {self.max:g}")
        n_steps = (self.max - self.min) / self.step
        if n_steps > MAX_STEPS:
            raise BrokenRuleError(f"a slider must have at most {MAX_STEPS:,} steps", f"{n_steps:,.0f}")
        if self.values[-1] != self.max:
            steps = f"{self.min:g} to {self.max:g} in steps of {self.step:g}"
            raise BrokenRuleError("the slider's steps must reach its max", steps)
        return self

    @property
    def values(self) -> tuple[float, ...]:
        """The allowed values, ascending; computed in decimal steps, so that 0.1 + 0.2 is 0.3."""
        low, high, step = self._limits
        return tuple(float(low + step * k) for k in range(int((high - low) / step) + 1))

    @property
    def _limits(self) -> tuple[Decimal, Decimal, Decimal]:
        return Decimal(repr(self.min)), Decimal(repr(self.max)), Decimal(repr(self.step))

    def value_of(self, text: str) -> float | None:
        """As `NumberQuestion.value_of`."""
        value = number(text)
        return value if value is not None and self._is_step(text) else None

    def _is_step(self, text: str) -> bool:
        low, high, step = self._limits
        try:
            value = Decimal(text.strip())
            return low <= value <= high and (value - low) % step == 0
        except InvalidOperation:
            return False

    def out_of_range(self) -> Message:
        """As `NumberQuestion.out_of_range`."""
        return message(
            "Enter a number from %(min)s to %(max)s, in steps of %(step)s.", min=self.min, max=self.max, step=self.step
        )

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`."""
        low, high, step = (number_text(value) for value in (self.min, self.max, self.step))
        return f"{low} to {high} in steps of {step}"

    def meanings(self) -> Iterator[tuple[str, str]]:
        """As `AskedQuestion.meanings`."""
        yield "", self.allowed_words()

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        ends = ((self.min, self.min_words), (self.max, self.max_words))
        low, high = (f"{number_text(end)} ({words})" if words else number_text(end) for end, words in ends)
        return f"slider from {low} to {high}"

    def words_of_answers(self) -> dict[str, str]:
        """As `AskedQuestion.words_of_answers`: those of the two ends."""
        ends = {number_text(self.min): self.min_words, number_text(self.max): self.max_words}
        return {value: words for value, words in ends.items() if words}

    def fixed_answers(self) -> set[object]:
        """As `AskedQuestion.fixed_answers`."""
        return {("min", self.min), ("max", self.max), ("step", self.step)}

    def how_to_answer(self, display: Display) -> Iterator[str]:
        """As `AskedQuestion.how_to_answer`."""
        say = display.language.say
        ends = [self.min_words or say(self.min), self.max_words or say(self.max)]
        yield " – ".join(reversed(ends) if display.is_turned else ends)
        yield say(message("Number from %(min)s to %(max)s", min=self.min, max=self.max))
        yield from super().how_to_answer(display)

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:
        """As `AskedQuestion.reply_fields`."""
        yield ReplyField("number", values_of(self.offers(display)), is_required=self.required)
