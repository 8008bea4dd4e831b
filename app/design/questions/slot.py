"""Slots: every place on a rating page where an answer is asked, and what an answer to it may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.design.questions.question import Blank
from app.language.message import Message, message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.design.questions.kinds import Question

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Slot:
    """One question asked of one thing on the page. `name` is the form field: it tells nothing of the response.

    `place` counts the responses as stored, of a pair left first; `nth` as they are read. `passages`: where passages are
    asked for, the text that they are of, or its turns. `shown`: the ids of the responses that are asked about together.
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
        """What its question needs to know of it.

        Args:
            shown: the ids of the responses as shown, left first.
        """
        return Blank(self.name, tuple(shown), self.response_id, self.passages, self.in_turns)

    @property
    def about(self) -> Message | None:
        """What it is asked of, as the page calls it: Response A, turn 3, or nothing."""
        response = response_name(self.nth, self.n_shown) if self.place is not None else None
        if self.turn is None:
            return response
        if response is None:
            return message("turn %(turn)s", turn=self.turn)
        return message("%(response)s, turn %(turn)s", response=response, turn=self.turn)


def response_name(nth: int, n_shown: int) -> Message:
    """What the page calls a response: by its letter, where there are several.

    The letters are those of the keys that choose, in every language.
    """
    return message("Response %(letter)s", letter=letter(nth)) if n_shown > 1 else message("Response")


def letter(nth: int) -> str:
    """The letter of the nth response that is read: A, B, ... and numbers after Z.

    >>> letter(0), letter(27)
    ('A', '28')
    """
    return LETTERS[nth] if nth < len(LETTERS) else str(nth + 1)
