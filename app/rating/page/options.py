"""The options of a question, with their words, the number on a scale's cell, and the keyboard shortcut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal, assert_never

from app.base.language.language import Language
from app.base.language.message import Message, message
from app.base.words import number_text
from app.protocol.allocation.trials import PAIR
from app.protocol.pages.page_slots import places_as_read
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.choice import DEFAULT_STRENGTH, STRENGTH, ChoiceQuestion
from app.protocol.questions.highlight import HighlightQuestion
from app.protocol.questions.question import SIDES
from app.protocol.questions.ranking import RankingQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.registry import Question
from app.protocol.questions.scale import Point, Scale
from app.protocol.questions.slider import SliderQuestion
from app.protocol.questions.slot import letter, response_name
from app.protocol.questions.text import TextQuestion

Layout = Literal["scale", "column", "choice", "few", "chips", "list"]
# Three short categories fit in a row with their words as column headings at any screen width.
_FEW, _FEW_LENGTH, _FEW_WORD = 3, 24, 14
_CHIP_LENGTH = 3
_DIGITS = frozenset("0123456789")


@dataclass(frozen=True, slots=True)
class Option:
    """One radio button or checkbox. `sign` is the number on a scale's cell; `key` is the shortcut, if there is one."""

    value: str
    words: str
    key: str = ""
    sign: str = ""
    has_words: bool = True


def options_of(question: Question, language: Language, n_shown: int, *, is_turned: bool = False) -> tuple[Option, ...]:
    """The options of a question about `n_shown` responses; empty if it is answered in another way."""
    match question:
        case RatingQuestion():
            return scale_options(question.scale, language, is_turned=is_turned)
        case ChoiceQuestion():
            return tuple(Option(value, language.say(words), key) for value, words, key in _choices(question, language))
        case CategoryQuestion():
            return _categories(question)
        case RankingQuestion():
            ranks = range(1, n_shown + 1)
            return tuple(Option(str(n), str(n), _digit(n), language.say(n), has_words=False) for n in ranks)
        case SliderQuestion() | TextQuestion() | HighlightQuestion():
            return ()
        case _:
            assert_never(question)


def layout_of(question: Question, options: Sequence[Option]) -> Layout:
    """The layout of the options: for scales as declared, at every width; for categories it depends on their words."""
    if isinstance(question, RatingQuestion) and question.orientation == "column":
        return "column"
    if isinstance(question, RatingQuestion | RankingQuestion):
        return "scale"
    if isinstance(question, ChoiceQuestion):
        return "choice"
    words = [option.words for option in options]
    if all(len(text) <= _CHIP_LENGTH for text in words):
        return "chips"
    is_short = all(len(text) <= _FEW_LENGTH and max(map(len, text.split())) <= _FEW_WORD for text in words)
    return "few" if is_short and len(options) <= _FEW else "list"


def scale_options(scale: Scale, language: Language, *, is_turned: bool = False) -> tuple[Option, ...]:
    """The points of a scale in reading order.

    Each has a number, the same on every screen: its position if every point has words, otherwise its value. A
    single-digit number is also its keyboard shortcut.
    """
    points = tuple(reversed(scale.points)) if is_turned else scale.points
    shows_positions = all(point.words for point in points)
    numbers = range(1, len(points) + 1) if shows_positions else [point.value for point in points]
    return tuple(
        Option(
            number_text(point.value),
            language.say(_words(scale, point)),
            _digit(number),
            language.say(number),
            has_words=bool(point.words),
        )
        for number, point in zip(numbers, points, strict=True)
    )


def _words(scale: Scale, point: Point) -> Message | str | float:
    """The words of a point; those of `strength: true` are built-in texts."""
    if scale == DEFAULT_STRENGTH:
        return STRENGTH[int(point.value)]
    return point.words or point.value


def _choices(question: ChoiceQuestion, language: Language) -> Iterator[tuple[str, Message, str]]:
    """The options of a forced choice, with words and key: A is the response that is read first, on whichever side."""
    for nth, place in enumerate(places_as_read(PAIR, is_right_to_left=language.is_right_to_left)):
        yield SIDES[place], response_name(nth, PAIR), letter(nth)
    if question.tie:
        yield "tie", message("About the same"), "T"
    if question.neither:
        yield "neither", message("Neither"), "N"


def _categories(question: CategoryQuestion) -> tuple[Option, ...]:
    """The codes with their keys: the letter if all of them are letters, otherwise a digit, 0 for the tenth."""
    words = {code: text or code for code, text in question.codes.items()}
    is_lettered = all(len(text) == 1 and text.upper() in ascii_uppercase for text in words.values())
    keys = [text.upper() for text in words.values()] if is_lettered else list("1234567890")
    return tuple(Option(code, text, keys[n] if n < len(keys) else "") for n, (code, text) in enumerate(words.items()))


def _digit(number: float) -> str:
    text = number_text(number)
    return text if text in _DIGITS else ""
