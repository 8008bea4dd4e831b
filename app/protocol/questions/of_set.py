"""Questions that are answered by one whole number for each of the responses that are shown together.

An answer is stored and exported as one row per response.
"""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from app.base.language.message import Message
from app.base.words import number
from app.protocol.questions.question import AnswerError, AskedQuestion, Given, Sent

MIN_SET = 3


@dataclass(frozen=True, slots=True)
class Misfit:
    """A number that does not fit the others of its answer: its place, and what is allowed instead.

    `{row}` in `allowed` stands for the row of the number at `first`.
    """

    place: int
    allowed: str
    first: int = 0


class SetQuestion(AskedQuestion):
    """A question about the responses that are shown together."""

    target: Literal["set"] = "set"
    noun: ClassVar[str]
    """An answer, such as "a ranking"."""
    deed: ClassVar[str]
    """What raters do with the responses, such as "rank"."""
    done: ClassVar[str]
    """What is done, such as "responses are ranked"."""
    lacks: ClassVar[str]
    """A response without a number, such as "there is no rank"."""

    @abstractmethod
    def number_of(self, text: str) -> int | None:
        """The number that the text means; None if no response can have it."""

    @abstractmethod
    def not_a_number(self, n_shown: int) -> Message:
        """The error message for the rater if a number is not one of those allowed."""

    @abstractmethod
    def problem(self, numbers: Sequence[int]) -> Message | None:
        """What is wrong with the numbers of all responses, as a message for the rater; None if they are valid."""

    @abstractmethod
    def not_given(self) -> Message:
        """The error message for the rater if a response has no number."""

    @abstractmethod
    def misfit(self, numbers: Sequence[int]) -> Misfit | None:
        """The first number of an answer in a file that does not fit the others."""

    def read(self, sent: Sent) -> Given | None:
        """As `AskedQuestion.read`: one field with a number per response; None if one is missing."""
        cells = _cells(sent)
        numbers = [self.number_of(cell) for cell in cells if cell]
        if None in numbers or any(not self.fits(n, len(cells)) for n in numbers if n is not None):
            raise AnswerError(self.not_a_number(len(cells)))
        if len(numbers) < len(cells):
            return None
        found = [n for n in numbers if n is not None]
        if problem := self.problem(found):
            raise AnswerError(problem)
        return Given(by_response=tuple(zip(sent.shown, found, strict=True)))

    def fits(self, value: int, n_shown: int) -> bool:  # noqa: ARG002 - few kinds depend on it
        """Whether a response can have this number if so many responses are shown."""
        return True

    def demand(self, given: Given | None, sent: Sent) -> None:
        """As `AskedQuestion.demand`: all responses need a number or, if the question is optional, none."""
        if given is None and (self.required or any(_cells(sent))):
            raise AnswerError(self.not_given())

    def read_cell(self, text: str) -> Given | None:
        """As `AskedQuestion.read_cell`: the number of one response."""
        value = self.number_of(text)
        return None if value is None else Given(number=value)

    def meanings(self) -> Iterator[tuple[str, str]]:
        """As `AskedQuestion.meanings`."""
        yield "", self.allowed_words()

    def rows(self, given: Given, response_id: int | None) -> list[tuple[int | None, Given]]:  # noqa: ARG002 - each number names its response
        """As `AskedQuestion.rows`: one row per response; a comment is stored with the first response shown."""
        comments = [given.comment, *[None] * (len(given.by_response or ()) - 1)]
        return [
            (response, Given(number=value, comment=comment, device=given.device))
            for (response, value), comment in zip(given.by_response or (), comments, strict=True)
        ]

    def from_rows(self, rows: Mapping[int | None, Given]) -> Given:
        """As `AskedQuestion.from_rows`."""
        comment = next((given.comment for given in rows.values() if given.comment), None)
        numbers = tuple((response or 0, int(given.number or 0)) for response, given in rows.items())
        return Given(by_response=numbers, comment=comment)


def whole_number(text: str) -> int | None:
    """The whole number that a text means, None if it is none."""
    value = number(text)
    return None if value is None or not value.is_integer() else int(value)


def _cells(sent: Sent) -> list[str]:
    return [sent.text(f".{place}") for place in range(len(sent.shown))]
