"""How a question is displayed: the answers it offers, on the page, as plain text, and as fields of a model's reply."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from app.base.language.language import ENGLISH, Language
from app.base.language.message import Message, message
from app.base.words import number_text

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Layout = Literal["scale", "column", "choice", "few", "chips", "list"]
# What a field of a model's reply contains.
Reply = Literal["one_of", "several_of", "number", "text", "passages"]
_PAIR = 2
_DIGITS = frozenset("0123456789")


@dataclass(frozen=True, slots=True)
class Display:
    """Where a question is displayed: the language, the number of responses, and whether scales are reversed."""

    language: Language = ENGLISH
    n_shown: int = 0
    is_turned: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One radio button or checkbox. `sign` is the number on a scale's cell; `key` is the shortcut, if there is one.

    `definition`: what it means, if the study says so.
    """

    value: str
    words: str
    key: str = ""
    sign: str = ""
    has_words: bool = True
    definition: str = ""


@dataclass(frozen=True, slots=True)
class Offer:
    """One answer that a question offers: the sign by which it is named in the text, its words and its value."""

    sign: str
    words: str
    value: str

    @property
    def line(self) -> str:
        """The line of the text that offers it."""
        return f"- {self.sign}" if self.words in {"", self.sign} else f"- {self.sign}: {self.words}"


@dataclass(frozen=True, slots=True)
class ReplyField:
    """One field of a model's reply to a question.

    `name` and `part` follow the name of the question in the reply and in the form. `values`: the form's value for each
    sign that the model may write.
    """

    reply: Reply
    values: Mapping[str, str] = field(default_factory=dict)
    name: str = ""
    part: str = ""
    about: str = ""
    is_required: bool = True


def defined(options: Iterable[Option], definitions: Mapping[str, str]) -> tuple[Option, ...]:
    """The options with their definitions."""
    return tuple(replace(option, definition=definitions.get(option.value, "")) for option in options)


def offers_of(options: Sequence[Option]) -> tuple[Offer, ...]:
    """The answers by the number shown on the page, or by their words; by their place if those are not unique."""
    signs = [option.sign or option.words for option in options]
    if len(set(signs)) < len(signs):
        signs = [str(number) for number in range(1, len(signs) + 1)]
    return tuple(
        Offer(sign, option.words if option.has_words else "", option.value)
        for sign, option in zip(signs, options, strict=True)
    )


def values_of(offers: Sequence[Offer]) -> dict[str, str]:
    """The value of each answer by its sign."""
    return {offer.sign: offer.value for offer in offers}


def digit_key(number: float) -> str:
    """The number as a keyboard shortcut; empty unless it is a single digit."""
    text = number_text(number)
    return text if text in _DIGITS else ""


def places_as_read(n_shown: int, *, is_right_to_left: bool) -> tuple[int, ...]:
    """Indices of the responses in reading order: in right-to-left languages, the left response of a pair is read last.

    More than two responses have no sides: they are read in stored order.

    >>> places_as_read(2, is_right_to_left=False), places_as_read(2, is_right_to_left=True)
    ((0, 1), (1, 0))
    >>> places_as_read(3, is_right_to_left=True)
    (0, 1, 2)
    """
    return (1, 0) if is_right_to_left and n_shown == _PAIR else tuple(range(n_shown))


def response_name(nth: int, n_shown: int) -> Message:
    """The name of a response on the page: with a letter if there are several.

    In every language, the letters are those of the keyboard shortcuts.
    """
    return message("Response %(letter)s", letter=letter(nth)) if n_shown > 1 else message("Response")


def letter(nth: int) -> str:
    """The letter of the nth response in reading order, from 0: A, B, ..., and numbers after Z.

    >>> letter(0), letter(27)
    ('A', '28')
    """
    return LETTERS[nth] if nth < len(LETTERS) else str(nth + 1)
