"""Forms: what a rater's page sent, validated against its questions, with sides translated to responses."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from uuid import UUID

from app.base.language.message import Message
from app.protocol.questions.question import DEVICES, TYPING, AnswerError, Given, Sent
from app.protocol.questions.slot import Slot

Form = Mapping[str, Sequence[str]]

# Marks of what a page sends: the key of an answer, when it was given, and when the page left the browser.

# The field of a form with the time when it left; without scripts, when it was shown.
LEFT_AT = "at"
# The year 2100: a later time means that the clock is wrong.
_MAX_MS = 4_102_444_800_000


@dataclass(frozen=True, slots=True)
class Mark:
    """`key` identifies an answer: if it arrives twice, it counts once. `at_ms`: when it was given, by the server clock.

    Both are None if the page was sent without scripts.
    """

    key: str | None = None
    at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PageTimes:
    """What a submitted page says about time, in milliseconds.

    `page_ms`: when it left the browser, by the clock of its page. `hidden_ms`: how long its tab was hidden.
    `active_ms`: active time, if measured elsewhere; by default, it is the time since serving minus `hidden_ms`.
    """

    page_ms: int
    hidden_ms: int = 0
    active_ms: int | None = None


def read_page_ms(form: Form) -> int:
    """When a form left the browser, by the clock of its page; now, if it does not say."""
    at_ms = _milliseconds(next(iter(form.get(LEFT_AT, ())), ""))
    return time.time_ns() // 1_000_000 if at_ms is None else at_ms


def read_mark(name: str, form: Form) -> Mark:
    """Read the mark of a slot's answer from a form.

    Raises:
        ValueError: the key is not a UUID.

    >>> read_mark("q0", {"q0.at": ["1700000000000"]})
    Mark(key=None, at_ms=1700000000000)
    """
    key, at = (next(iter(form.get(f"{name}.{part}", ())), "") for part in ("key", "at"))
    return Mark(str(UUID(key)) if key else None, _milliseconds(at))


def _milliseconds(at: str) -> int | None:
    at_ms = int(at) if at.isascii() and at.isdigit() and len(at) <= len(str(_MAX_MS)) else _MAX_MS
    return at_ms if at_ms < _MAX_MS else None


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
    form: Form,
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
    form: Form,
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
