"""Forms: what a rater's page sent, checked against its questions and told as responses instead of sides."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.design.questions.answer import CANNOT_JUDGE, scaled_value
from app.design.questions.models import (
    CategoryQuestion,
    ChoiceQuestion,
    HighlightQuestion,
    RatingQuestion,
    SliderQuestion,
    TextQuestion,
)
from app.design.questions.scale import number, number_text
from app.design.questions.spans import QuoteError, as_shown, find_quotes, from_shown, read_spans, spans_to_text
from app.language.message import Message, message, messages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.design.questions.slot import Slot

SIDES = ("left", "right")
MAX_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, told as the response and not as the side; exactly one of number, outcome, codes and text is set."""

    slot: Slot
    number: float | None = None
    outcome: str | None = None
    chosen_response_id: int | None = None
    side: str | None = None
    strength: float | None = None
    codes: tuple[str, ...] | None = None
    text: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """A whole form: what was answered, and what is wrong by the name of its slot."""

    given: tuple[Answer, ...]
    wrong: dict[str, Message] = field(default_factory=dict)


def answer_text(answer: Answer) -> str:
    """The answer as ratings.csv writes it; of a choice tie, neither, or `response`."""
    if answer.number is not None:
        return number_text(answer.number)
    return answer.outcome or (answer.text if answer.codes is None else "|".join(answer.codes)) or ""


def asked_answers(slots: Sequence[Slot], answers: Sequence[Answer], keys: Mapping[int, str]) -> dict[str, list[str]]:
    """What was answered to each question of a page, as ratings.csv writes it; empty where there is no answer.

    Args:
        slots: all that the page asked.
        answers: those that were given.
        keys: of the responses, by id.
    """
    texts = {answer.slot.name: keys.get(answer.chosen_response_id or 0) or answer_text(answer) for answer in answers}
    asked: dict[str, list[str]] = {}
    for slot in slots:
        asked.setdefault(slot.question.key, []).append(texts.get(slot.name, ""))
    return asked


class AnswerError(ValueError):
    """The answer is none, in words for the rater."""

    def __init__(self, words: Message) -> None:
        """`words` say what is asked for."""
        super().__init__(words.text)
        self.words = words


def read_answers(slots: Sequence[Slot], form: Mapping[str, Sequence[str]], shown: Sequence[int]) -> Answers:
    """Every answer of a form.

    Args:
        slots: what the page asked.
        form: field name to values.
        shown: the ids of the responses as shown, left first.
    """
    given: list[Answer] = []
    wrong: dict[str, Message] = {}
    for slot in slots:
        try:
            answer = read_answer(slot, form, shown)
            _demand(slot, answer)
        except AnswerError as error:
            wrong[slot.name] = error.words
            continue
        if answer is not None:
            given.append(answer)
    return Answers(tuple(given), wrong)


def read_answer(slot: Slot, form: Mapping[str, Sequence[str]], shown: Sequence[int]) -> Answer | None:
    """One answer, or None where nothing was answered.

    Raises:
        AnswerError: a value that the question does not allow.
    """
    values = [value.replace("\x00", "").strip() for value in form.get(slot.name, ())]
    value = next((value for value in values if value), None)
    comment = _text(form, f"{slot.name}.comment") or None if slot.question.comment else None
    question = slot.question
    match question:
        case TextQuestion():
            return None if slot.name not in form else Answer(slot, text=_text(form, slot.name), comment=comment)
        case HighlightQuestion():
            return _highlight(slot, form, comment)
        case CategoryQuestion():
            return _category(slot, question, values, comment, asked=slot.name in form)
        case _ if value is None:
            return None
        case RatingQuestion() | SliderQuestion():
            return _scaled(slot, question, value, comment)
        case _:
            return _choice(slot, question, value, _strength(slot, question, form), shown, comment)


def _scaled(slot: Slot, question: RatingQuestion | SliderQuestion, value: str, comment: str | None) -> Answer:
    if value == CANNOT_JUDGE and question.cannot_judge:
        return Answer(slot, outcome=CANNOT_JUDGE, comment=comment)
    found = scaled_value(question, value)
    if found is None:
        raise AnswerError(_out_of_range(question))
    return Answer(slot, number=found, comment=comment)


def _out_of_range(question: RatingQuestion | SliderQuestion) -> Message:
    if isinstance(question, RatingQuestion):
        return message("Choose one of the points of the scale.")
    return message(
        "Give a number from %(min)s to %(max)s, in steps of %(step)s.",
        min=question.min,
        max=question.max,
        step=question.step,
    )


def _choice(
    slot: Slot, question: ChoiceQuestion, value: str, strength: float | None, shown: Sequence[int], comment: str | None
) -> Answer:
    if value in SIDES and len(shown) == len(SIDES):
        chosen = shown[SIDES.index(value)]
        return Answer(
            slot, outcome="response", chosen_response_id=chosen, side=value, strength=strength, comment=comment
        )
    if (value == "tie" and question.tie) or (value == "neither" and question.neither):
        return Answer(slot, outcome=value, comment=comment)
    raise AnswerError(message("Choose one of the answers."))


def _strength(slot: Slot, question: ChoiceQuestion, form: Mapping[str, Sequence[str]]) -> float | None:
    text = _text(form, f"{slot.name}.strength")
    if question.strength is None or not text:
        return None
    found = number(text)
    if found is None or found not in question.strength.values:
        raise AnswerError(message("Choose how strong your preference is."))
    return found


def _category(
    slot: Slot, question: CategoryQuestion, values: Sequence[str], comment: str | None, *, asked: bool
) -> Answer | None:
    codes = tuple(code for code in question.codes if code in values)
    if set(values) - set(question.codes) - {""} or (len(codes) > 1 and not question.multiple):
        raise AnswerError(message("Choose one of the answers."))
    # A form sends an empty value along with the boxes: none ticked is an answer that was taken back, not a silence.
    if codes or (asked and question.multiple and not question.required):
        return Answer(slot, codes=codes, comment=comment)
    return None


def _highlight(slot: Slot, form: Mapping[str, Sequence[str]], comment: str | None) -> Answer | None:
    """Offsets that a script counted on the page, else words that were copied, one passage a line."""
    counted = f"{slot.name}.spans"
    if counted not in form and slot.name not in form:
        return None
    if counted in form:
        as_page = [as_shown(passage) for passage in slot.passages]
        spans = read_spans(_text(form, counted), as_page, in_turns=slot.in_turns)
        if spans is None:
            raise AnswerError(message("Mark words of the text."))
        return Answer(slot, text=spans_to_text(from_shown(spans, slot.passages)), comment=comment)
    try:
        spans = find_quotes(_text(form, slot.name).splitlines(), slot.passages, in_turns=slot.in_turns)
    except QuoteError as error:
        raise AnswerError(message("These words are not in the text: %(words)s", words=str(error))) from None
    return Answer(slot, text=spans_to_text(spans), comment=comment)


def _text(form: Mapping[str, Sequence[str]], name: str) -> str:
    text = next(iter(form.get(name, ())), "").replace("\x00", "").replace("\r\n", "\n").strip()
    if len(text) > MAX_TEXT:
        raise AnswerError(message("This text is too long: at most %(most)s characters.", most=MAX_TEXT))
    return text


def _demand(slot: Slot, answer: Answer | None) -> None:
    """Whether a finished form may lack this answer."""
    question = slot.question
    if isinstance(question, HighlightQuestion):
        if question.required and not (answer and answer.text):
            raise AnswerError(message("Mark at least one passage."))
        return
    if isinstance(question, TextQuestion):
        length = len(answer.text or "") if answer else 0
        least = max(question.min_length, 1 if question.required else 0)
        if length < least and (question.required or length):
            raise AnswerError(_too_short(least))
        return
    if answer is None and question.required:
        raise AnswerError(message("Choose an answer."))
    asks_strength = isinstance(question, ChoiceQuestion) and question.strength is not None
    if asks_strength and answer is not None and answer.side is not None and answer.strength is None:
        raise AnswerError(message("Choose how strong your preference is."))


def _too_short(least: int) -> Message:
    if least <= 1:
        return message("Write an answer.")
    return messages("Write at least %(n)s character.", "Write at least %(n)s characters.", least)
