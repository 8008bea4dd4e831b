"""Questions that are answered by a number: the shared base of ratings and sliders."""

from abc import abstractmethod
from collections.abc import Sequence
from statistics import NormalDist
from typing import ClassVar

from app.base.language.message import Message, message
from app.base.words import number, number_text
from app.protocol.questions.display import Display, Offer
from app.protocol.questions.question import (
    AnswerError,
    AskedQuestion,
    Blank,
    Form,
    Given,
    Measure,
    Sent,
    SimulatedRater,
)
from app.protocol.questions.scale import Level

CANNOT_JUDGE = "cannot_judge"
_CANNOT_JUDGE_WORDS = message("Cannot judge")
# Proportion of a simulated rater's answers that are "cannot judge".
CANNOT_JUDGE_SHARE = 0.01


class NumberQuestion(AskedQuestion):
    """A question answered by a number. `reversed`: a high value is undesirable."""

    measure: ClassVar[Measure] = "scale"
    level: Level
    """`nominal`, `ordinal`, `interval` or `ratio`; determines how agreement treats distances between values."""
    reversed: bool = False
    """A high value is undesirable; composites reverse the scores."""
    cannot_judge: bool = False
    """Whether raters may answer that they cannot judge."""

    @property
    @abstractmethod
    def values(self) -> tuple[float, ...]:
        """The allowed values, ascending."""

    @abstractmethod
    def value_of(self, text: str) -> float | None:
        """The value that the text means (`4`, `4.0` and ` 4 ` are the same), or None if it is not on the scale."""

    @abstractmethod
    def out_of_range(self) -> Message:
        """The error message for the rater for a value that is not allowed."""

    def read(self, sent: Sent) -> Given | None:
        """As `AskedQuestion.read`."""
        if sent.value is None:
            return None
        given = self.read_cell(sent.value)
        if given is None:
            raise AnswerError(self.out_of_range())
        return given

    def read_cell(self, text: str) -> Given | None:
        """As `AskedQuestion.read_cell`."""
        if self.cannot_judge and text.strip() == CANNOT_JUDGE:
            return Given(outcome=CANNOT_JUDGE)
        value = self.value_of(text)
        return None if value is None else Given(number=value)

    def accepts(self, value: str, shown: Sequence[str]) -> bool:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.accepts`."""
        return number(value) in self.values or (self.cannot_judge and value == CANNOT_JUDGE)

    def allowed_in_file(self) -> str:
        """As `AskedQuestion.allowed_in_file`."""
        return f"{self.allowed_words()}{f', or {CANNOT_JUDGE}' if self.cannot_judge else ''}"

    def other_words(self) -> dict[str, list[str]]:
        """As `AskedQuestion.other_words`."""
        return {CANNOT_JUDGE: []} if self.cannot_judge else {}

    def offers(self, display: Display) -> tuple[Offer, ...]:
        """As `AskedQuestion.offers`, with "cannot judge" if the question allows it."""
        words = display.language.say(_CANNOT_JUDGE_WORDS)
        more = (Offer(words, words, CANNOT_JUDGE),) if self.cannot_judge else ()
        return (*super().offers(display), *more)

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """As `AskedQuestion.simulate`."""
        impression = rater.impression(blank.response_id, self.key)
        if self.cannot_judge and rater.rng.random() < CANNOT_JUDGE_SHARE:
            return {blank.name: [CANNOT_JUDGE]}
        place = NormalDist(0, 1.1).cdf(-impression if self.reversed else impression)
        return {blank.name: [number_text(self.values[min(int(place * len(self.values)), len(self.values) - 1)])]}
