"""The kind `rating`: one point of a scale, where each point has a label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from app.base.language.message import Message, message
from app.base.words import number, number_text
from app.protocol.questions.scale import Level, Scale
from app.protocol.questions.scaled import NumberQuestion


class RatingQuestion(NumberQuestion):
    """A Likert question: one point of a scale.

    `orientation`: whether the points are in a row or a column. It does not depend on the screen width, because it
    affects answers.
    """

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
