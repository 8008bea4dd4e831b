"""The kind `rating`: one point of a scale, where each point has a label."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from app.base.language.message import Message, message
from app.base.problem import BrokenRuleError
from app.base.words import number, number_text
from app.protocol.questions.display import Display, Layout, Option, ReplyField, defined, values_of
from app.protocol.questions.question import AskedQuestion, Key, Labelled
from app.protocol.questions.scale import Level, Point, Scale, scale_options
from app.protocol.questions.scaled import NumberQuestion


class RatingQuestion(NumberQuestion):
    """A Likert question: one point of a scale.

    Neither `orientation` nor `labels_shown` depends on the screen width, because both affect answers.
    """

    starts_with: ClassVar[Mapping[str, object]] = {
        "target": "response",
        "scale": {"1": "Not at all", "2": "Slightly", "3": "Moderately", "4": "Very", "5": "Extremely"},
    }
    type_words: ClassVar[str] = "Rating on a scale"
    type: Literal["rating"]
    scale: Scale
    """The points of a rating scale, from value to words; values can be any numbers. Each point needs its own words;
    without words, raters read its number.
    """
    level: Level = "ordinal"
    orientation: Literal["row", "column"] = "row"
    """Whether the points of the scale lie in a `row` or a `column`; the same on every screen, because it changes
    answers.
    """
    labels_shown: Literal["all", "ends"] = "all"
    """Whether raters read the words of `all` points of the scale or only those at its `ends`; the same on every
    screen, because it changes answers.
    """

    definitions: dict[Key, str] = Field(default={})
    """What points of the scale mean, from value to definition: raters read it on hover, focus or tap of a point."""

    @field_validator("definitions", mode="before")
    @classmethod
    def _by_value(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if not isinstance(data, dict):
            return data
        values = {key: number(str(key)) for key in data}
        return {str(key) if (value := values[key]) is None else number_text(value): text for key, text in data.items()}

    @model_validator(mode="after")
    def _defined_points_exist(self) -> Self:
        known = {number_text(value) for value in self.values}
        if unknown := [key for key in self.definitions if key not in known]:
            raise BrokenRuleError("definitions must be of points of the scale", ", ".join(unknown))
        return self

    @property
    def scale_shown(self) -> Scale:
        """The scale with the words that raters read."""
        if self.labels_shown == "all":
            return self.scale
        first, *between, last = self.scale.points
        bare = (Point(value=point.value) for point in between)
        return self.scale.model_copy(update={"points": (first, *bare, last)})

    def labelled(self) -> Labelled:
        """As `AskedQuestion.labelled`."""
        has_words = [bool(point.words) for point in self.scale_shown.points]
        if all(has_words):
            return "all"
        if not any(has_words):
            return "none"
        return "ends" if has_words[0] and has_words[-1] and not any(has_words[1:-1]) else "some"

    @property
    def has_points(self) -> bool:
        """As `AskedQuestion.has_points`."""
        return True

    @property
    def values(self) -> tuple[float, ...]:
        """The declared values, ascending."""
        return self.scale.values

    def value_of(self, text: str) -> float | None:
        """As `NumberQuestion.value_of`."""
        value = number(text)
        return next((point for point in self.values if point == value), None)

    def out_of_range(self) -> Message:
        """As `NumberQuestion.out_of_range`."""
        return message("Choose one of the points of the scale.")

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`.

        >>> scale = Scale.model_validate({1: "low", 2: "high"})
        >>> RatingQuestion(key="r", type="rating", target="item", text="Warm?", scale=scale).allowed_words()
        '1 or 2 (the scale of `r`)'
        """
        values = [number_text(value) for value in self.values]
        return f"{', '.join(values[:-1])} or {values[-1]} (the scale of `{self.key}`)"

    def meanings(self) -> Iterator[tuple[str, str]]:
        """As `AskedQuestion.meanings`."""
        for point in self.scale.points:
            yield number_text(point.value), point.words

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        turned = "; high values are undesirable" if self.reversed else ""
        return f"{self.scale.in_words} ({self.level}){turned}"

    def other_words(self) -> dict[str, list[str]]:
        """As `AskedQuestion.other_words`."""
        return {number_text(point.value): [point.words] for point in self.scale.points} | super().other_words()

    def fixed_answers(self) -> set[object]:
        """As `AskedQuestion.fixed_answers`."""
        return set(self.values)

    def takes_as_before(self, new: AskedQuestion) -> bool:
        """As `AskedQuestion.takes_as_before`: a scale cannot get more points either."""
        return self.fixed_answers() == new.fixed_answers()

    def options(self, display: Display) -> tuple[Option, ...]:
        """As `AskedQuestion.options`."""
        return defined(scale_options(self.scale_shown, display), self.definitions)

    def layout(self, options: Sequence[Option]) -> Layout:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.layout`: as declared, at every width."""
        return "column" if self.orientation == "column" else "scale"

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:
        """As `AskedQuestion.reply_fields`."""
        yield ReplyField("one_of", values_of(self.offers(display)), is_required=self.required)
