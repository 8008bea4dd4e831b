"""What all kinds of question share: what is asked about what, what a form sends, and what was answered."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Annotated, ClassVar, Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.base.language.message import Message, message
from app.base.words import number_text, typed
from app.protocol.questions.display import Display, Layout, Offer, Option, ReplyField, offers_of
from app.protocol.questions.scale import Label
from app.protocol.questions.show_if import ShowIf

# Text of several lines, shown in forms as a multi-line field.


@dataclass(frozen=True, slots=True)
class ManyLines:
    """Marks a field whose text may have several lines."""


Prose = Annotated[str, ManyLines()]


Key = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")]
Target = Literal["response", "pair", "set", "item", "turn", "rater"]
# Whose turns of a conversation a question is about.
Turns = Literal["all", "own", "partner"]
# The data that the answers are, which decides how they are analysed: numbers, one of two responses, ranks, codes,
# passages of a text, or text.
Measure = Literal["scale", "preference", "order", "codes", "passages", "text"]
Form = dict[str, list[str]]
SIDES = ("left", "right")
# Determined by the width of the browser window; it does not identify a rater.
DEVICES = ("phone", "tablet", "desktop")
# Which points of a scale had words when it was answered. LABELLED is the same as a tuple.
Labelled = Literal["all", "ends", "some", "none"]
LABELLED = get_args(Labelled)
# Columns of how a text answer was typed; which keys were pressed is never sent.
TYPING = ("n_keystrokes", "n_pasted", "typing_ms")
MAX_TEXT = 20_000
# Fields that only the lead's pages, the analysis or the order of pages use.
NOT_READ = {
    *("key", "label", "required", "reversed", "level", "condition", "show_if"),
    *("correct", "correct_column", "exclusive", "min_length", "typing_rhythm"),
}


class AnswerError(ValueError):
    """The question does not allow this answer. `words` is the message for the rater."""

    def __init__(self, words: Message) -> None:
        """Create the error; `words` says what is asked for."""
        super().__init__(words.text)
        self.words = words


@dataclass(frozen=True, slots=True)
class Given:
    """The answer to a question, in terms of the response instead of the side.

    Exactly one of number, outcome, codes, text and `by_response` is set. `by_response`: pairs of response ID
    and number, such as its rank.
    """

    number: float | None = None
    outcome: str | None = None
    chosen_response_id: int | None = None
    side: str | None = None
    strength: float | None = None
    codes: tuple[str, ...] | None = None
    text: str | None = None
    by_response: tuple[tuple[int, int], ...] | None = None
    comment: str | None = None
    device: str | None = None
    n_keystrokes: int | None = None
    n_pasted: int | None = None
    typing_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Blank:
    """Where on a page a question is answered.

    `name` is the form field; `shown` are the IDs of the responses as shown, left first; `response_id` is the response
    that the question is about; `passages` is the text to mark passages in, or its turns.
    """

    name: str
    shown: tuple[int, ...] = ()
    response_id: int | None = None
    passages: tuple[str, ...] = ()
    in_turns: bool = False


@dataclass(frozen=True, slots=True)
class Sent(Blank):
    """A blank with the submitted form."""

    form: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def is_sent(self) -> bool:
        """Whether the form contains the field."""
        return self.name in self.form

    @property
    def values(self) -> list[str]:
        """The values of the field, stripped of surrounding white space."""
        return [value.replace("\x00", "").strip() for value in self.form.get(self.name, ())]

    @property
    def value(self) -> str | None:
        """The first non-empty value, or None."""
        return next((value for value in self.values if value), None)

    def text(self, part: str = "") -> str:
        """The text in the field, or in a part of it such as `.comment`.

        Raises:
            AnswerError: the text is too long.
        """
        text = typed(next(iter(self.form.get(f"{self.name}{part}", ())), ""))
        if len(text) > MAX_TEXT:
            raise AnswerError(message("This text is too long: at most %(most)s characters.", most=MAX_TEXT))
        return text


class SimulatedRater(Protocol):
    """A simulated rater on one page."""

    @property
    def rng(self) -> Random:
        """The rater's own random number generator."""

    def impression(self, response_id: int | None, dimension: str) -> float:
        """The rater's impression of a response on a dimension, in standard deviations."""


class AskedQuestion(BaseModel, ABC):
    """One question.

    A kind is a class in a module of its own beside this one, and a line in `registry.py`. The rest of the application
    knows these methods only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    measure: ClassVar[Measure]
    type_words: ClassVar[str]
    """What leads read in place of the type."""
    has_script: ClassVar[bool] = False
    """Whether its fields have a script, `static/rating/<kind>.js`."""
    shares_points: ClassVar[bool] = False
    """Whether raters share out points among the responses, so that none is rated by itself."""
    starts_with: ClassVar[Mapping[str, object]] = {}
    """What a new question of this kind contains in the editor, in addition to its key, type and text."""
    key: Key
    """The question's name in files."""
    label: Label | None = None
    """The question's name on the lead's pages and in charts."""
    target: Target
    """What the question is about: each `response`, the `pair`, the `set` of responses, the `item`, each `turn`, or the
    `rater`.
    """
    turns: Turns = "all"
    """The turns of a conversation that the question is asked about: `all`, the rater's `own`, or the `partner`'s."""
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
    show_if: ShowIf | None = None
    """Ask a question about the rater only after certain answers to an earlier one."""

    @property
    def rated(self) -> Target:
        """What each row of an answer is about: each response, if the question is about a set of them."""
        return "response" if self.target == "set" else self.target

    @property
    def has_points(self) -> bool:
        """Whether the answers are points of a scale that each stand for themselves, not steps of a range."""
        return False

    @property
    def records_typing(self) -> bool:
        """Whether keystrokes, pasted characters and typing time of the answer are counted."""
        return False

    @abstractmethod
    def read(self, sent: Sent) -> Given | None:
        """Read the answer from a form, without the comment; None if nothing was answered.

        Raises:
            AnswerError: a value that the question does not allow.
        """

    def demand(self, given: Given | None, sent: Sent) -> None:  # noqa: ARG002 - some kinds use the form
        """Reject a completed form that lacks this answer.

        Raises:
            AnswerError: a required answer is missing.
        """
        if given is None and self.required:
            raise AnswerError(message("Choose an answer."))

    @abstractmethod
    def read_cell(self, text: str) -> Given | None:
        """Read a cell of ratings.csv, as far as the cell alone determines the answer; None if it is not an answer."""

    def cell(self, given: Given, keys: Mapping[int, str]) -> str:
        """An answer as text, written as in ratings.csv and in the expected answers of study.yaml.

        Args:
            given: an answer to this question.
            keys: the keys of the responses, by ID.
        """
        if given.number is not None:
            return number_text(given.number)
        chosen = keys.get(given.chosen_response_id or 0)
        return chosen or given.outcome or (given.text if given.codes is None else "|".join(given.codes)) or ""

    def rows(self, given: Given, response_id: int | None) -> list[tuple[int | None, Given]]:
        """The rows in which an answer is stored: the ID of the response that each is about, and its content."""
        return [(response_id, given)]

    def from_rows(self, rows: Mapping[int | None, Given]) -> Given:
        """The answer that is stored in these rows, by the ID of the response that each is about; at least one row."""
        return next(iter(rows.values()))

    @abstractmethod
    def allowed_words(self) -> str:
        """The answers that the question accepts, in words."""

    def allowed_in_file(self) -> str:
        """What a cell of ratings.csv may contain, in words."""
        return self.allowed_words()

    @abstractmethod
    def in_words(self) -> str:
        """The possible answers, as documents describe the question."""

    def meanings(self) -> Iterator[tuple[str, str]]:
        """Each value with its words, for the codebook; an empty value stands for a rule."""
        yield from ()

    def other_words(self) -> dict[str, list[str]]:
        """What a spreadsheet may contain instead of each value."""
        return {}

    def code_words(self) -> Mapping[str, str]:
        """The words of each code; empty if answers are not codes."""
        return {}

    def key_column(self) -> str | None:
        """The column of items.csv or responses.csv that contains the correct answer."""
        return None

    def has_key(self) -> bool:
        """Whether the question has correct answers."""
        return self.key_column() is not None

    def fixed_answers(self) -> set[object]:
        """The possible answers that cannot be taken back once the question has answers."""
        return set()

    def takes_as_before(self, new: AskedQuestion) -> bool:
        """Whether answers to this question and to a changed version of it are comparable."""
        return self.fixed_answers() <= new.fixed_answers()

    def as_asked(self) -> str:
        """What raters read of the question, with the order of its answers; spaces and line breaks do not count."""
        return re.sub(r"(\\n|\s)+", " ", self.model_dump_json(exclude=NOT_READ))

    def words_of_answers(self) -> dict[str, str]:
        """The words of each possible answer; empty if answers have no words of their own."""
        return {value: words for value, words in self.meanings() if value and words}

    def options(self, display: Display) -> tuple[Option, ...]:  # noqa: ARG002 - few kinds have none
        """The options to choose from; empty if the question is answered in another way."""
        return ()

    def labelled(self) -> Labelled | None:
        """Which points of its scale have words on the page; None without a scale."""
        return None

    def layout(self, options: Sequence[Option]) -> Layout:  # noqa: ARG002 - as `options`
        """The layout of the options."""
        return "chips"

    def strength_options(self, display: Display) -> tuple[Option, ...]:  # noqa: ARG002 - as `options`
        """The options for the strength of a preference, if it is asked."""
        return ()

    def offers(self, display: Display) -> tuple[Offer, ...]:
        """The answers that the question offers as text."""
        return offers_of(self.options(display))

    def how_to_answer(self, display: Display) -> Iterator[str]:
        """The lines that say in plain text how the question is answered."""
        yield from (offer.line for offer in self.offers(display))

    def note(self) -> Message | None:
        """What raters read about the answer below the question, such as its length."""
        return None

    @abstractmethod
    def reply_fields(self, display: Display) -> Iterator[ReplyField]:
        """The fields of the reply of a model that answers the question."""

    def as_read(self, value: str, keys: Sequence[str], display: Display) -> str:
        """An answer written as in ratings.csv, in the words of the page; `keys` are the responses as shown."""
        words = {option.value: option.words for option in self.options(display)}
        if value in keys:
            return words.get(SIDES[keys.index(value)], value)
        return ", ".join(words.get(part, part) for part in value.split("|"))

    def accepts(self, value: str, shown: Sequence[str]) -> bool:  # noqa: ARG002 - few kinds depend on it
        """Whether an answer, written as in ratings.csv, is possible if the responses with these keys are shown."""
        return True

    def form_of(self, value: str, name: str, shown: Sequence[str]) -> Form:  # noqa: ARG002 - as `accepts`
        """The form data that give an answer, written as in ratings.csv, if the responses with these keys are shown."""
        return {name: [value]}

    @abstractmethod
    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """The form data that a simulated rater sends."""
