"""Fields: a slot with what stands in it, as the templates draw it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from app.design.allocation.trials import PAIR
from app.design.page_slots import places_as_read
from app.design.questions.category import CategoryQuestion
from app.design.questions.choice import STRENGTH, USUAL_STRENGTH, ChoiceQuestion
from app.design.questions.highlight import HighlightQuestion
from app.design.questions.kinds import Question
from app.design.questions.question import SIDES
from app.design.questions.ranking import RankingQuestion
from app.design.questions.rating import RatingQuestion
from app.design.questions.scale import Point, Scale, number_text
from app.design.questions.slider import SliderQuestion
from app.design.questions.slot import Slot, letter, response_name
from app.design.questions.spans import quotes_of, read_spans, spans_to_text, to_shown
from app.design.questions.text import TextQuestion
from app.language.language import Language
from app.language.message import Message, message

# What fits beside each other: numbers and signs in a strip, a few short words in a row; longer ones make a list.
_STRIP_LENGTH, _ROW_LENGTH, _ROW_WORD, _ROW_OPTIONS = 3, 24, 11, 5


@dataclass(frozen=True, slots=True)
class Option:
    """One radio or box: its value, its words, and the key that chooses it."""

    value: str
    words: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One response of a ranking: its form field, its name on the page, and its rank."""

    name: str
    about: Message
    value: str


@dataclass(frozen=True, slots=True)
class Field:
    """A slot, what is answered in it, and what is wrong with that, on a page in a language.

    `is_turned`: its scale runs the other way. `spans`: the passages that are marked, in the characters of the page.
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
        """The form field."""
        return self.slot.name

    @property
    def question(self) -> Question:
        """What is asked."""
        return self.slot.question

    @property
    def value(self) -> str:
        """The one value."""
        return self.values[0] if self.values else ""

    @property
    def of(self) -> str:
        """Which text of the page its passages are of."""
        return "item" if self.slot.place is None else f"r{self.slot.place}"

    @property
    def first_id(self) -> str:
        """The control that an error leads to: of the strength, where a side is chosen and only that is missing."""
        lacks_strength = self.error and self.strength_options and self.value in SIDES
        if self.rows:
            return f"{next((row.name for row in self.rows if not row.value), self.rows[0].name)}-1"
        return f"{self.name}.strength-1" if lacks_strength else f"{self.name}-1"

    @property
    def options(self) -> tuple[Option, ...]:
        """What can be chosen."""
        question = self.slot.question
        match question:
            case RatingQuestion():
                return scale_options(question.scale, self.language, is_turned=self.is_turned)
            case ChoiceQuestion():
                return tuple(
                    Option(value, self.language.say(words), key)
                    for value, words, key in _choices(question, self.language)
                )
            case CategoryQuestion():
                codes = enumerate(question.codes.items(), start=1)
                return tuple(Option(code, words or code, _digit(n)) for n, (code, words) in codes)
            case RankingQuestion():
                return tuple(Option(rank := str(n), rank, _digit(n)) for n in range(1, self.slot.n_shown + 1))
            case SliderQuestion() | TextQuestion() | HighlightQuestion():
                return ()
            case _:
                assert_never(question)

    @property
    def rows(self) -> tuple[Row, ...]:
        """One for each response that is ranked, as they are read; none for other kinds."""
        if not isinstance(self.slot.question, RankingQuestion):
            return ()
        ranks = self.values or ("",) * len(self.slot.shown)
        return tuple(
            Row(f"{self.name}.{nth}", response_name(nth, self.slot.n_shown), rank)
            for nth, (_, rank) in enumerate(zip(self.slot.shown, ranks, strict=True))
        )

    @property
    def layout(self) -> str:
        """How its options lie: strip, row or list."""
        return layout_of(self.options)

    @property
    def strength_options(self) -> tuple[Option, ...]:
        """How strong a preference may be."""
        scale = getattr(self.slot.question, "strength", None)
        return scale_options(scale, self.language) if scale else ()


def _choices(question: ChoiceQuestion, language: Language) -> Iterator[tuple[str, Message, str]]:
    """What a forced choice offers, each with its words and its key: A is what is read first, on whichever side."""
    for nth, place in enumerate(places_as_read(PAIR, is_right_to_left=language.is_right_to_left)):
        yield SIDES[place], response_name(nth, PAIR), letter(nth)
    if question.tie:
        yield "tie", message("They are equal"), "T"
    if question.neither:
        yield "neither", message("Neither of them"), "N"


def scale_options(scale: Scale, language: Language, *, is_turned: bool = False) -> tuple[Option, ...]:
    """The points of a scale as they are shown; the first is key 1, whatever its value."""
    points = enumerate(reversed(scale.points) if is_turned else scale.points, start=1)
    return tuple(Option(number_text(p.value), language.say(_words(scale, p)), _digit(n)) for n, p in points)


def _words(scale: Scale, point: Point) -> Message | str | float:
    """The words of a point; those that came with `strength: true` are fixed texts."""
    if scale == USUAL_STRENGTH:
        return STRENGTH[int(point.value)]
    return point.words or point.value


def layout_of(options: Sequence[Option]) -> str:
    """How options lie beside each other."""
    words = [option.words for option in options]
    if all(len(text) <= _STRIP_LENGTH for text in words):
        return "strip"
    is_short = all(len(text) <= _ROW_LENGTH and max(map(len, text.split())) <= _ROW_WORD for text in words)
    return "row" if is_short and len(options) <= _ROW_OPTIONS else "list"


def _digit(n: int) -> str:
    return str(n) if n <= 9 else ""  # noqa: PLR2004 - a key is one digit


def fields_of(
    slots: Sequence[Slot],
    language: Language,
    answers: Sequence[Mapping[str, Any]] = (),
    *,
    form: Mapping[str, Sequence[str]] | None = None,
    wrong: Mapping[str, Message] | None = None,
    is_turned: bool = False,
) -> tuple[Field, ...]:
    """A field for each slot, filled from a form that came back, else from the answers so far."""
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
    """What was answered so far, by question, response and turn."""
    if not slot.shown:
        return _from_answer(slot, language, stored.get((slot.question.key, slot.response_id, slot.turn)))
    ranked = [stored.get((slot.question.key, response_id, None)) for response_id in slot.shown]
    ranks = tuple("" if answer is None else number_text(answer["number"]) for answer in ranked)
    comment = next((answer["comment"] for answer in ranked if answer and answer["comment"]), "")
    return Field(slot, language, ranks, comment=comment)


def _from_answer(slot: Slot, language: Language, answer: Mapping[str, Any] | None) -> Field:
    if answer is None:
        return Field(slot, language)
    if isinstance(slot.question, HighlightQuestion):
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
