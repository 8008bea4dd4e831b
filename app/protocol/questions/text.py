"""The kind `text`: free text, such as a rationale."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from pydantic import Field

from app.base.language.message import Message, message, messages
from app.protocol.questions.display import Display, ReplyField
from app.protocol.questions.question import (
    MAX_TEXT,
    AnswerError,
    AskedQuestion,
    Blank,
    Form,
    Given,
    Measure,
    Sent,
    SimulatedRater,
)

SIMULATED = "Simulated."


class TextQuestion(AskedQuestion):
    """Free text, such as a rationale."""

    measure: ClassVar[Measure] = "text"
    starts_with: ClassVar[Mapping[str, object]] = {"target": "pair"}
    type_words: ClassVar[str] = "Text"
    type: Literal["text"]
    min_length: int = Field(default=0, ge=0, le=MAX_TEXT)
    """Minimum number of characters in a text answer."""
    typing_rhythm: bool = False
    """Whether keystrokes, pasted characters and typing time are counted; the consent form must say so."""
    required: bool = False

    @property
    def records_typing(self) -> bool:
        """As `AskedQuestion.records_typing`."""
        return self.typing_rhythm

    def read(self, sent: Sent) -> Given | None:
        """As `AskedQuestion.read`."""
        return Given(text=sent.text()) if sent.is_sent else None

    def demand(self, given: Given | None, sent: Sent) -> None:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.demand`: checks the length."""
        length = len(given.text or "") if given else 0
        least = max(self.min_length, 1 if self.required else 0)
        if length < least and (self.required or length):
            raise AnswerError(_too_short(least))

    def read_cell(self, text: str) -> Given | None:
        """As `AskedQuestion.read_cell`: any text is an answer."""
        return Given(text=text)

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`."""
        return "any text"

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        return "free text"

    def note(self) -> Message | None:
        """As `AskedQuestion.note`: the minimum length."""
        n = self.min_length
        return messages("At least %(n)s character.", "At least %(n)s characters.", n) if n else None

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.reply_fields`."""
        yield ReplyField("text", is_required=self.required)

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:  # noqa: ARG002 - every simulated rater gives the same answer
        """As `AskedQuestion.simulate`: as long as the question requires, empty if it is optional."""
        n_times = max(1, -(-(self.min_length + 1) // (len(SIMULATED) + 1)))
        return {blank.name: [" ".join([SIMULATED] * n_times)[:MAX_TEXT] if self.required else ""]}


def _too_short(least: int) -> Message:
    if least <= 1:
        return message("Write an answer.")
    return messages("Write at least %(n)s character.", "Write at least %(n)s characters.", least)
