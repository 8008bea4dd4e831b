"""The kind `highlight`: passages of a text, as character offsets."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from app.base.language.message import message
from app.protocol.questions.display import Display, ReplyField
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
from app.protocol.questions.spans import (
    QuoteError,
    are_spans,
    as_shown,
    find_quotes,
    from_shown,
    read_spans,
    spans_to_text,
)


class HighlightQuestion(AskedQuestion):
    """Passages of the text, as character offsets."""

    has_script: ClassVar[bool] = True
    measure: ClassVar[Measure] = "passages"
    starts_with: ClassVar[Mapping[str, object]] = {"target": "response"}
    type_words: ClassVar[str] = "Marked passages"
    type: Literal["highlight"]
    target: Literal["response", "item", "turn"]
    required: bool = False
    correct_column: str | None = None
    """The column of items.csv or responses.csv that contains the correct passages, such as `12-30|45-60`."""

    def read(self, sent: Sent) -> Given | None:
        """As `AskedQuestion.read`: offsets computed by a script on the page, or copied words, one passage per line."""
        counted = f"{sent.name}.spans"
        if counted in sent.form:
            as_page = [as_shown(passage) for passage in sent.passages]
            spans = read_spans(sent.text(".spans"), as_page, in_turns=sent.in_turns)
            if spans is None:
                raise AnswerError(message("Mark words in the text."))
            return Given(text=spans_to_text(from_shown(spans, sent.passages)))
        return self._copied(sent) if sent.is_sent else None

    def _copied(self, sent: Sent) -> Given:
        try:
            spans = find_quotes(sent.text().splitlines(), sent.passages, in_turns=sent.in_turns)
        except QuoteError as error:
            raise AnswerError(message("These words are not in the text: %(words)s", words=str(error))) from None
        return Given(text=spans_to_text(spans))

    def demand(self, given: Given | None, sent: Sent) -> None:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.demand`."""
        if self.required and not (given and given.text):
            raise AnswerError(message("Mark at least one passage."))

    def read_cell(self, text: str) -> Given | None:
        """As `AskedQuestion.read_cell`."""
        return Given(text=text.strip()) if are_spans(text.strip()) else None

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`."""
        return "character offsets such as 12-30|45-60, in a dialogue each led by its turn: 2:12-30"

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        return "marked words"

    def key_column(self) -> str | None:
        """As `AskedQuestion.key_column`."""
        return self.correct_column

    def how_to_answer(self, display: Display) -> Iterator[str]:
        """As `AskedQuestion.how_to_answer`."""
        yield display.language.say(message("Copy the words here from the text, one passage per line."))

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.reply_fields`."""
        yield ReplyField("passages", is_required=self.required)

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """As `AskedQuestion.simulate`: a few consecutive words."""
        words = rater.rng.choice(blank.passages).split()
        first = rater.rng.randrange(max(1, len(words)))
        return {blank.name: [" ".join(words[first : first + rater.rng.randint(1, 8)])]}
