"""Scales: the allowed values of a rating, each with its label."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from app.base.language.message import Message, message
from app.base.problem import BrokenRuleError
from app.base.words import number, number_text
from app.protocol.questions.display import Display, Option, digit_key

Level = Literal["nominal", "ordinal", "interval", "ratio"]

MAX_LABEL = 80


def _label(text: str) -> str:
    label = " ".join(text.split())
    if not label:
        raise ValueError("a label with at least one character, or no label")
    if len(label) > MAX_LABEL:
        raise BrokenRuleError(f"a label must have at most {MAX_LABEL:,} characters", len(label))
    if tag := re.search(r"<[A-Za-z/!][^>]*>?", label):
        raise BrokenRuleError("a label must be plain text without HTML", tag[0])
    return label


# What people read in place of a key: on the lead's pages, in charts and in tables.
Label = Annotated[str, AfterValidator(_label)]


def equal_words(named: Iterable[tuple[str, str]]) -> str | None:
    """The first answers that people cannot tell apart because their words are equal; None if there are none.

    Args:
        named: what the lead calls each answer, and its words; empty words stand for the name.

    >>> equal_words([("1", "Poor"), ("2", "poor "), ("3", ""), ("4", "")])
    '“poor” for both 1 and 2'
    """
    seen: dict[str, str] = {}
    for name, text in named:
        words = " ".join((text or name).split())
        first = seen.setdefault(words.casefold(), name)
        if first != name:
            return f"“{words}” for both {first} and {name}"
    return None


class Point(BaseModel):
    """One point of a scale."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    value: float
    words: str = ""


class Scale(BaseModel):
    """The points, from low to high. In study.yaml it is written as a mapping from value to words."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    points: tuple[Point, ...]

    @model_validator(mode="before")
    @classmethod
    def _from_mapping(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if isinstance(data, dict) and "points" not in data:
            bad = [str(key) for key in data if number(key) is None]
            # A form numbers entries of one name: a second point 1 arrives as "1 2".
            if again := [first for key in bad if (first := key.rpartition(" ")[0]) in map(str, data)]:
                raise BrokenRuleError("the values of a scale must be unique", f"{again[0]} more than once")
            if bad:
                raise BrokenRuleError("the points of a scale must be numbers", ", ".join(bad))
            points = [
                {"value": number(key), "words": "" if words is None else str(words)} for key, words in data.items()
            ]
            return {"points": points}
        return data

    @model_validator(mode="after")
    def _sorted_and_distinct(self) -> Self:
        values = [point.value for point in self.points]
        if len(values) < 2:  # noqa: PLR2004 - one point is no choice
            raise BrokenRuleError("a scale must have at least two points")
        if len(set(values)) != len(values):
            raise BrokenRuleError("the values of a scale must be unique")
        if (same := equal_words((number_text(point.value), point.words) for point in self.points)) is not None:
            raise BrokenRuleError("each point of a scale must have its own words", same)
        if values != sorted(values):
            object.__setattr__(self, "points", tuple(sorted(self.points, key=lambda point: point.value)))
        return self

    @property
    def values(self) -> tuple[float, ...]:
        """The allowed values, ascending."""
        return tuple(point.value for point in self.points)

    def words_of(self, value: float) -> str:
        """The label of the point or, if it has none, its number."""
        return next((point.words for point in self.points if point.value == value), "") or number_text(value)

    @property
    def in_words(self) -> str:
        """The points with their labels, as documents write them."""
        return ", ".join(f"{number_text(point.value)} {point.words}".strip() for point in self.points)


# The points of `strength: true`.
STRENGTH = {1: message("slightly"), 2: message("clearly"), 3: message("strongly")}
DEFAULT_STRENGTH = Scale(points=tuple(Point(value=value, words=words.text) for value, words in STRENGTH.items()))


def scale_options(scale: Scale, display: Display) -> tuple[Option, ...]:
    """The points of a scale in reading order.

    Each has a number, the same on every screen: its position if every point has words, otherwise its value. A
    single-digit number is also its keyboard shortcut.
    """
    points = tuple(reversed(scale.points)) if display.is_turned else scale.points
    shows_positions = all(point.words for point in points)
    numbers = range(1, len(points) + 1) if shows_positions else [point.value for point in points]
    say = display.language.say
    return tuple(
        Option(number_text(point.value), say(_words(scale, point)), digit_key(number), say(number), bool(point.words))
        for number, point in zip(numbers, points, strict=True)
    )


def _words(scale: Scale, point: Point) -> Message | str | float:
    """The words of a point; those of `strength: true` are built-in texts."""
    if scale == DEFAULT_STRENGTH:
        return STRENGTH[int(point.value)]
    return point.words or point.value
