"""Fields: slots with their current values, for the templates."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal

from app.base.language.language import Language
from app.base.language.message import Message
from app.base.words import number_text
from app.protocol.questions.display import Display, Layout, Option, letter, response_name
from app.protocol.questions.question import SIDES
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.registry import Question
from app.protocol.questions.slot import Slot
from app.protocol.questions.spans import quotes_of, read_spans, spans_to_text, to_shown

_PHONE_LINE = 32
_SHORT_SCALE = 5
# Points that fit a phone in one row, and in two.
_ONE_ROW, _TWO_ROWS = 7, 12
# The width that the labels of a scale take beside each other, in rem: of a letter of the longest word, of the gap
# between labels, and of the names of rows. Below the first width, labels always take two lines.
_LETTER_REM, _GAP_REM, _BESIDE_REM = 0.47, 0.6, 3
_PHONE_REM, _LABELS_REM = 30, (36, 40, 50, 64, 80)
# With fewer statements, the labels of the scale above each of them take little room.
_MATRIX = 3


@dataclass(frozen=True, slots=True)
class Row:
    """One response of a set: its form field, its name and letter on the page, its text, and its number."""

    name: str
    about: Message
    letter: str
    of: str
    value: str


@dataclass(frozen=True, slots=True)
class Field:
    """A slot with its current answer and error, on a page in a language.

    `is_turned`: whether its scale is reversed. `spans`: the marked passages, as offsets in the text as shown.
    """

    slot: Slot
    language: Language
    values: tuple[str, ...] = ()
    strength: str = ""
    comment: str = ""
    error: Message | None = None
    is_turned: bool = False
    spans: str = ""

    @property
    def name(self) -> str:
        """The name of the form field."""
        return self.slot.name

    @property
    def question(self) -> Question:
        """The question."""
        return self.slot.question

    @property
    def value(self) -> str:
        """The single value, or an empty text."""
        return self.values[0] if self.values else ""

    @property
    def is_filled(self) -> bool:
        """Whether it contains anything from this rater: an answer, a part of one, or an error."""
        return any(self.values) or bool(self.strength or self.comment or self.spans or self.error)

    @property
    def of(self) -> str:
        """The name of the text on the page in which passages are marked."""
        return "item" if self.slot.place is None else f"r{self.slot.place}"

    @property
    def first_id(self) -> str:
        """The ID of the control that an error links to: that of the strength if only the strength is missing."""
        if self.rows:
            return f"{next((row.name for row in self.rows if not row.value), self.rows[0].name)}-1"
        lacks_strength = self.error and self.strength_options and self.value in SIDES
        return f"{self.name}.strength-1" if lacks_strength else f"{self.name}-1"

    @property
    def options(self) -> tuple[Option, ...]:
        """The options to choose from."""
        return self.question.options(self.display)

    @property
    def defined(self) -> tuple[Option, ...]:
        """The options that have a definition."""
        return tuple(option for option in self.options if option.definition)

    @property
    def heads(self) -> tuple[tuple[str, str], ...]:
        """The number and the label of each point as the head of its column; the label of a point may be empty.

        Where each point has a label its column can be narrower than a word.
        """
        options, says = self.options, str if self.has_words_at_ends_only else self.language.hyphenated
        return tuple((option.sign, says(option.words) if option.has_words else "") for option in options)

    @property
    def display(self) -> Display:
        """Where the question is displayed."""
        return Display(self.language, self.slot.n_shown, self.is_turned)

    @property
    def rows(self) -> tuple[Row, ...]:
        """One row per response of a set, in reading order; empty for other kinds of question."""
        if not self.slot.shown:
            return ()
        values = self.values or ("",) * len(self.slot.shown)
        return tuple(
            Row(f"{self.name}.{nth}", response_name(nth, self.slot.n_shown), letter(nth), f"r{nth}", value)
            for nth, (_, value) in enumerate(zip(self.slot.shown, values, strict=True))
        )

    @property
    def layout(self) -> Layout:
        """The layout of its options."""
        return self.question.layout(self.options)

    def scale_classes(self, share: float = 1.0) -> str:
        """CSS classes of a scale with many points or long labels, with a leading space; empty for other questions.

        Args:
            share: the part of the question's width that the scale has.
        """
        n = len(self.options)
        if self.layout != "scale":
            return ""
        classes = [] if n <= _SHORT_SCALE else ["is-long", f"points-{n if n <= _TWO_ROWS else 'many'}"]
        classes += ["takes-two-rows"] if n > _ONE_ROW else []
        words = " ".join(option.words for option in self.options if option.has_words).split()
        width = (n * (_LETTER_REM * max(map(len, words), default=0) + _GAP_REM) + _BESIDE_REM) / share
        if width > _PHONE_REM:
            classes.append(f"labels-{next((step for step in _LABELS_REM if step >= width), _LABELS_REM[-1])}")
        return "".join(f" {name}" for name in classes)

    @property
    def is_wordy(self) -> bool:
        """Whether the words of an option take two lines on a phone."""
        return max((len(option.words) for option in self.options), default=0) > _PHONE_LINE

    @property
    def has_words_at_ends_only(self) -> bool:
        """Whether only the ends of its scale have words."""
        between = self.options[1:-1]
        return bool(between) and not any(option.has_words for option in between)

    @property
    def as_statement(self) -> Hashable | None:
        """What it shares with the other statements of a matrix: the scale. None if it cannot be one of them."""
        question = self.question
        if not isinstance(question, RatingQuestion) or question.orientation == "column":
            return None
        if question.comment or question.help or question.show_if or question.definitions:
            return None
        return question.target, question.scale, question.labels_shown, question.cannot_judge, self.slot.turn

    @property
    def about(self) -> Message | None:
        """What the question is about, if the page has several of them."""
        if self.slot.n_shown == 1:
            return replace(self.slot, place=None).about
        return self.slot.about

    @property
    def row_name(self) -> str:
        """The name of its row among those of the same question: the letter of a response, the number of a turn."""
        response = letter(self.slot.nth) if self.slot.place is not None and self.slot.n_shown > 1 else ""
        turn = self.language.say(self.slot.turn) if self.slot.turn is not None else ""
        return " ".join(part for part in (response, turn) if part)

    @property
    def strength_options(self) -> tuple[Option, ...]:
        """The options for the strength of a preference."""
        return self.question.strength_options(self.display)


def in_matrices(
    questions: Sequence[tuple[Field, ...]], layout: Literal["matrix", "separate"]
) -> tuple[tuple[Field, ...], ...]:
    """Join three or more consecutive questions that share a scale into the statements of one matrix.

    Args:
        questions: the fields of each question, in the order of the page: one for each response or turn.
        layout: of the study: `separate` joins nothing.
    """
    if layout == "separate":
        return tuple(questions)
    found: list[tuple[Field, ...]] = []
    for scale, run in groupby(questions, key=lambda rows: rows[0].as_statement if len(rows) == 1 else None):
        together = tuple(run)
        found += [tuple(rows[0] for rows in together)] if scale and len(together) >= _MATRIX else together
    return tuple(found)


def fields_of(
    slots: Sequence[Slot],
    language: Language,
    answers: Sequence[Mapping[str, Any]] = (),
    *,
    form: Mapping[str, Sequence[str]] | None = None,
    wrong: Mapping[str, Message] | None = None,
    is_turned: bool = False,
) -> tuple[Field, ...]:
    """One field per slot, filled from a submitted form if there is one, otherwise from the stored answers."""
    if form is not None:
        fields = [_from_form(slot, language, form, (wrong or {}).get(slot.name)) for slot in slots]
    else:
        stored = {(a["question"], a["response_id"], a["turn"]): a for a in answers}
        fields = [_from_stored(slot, language, stored) for slot in slots]
    return tuple(replace(field, is_turned=is_turned) for field in fields)


def _from_form(slot: Slot, language: Language, form: Mapping[str, Sequence[str]], error: Message | None) -> Field:
    strength, comment = (next(iter(form.get(f"{slot.name}.{part}", ())), "") for part in ("strength", "comment"))
    spans = next(iter(form.get(f"{slot.name}.spans", ())), "")
    values = tuple(form.get(slot.name, ()))
    if slot.shown:
        values = tuple(next(iter(form.get(f"{slot.name}.{nth}", ())), "") for nth in range(slot.n_shown))
    return Field(slot, language, values, strength, comment, error, spans=spans)


def _from_stored(slot: Slot, language: Language, stored: Mapping[tuple[str, int | None, int | None], Any]) -> Field:
    """The stored answer, looked up by question, response and turn."""
    if not slot.shown:
        return _from_answer(slot, language, stored.get((slot.question.key, slot.response_id, slot.turn)))
    answers = [stored.get((slot.question.key, response_id, None)) for response_id in slot.shown]
    values = tuple("" if answer is None else number_text(answer["number"]) for answer in answers)
    comment = next((answer["comment"] for answer in answers if answer and answer["comment"]), "")
    return Field(slot, language, values, comment=comment)


def _from_answer(slot: Slot, language: Language, answer: Mapping[str, Any] | None) -> Field:
    if answer is None:
        return Field(slot, language)
    if slot.question.measure == "passages":
        return _of_spans(slot, language, answer)
    strength = number_text(answer["strength"]) if answer["strength"] is not None else ""
    return Field(slot, language, _values(answer), strength, answer["comment"] or "")


def _of_spans(slot: Slot, language: Language, answer: Mapping[str, Any]) -> Field:
    spans = read_spans(answer["text"], slot.passages, in_turns=slot.in_turns) or ()
    words = "\n".join(quotes_of(spans, slot.passages))
    return Field(
        slot, language, (words,), comment=answer["comment"] or "", spans=spans_to_text(to_shown(spans, slot.passages))
    )


def _values(answer: Mapping[str, Any]) -> tuple[str, ...]:
    if answer["number"] is not None:
        return (number_text(answer["number"]),)
    if answer["outcome"] is not None:
        return (answer["side"] if answer["outcome"] == "response" else answer["outcome"],)
    return tuple(answer["codes"]) if answer["codes"] is not None else (answer["text"],)
