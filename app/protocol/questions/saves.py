"""Saves: the answers that a page sends while the rater is still working on it; invalid ones do not block the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.base.language.message import Message, message
from app.protocol.questions.form import Answer, Answers, Form, Mark, read_answer, read_answers, read_mark
from app.protocol.questions.question import AnswerError
from app.protocol.questions.slot import Slot

UNKNOWN = message("This page has no such question.")
NO_KEY = message("The key is not a UUID.")


@dataclass(frozen=True, slots=True)
class Save:
    """What a page sent: the slots that it names, the answers to store, and error messages by slot for the others."""

    names: tuple[str, ...]
    answers: tuple[Answer, ...]
    refused: dict[str, Message]

    @property
    def taken(self) -> list[str]:
        """The slots whose answers can be stored or are empty."""
        return [name for name in self.names if name not in self.refused]


def read_save(slots: Sequence[Slot], form: Form, shown: Sequence[int]) -> Save:
    """The answers to the slots that a form names in `slot`; like `read_answers`, but each slot is independent."""
    by_name = {slot.name: slot for slot in slots}
    names = tuple(dict.fromkeys(form.get("slot", ())))
    answers: list[Answer] = []
    refused: dict[str, Message] = {}

    def mark_of(name: str) -> Mark:
        return read_mark(name, form)

    for name in names:
        if name not in by_name:
            refused[name] = UNKNOWN
            continue
        try:
            if answer := read_answer(by_name[name], form, shown, mark_of):
                answers.append(answer)
            else:
                mark_of(name)
        except AnswerError as error:
            refused[name] = error.words
        except ValueError:
            refused[name] = NO_KEY
    return Save(names, tuple(answers), refused)


def read_page(slots: Sequence[Slot], form: Form, shown: Sequence[int]) -> Answers:
    """A whole form; its answers have the marks of saves that were still pending when the form was submitted."""

    def mark_of(name: str) -> Mark:
        try:
            return read_mark(name, form)
        except ValueError:
            return Mark()

    return read_answers(slots, form, shown, mark_of)
