"""What all kinds of question share: what is asked of what, what a form sends, and what was answered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.design.questions.prose import Prose
from app.design.questions.scale import Label, number_text
from app.language.message import Message, message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from random import Random

Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")]
Target = Literal["response", "pair", "set", "item", "turn", "rater"]
Form = dict[str, list[str]]
# The column of an answer that says nothing where it is empty: CSV has one cell for that and for no answer.
EmptyColumn = Literal["codes", "text"]
SIDES = ("left", "right")
# By the width of the browser's window: nothing that identifies.
DEVICES = ("phone", "tablet", "desktop")
MAX_TEXT = 20_000


class AnswerError(ValueError):
    """The question does not allow this answer. Carries words for the rater."""

    def __init__(self, words: Message) -> None:
        """`words` say what is asked for."""
        super().__init__(words.text)
        self.words = words


@dataclass(frozen=True, slots=True)
class Given:
    """What was answered to a question, told as the response and not as the side.

    Exactly one of number, outcome, codes, text and ranks is set. `ranks`: the rank of each response, by its id.
    """

    number: float | None = None
    outcome: str | None = None
    chosen_response_id: int | None = None
    side: str | None = None
    strength: float | None = None
    codes: tuple[str, ...] | None = None
    text: str | None = None
    ranks: tuple[tuple[int, int], ...] | None = None
    comment: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Blank:
    """Where on a page a question is to be answered.

    `name` is the form field; `shown` are the ids of the responses as shown, left first; `response_id` the one that is
    asked about; `passages` the text that passages are asked of, or its turns.
    """

    name: str
    shown: tuple[int, ...] = ()
    response_id: int | None = None
    passages: tuple[str, ...] = ()
    in_turns: bool = False


@dataclass(frozen=True, slots=True)
class Sent(Blank):
    """A blank with the form that came back."""

    form: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def is_sent(self) -> bool:
        """Whether the form has the field at all."""
        return self.name in self.form

    @property
    def values(self) -> list[str]:
        """What stands in the field, without spaces around."""
        return [value.replace("\x00", "").strip() for value in self.form.get(self.name, ())]

    @property
    def value(self) -> str | None:
        """The first value that is not empty."""
        return next((value for value in self.values if value), None)

    def text(self, part: str = "") -> str:
        """The text in the field, or in a part of it such as `.comment`.

        Raises:
            AnswerError: it is too long.
        """
        text = next(iter(self.form.get(f"{self.name}{part}", ())), "").replace("\x00", "").replace("\r\n", "\n").strip()
        if len(text) > MAX_TEXT:
            raise AnswerError(message("This text is too long: at most %(most)s characters.", most=MAX_TEXT))
        return text


class SimulatedRater(Protocol):
    """A rater whom the program plays, at one page."""

    @property
    def rng(self) -> Random:
        """Their own random numbers."""

    def impression(self, response_id: int | None, dimension: str) -> float:
        """How good they find a response on a dimension, in standard deviations."""


class AskedQuestion(BaseModel, ABC):
    """One question. Each kind says how it is read from a form and from a file, and what it allows."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
    # Where an empty answer to this kind stands, if there is one.
    empty_column: ClassVar[EmptyColumn | None] = None
    key: Key
    """The question's name in files."""
    label: Label | None = None
    """The question's name on the lead's pages and in charts."""
    target: Target
    """What the question is about: each `response`, the `pair`, the `set` of responses, the `item`, each `turn`, or the
    `rater`.
    """
    text: Prose = Field(min_length=1)
    """The question as raters read it."""
    help: Prose = ""
    """A longer explanation."""
    required: bool = True
    """Whether an answer is required; by default no for `text` and `highlight`, yes for the others."""
    comment: bool = False
    """Whether raters may add a comment."""
    condition: str | None = None
    """Ask the question only in this condition, written `factor=level`."""

    @abstractmethod
    def read(self, sent: Sent) -> Given | None:
        """What a form answers, without the comment; None where nothing was answered.

        Raises:
            AnswerError: a value that the question does not allow.
        """

    def demand(self, given: Given | None, sent: Sent) -> None:  # noqa: ARG002 - some kinds look at the form again
        """Refuse a finished form that lacks this answer.

        Raises:
            AnswerError: it does.
        """
        if given is None and self.required:
            raise AnswerError(message("Choose an answer."))

    @abstractmethod
    def read_cell(self, text: str) -> Given | None:
        """What a cell of ratings.csv answers, as far as the cell alone can tell; None where that is no answer."""

    def cell(self, given: Given, keys: Mapping[int, str]) -> str:
        """An answer as text, as study.yaml names the answers that it expects and ratings.csv writes them.

        Args:
            given: an answer to this question.
            keys: of the responses, by id.
        """
        if given.number is not None:
            return number_text(given.number)
        chosen = keys.get(given.chosen_response_id or 0)
        return chosen or given.outcome or (given.text if given.codes is None else "|".join(given.codes)) or ""

    def rows(self, given: Given, response_id: int | None) -> list[tuple[int | None, Given]]:
        """The rows in which an answer is stored: the response that each is about, and what it holds."""
        return [(response_id, given)]

    def from_rows(self, rows: Mapping[int | None, Given]) -> Given:
        """The answer that is stored in these rows, by the response that each is about; at least one."""
        return next(iter(rows.values()))

    @abstractmethod
    def allowed_words(self) -> str:
        """Which answers it takes, as a person reads it."""

    def meanings(self) -> Iterator[tuple[str, str]]:
        """Each value with its words, for the codebook; an empty value stands for a rule."""
        yield from ()

    def accepts(self, value: str, shown: Sequence[str]) -> bool:  # noqa: ARG002 - the responses matter to few kinds
        """Whether an answer, as ratings.csv writes it, is possible where the responses with these keys are shown."""
        return True

    def form_of(self, value: str, name: str, shown: Sequence[str]) -> Form:  # noqa: ARG002 - as `accepts`
        """The form that gives an answer as ratings.csv writes it, where the responses with these keys are shown."""
        return {name: [value]}

    @abstractmethod
    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """The form that a simulated rater sends."""
