"""Slots: every place on a rating page where an answer is requested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.base.language.message import Message, message
from app.protocol.questions.display import response_name
from app.protocol.questions.question import Blank, Sent
from app.protocol.questions.registry import Question


@dataclass(frozen=True, slots=True)
class Slot:
    """One question about one thing on the page. `name` is the form field and reveals nothing about the response.

    `place` numbers the responses as stored, in a pair left first; `nth` numbers them in reading order. `passages`: for
    highlights, the text to mark passages in, or its turns. `shown`: for questions about a set, the
    IDs of its responses.
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
