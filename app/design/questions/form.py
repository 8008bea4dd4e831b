"""Forms: what a rater's page sent, validated against its questions, with sides translated to responses."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from app.design.questions.marks import Mark
from app.design.questions.question import DEVICES, AnswerError, Given, Sent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.design.questions.question import Blank
    from app.design.questions.slot import Slot
    from app.language.message import Message


@dataclass(frozen=True, slots=True)
class Answer(Given):
    """One answer, and the slot in which it was given."""

    slot: Slot = field(kw_only=True)
    mark: Mark = field(kw_only=True, default_factory=Mark)


@dataclass(frozen=True, slots=True)
class Answers:
    """A whole form: the answers, and an error message by slot name for each invalid one."""

    given: tuple[Answer, ...]
    wrong: dict[str, Message] = field(default_factory=dict)


def asked_answers(slots: Sequence[Slot], answers: Sequence[Answer], keys: Mapping[int, str]) -> dict[str, list[str]]:
    """The answers to each question of a page, as written in ratings.csv; empty text for no answer.

    Args:
        slots: all slots of the page.
        answers: the answers that were given.
        keys: the keys of the responses, by ID.
    """
    texts = {answer.slot.name: answer.slot.question.cell(answer, keys) for answer in answers}
    asked: dict[str, list[str]] = {}
    for slot in slots:
        asked.setdefault(slot.question.key, []).append(texts.get(slot.name, ""))
    return asked


def read_answers(slots: Sequence[Slot], form: Mapping[str, Sequence[str]], shown: Sequence[int]) -> Answers:
    """Read and validate every answer of a form.

    Args:
        slots: the slots of the page.
        form: values by field name.
        shown: the IDs of the responses as shown, left first.
    """
    given: list[Answer] = []
    wrong: dict[str, Message] = {}
    for slot in slots:
        try:
            answer = read_answer(slot, form, shown)
            slot.question.demand(answer, _sent(slot, form, shown))
        except AnswerError as error:
            wrong[slot.name] = error.words
            continue
        if answer is not None:
            given.append(answer)
    return Answers(tuple(given), wrong)


def read_answer(slot: Slot, form: Mapping[str, Sequence[str]], shown: Sequence[int]) -> Answer | None:
    """Read one answer; None if the question was not answered.

    Raises:
        AnswerError: a value that the question does not allow.
    """
    sent = _sent(slot, form, shown)
    comment = sent.text(".comment") or None if slot.question.comment else None
    given = slot.question.read(sent)
    device = next((name for name in DEVICES if name == sent.text(".device")), None)
    return None if given is None else Answer(slot=slot, **_fields(replace(given, comment=comment, device=device)))


def _sent(slot: Slot, form: Mapping[str, Sequence[str]], shown: Sequence[int]) -> Sent:
    return Sent(**_fields(slot.blank(shown)), form=form)


def _fields(record: Given | Blank) -> dict[str, Any]:
    return {one.name: getattr(record, one.name) for one in fields(record)}
