"""Slots: every place on a rating page where an answer is requested."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.base.language.message import Message, message
from app.protocol.questions.question import Blank, Sent
from app.protocol.questions.registry import Question

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Slot:
    """One question about one thing on the page. `name` is the form field and reveals nothing about the response.

    `place` numbers the responses as stored, in a pair left first; `nth` numbers them in reading order. `passages`: for
    highlights, the text to mark passages in, or its turns. `shown`: for rankings, the IDs of the responses asked about.
    """

    name: str
    question: Question
    place: int | None = None
    response_id: int | None = None
    turn: int | None = None
    nth: int = 0
    n_shown: int = 0
    passages: tuple[str, ...] = ()
    in_turns: bool = False
    shown: tuple[int, ...] = ()

    def blank(self, shown: Sequence[int]) -> Blank:
        """The blank to be answered.

        Args:
            shown: the IDs of the responses as shown, left first.
        """
        return Blank(self.name, tuple(shown), self.response_id, self.passages, self.in_turns)

    def sent(self, form: Mapping[str, Sequence[str]], shown: Sequence[int]) -> Sent:
        """The blank with a submitted form."""
        return Sent(self.name, tuple(shown), self.response_id, self.passages, self.in_turns, form)

    @property
    def about(self) -> Message | None:
        """What the question is about, as named on the page: Response A, turn 3, or None."""
        response = response_name(self.nth, self.n_shown) if self.place is not None else None
        if self.turn is None:
            return response
        if response is None:
            return message("Turn %(turn)s", turn=self.turn)
        return message("%(response)s, turn %(turn)s", response=response, turn=self.turn)


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
