"""Forms: what a rater's page sent, validated against its questions, with sides translated to responses."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING

from app.design.questions.marks import Mark
from app.design.questions.question import DEVICES, TYPING, AnswerError, Given

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from app.design.questions.question import Sent
    from app.design.questions.slot import Slot
    from app.language.message import Message


# What the question itself reads; comment, device and typing rhythm come from fields of their own.
_OF_QUESTION = tuple(one.name for one in fields(Given) if one.name not in {"comment", "device", *TYPING})
# A day in milliseconds.
MAX_TYPING = 24 * 60 * 60 * 1000
NOT_TYPED = (None, None, None)
_values_of = attrgetter(*_OF_QUESTION)


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


def read_answers(
    slots: Sequence[Slot],
    form: Mapping[str, Sequence[str]],
    shown: Sequence[int],
    mark_of: Callable[[str], Mark] | None = None,
) -> Answers:
    """Read and validate every answer of a form.

    Args:
        slots: the slots of the page.
        form: values by field name.
        shown: the IDs of the responses as shown, left first.
        mark_of: reads the mark of the answer in a slot, by its name; by default, answers have none.
    """
    given: list[Answer] = []
    wrong: dict[str, Message] = {}
    for slot in slots:
        sent = slot.sent(form, shown)
        try:
            answer = _read(slot, sent, mark_of)
            slot.question.demand(answer, sent)
        except AnswerError as error:
            wrong[slot.name] = error.words
            continue
        if answer is not None:
            given.append(answer)
    return Answers(tuple(given), wrong)


def read_answer(
    slot: Slot,
    form: Mapping[str, Sequence[str]],
    shown: Sequence[int],
    mark_of: Callable[[str], Mark] | None = None,
) -> Answer | None:
    """Read one answer; None if the question was not answered.

    Raises:
        AnswerError: a value that the question does not allow.
    """
    return _read(slot, slot.sent(form, shown), mark_of)


def _read(slot: Slot, sent: Sent, mark_of: Callable[[str], Mark] | None) -> Answer | None:
    comment = sent.text(".comment") or None if slot.question.comment else None
    given = slot.question.read(sent)
    if given is None:
        return None
    own = dict(zip(_OF_QUESTION, _values_of(given), strict=True))
    device = sent.text(".device")
    typed = _typing(sent.text(".typing")) if slot.question.records_typing else NOT_TYPED
    return Answer(
        **own,
        comment=comment,
        device=device if device in DEVICES else None,
        n_keystrokes=typed[0],
        n_pasted=typed[1],
        typing_ms=typed[2],
        slot=slot,
        mark=mark_of(slot.name) if mark_of else Mark(),
    )


def _typing(words: str) -> tuple[int | None, int | None, int | None]:
    """Keystrokes, pasted characters and milliseconds from the page's script; without it, or if impossible, none.

    >>> _typing("12,0,3500"), _typing("1,2"), _typing("-1,0,0")
    ((12, 0, 3500), (None, None, None), (None, None, None))
    """
    parts = words.split(",")
    if len(parts) != len(TYPING) or not all(part.isascii() and part.isdigit() for part in parts):
        return NOT_TYPED
    n_keystrokes, n_pasted, typing_ms = (min(int(part[:12]), MAX_TYPING) for part in parts)
    return n_keystrokes, n_pasted, typing_ms
