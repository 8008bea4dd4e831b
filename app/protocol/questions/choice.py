"""The kind `choice`: a forced choice between the two responses of a pair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import model_validator

from app.base.language.message import message
from app.base.words import number, number_text
from app.protocol.questions.question import SIDES, AnswerError, AskedQuestion, Blank, Form, Given, Sent, SimulatedRater
from app.protocol.questions.scale import Point, Scale

# The points of `strength: true`.
STRENGTH = {1: message("slightly"), 2: message("clearly"), 3: message("strongly")}
DEFAULT_STRENGTH = Scale(points=tuple(Point(value=value, words=words.text) for value, words in STRENGTH.items()))
# Thresholds of simulated raters, in standard deviations of the difference; NEITHER_BELOW applies to both responses.
TIE_BELOW, NEITHER_BELOW, SIDE_BIAS, ONE_STRENGTH = 0.3, -1.0, 0.06, 0.8


class ChoiceQuestion(AskedQuestion):
    """A forced choice between the two responses of a pair."""

    type: Literal["choice"]
    target: Literal["pair"] = "pair"
    tie: bool = False
    """Whether a choice offers “about the same”."""
    neither: bool = False
    """Whether a choice offers “neither”."""
    strength: Scale | None = None
    """True, or a scale for the strength of preference."""

    @model_validator(mode="before")
    @classmethod
    def _plain_strength(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        if isinstance(data, dict) and isinstance(data.get("strength"), bool):
            return {**data, "strength": DEFAULT_STRENGTH if data["strength"] else None}
        return data

    @property
    def words(self) -> tuple[str, ...]:
        """The outcomes other than the two responses."""
        return (*(["tie"] if self.tie else []), *(["neither"] if self.neither else []))

    def read(self, sent: Sent) -> Given | None:
        """As `AskedQuestion.read`."""
        value = sent.value
        if value is None:
            return None
        strength = self._strength(sent)
        if value in SIDES and len(sent.shown) == len(SIDES):
            chosen = sent.shown[SIDES.index(value)]
            return Given(outcome="response", chosen_response_id=chosen, side=value, strength=strength)
        if value in self.words:
            return Given(outcome=value)
        raise AnswerError(message("Choose one of the answers."))

    def _strength(self, sent: Sent) -> float | None:
        text = sent.text(".strength")
        if self.strength is None or not text:
            return None
        found = number(text)
        if found is None or found not in self.strength.values:
            raise AnswerError(message("Choose how strong your preference is."))
        return found

    def demand(self, given: Given | None, sent: Sent) -> None:
        """As `AskedQuestion.demand`; a chosen side needs a strength if the question asks for it."""
        super().demand(given, sent)
        if self.strength is not None and given is not None and given.side is not None and given.strength is None:
            raise AnswerError(message("Choose how strong your preference is."))

    def read_cell(self, text: str) -> Given | None:
        """As `AskedQuestion.read_cell`; IDs of responses and names of sources cannot be resolved without the pair."""
        return Given(outcome=text.strip()) if text.strip() in self.words else None

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`.

        >>> ChoiceQuestion(key="p", type="choice", text="Which?", tie=True).allowed_words()
        'the id of one of the two responses, or its source, or tie'
        """
        more = "".join(f", or {word}" for word in self.words)
        return f"the id of one of the two responses, or its source{more}"

    def meanings(self) -> Iterator[tuple[str, str]]:
        """As `AskedQuestion.meanings`."""
        yield "", self.allowed_words()

    def accepts(self, value: str, shown: Sequence[str]) -> bool:
        """As `AskedQuestion.accepts`."""
        return value in shown or value in self.words

    def form_of(self, value: str, name: str, shown: Sequence[str]) -> Form:
        """As `AskedQuestion.form_of`; a chosen side gets the lowest strength."""
        if value not in shown:
            return {name: [value]}
        form = {name: [SIDES[shown.index(value)]]}
        return form | ({f"{name}.strength": [number_text(self.strength.values[0])]} if self.strength else {})

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """As `AskedQuestion.simulate`."""
        left, right = (rater.impression(response, self.key) for response in blank.shown)
        lead = left - right + SIDE_BIAS
        if self.neither and max(left, right) < NEITHER_BELOW:
            return {blank.name: ["neither"]}
        if self.tie and abs(lead) < TIE_BELOW:
            return {blank.name: ["tie"]}
        form = {blank.name: [SIDES[lead < 0]]}
        if self.strength:
            values = self.strength.values
            form[f"{blank.name}.strength"] = [number_text(values[min(int(abs(lead) / ONE_STRENGTH), len(values) - 1)])]
        return form
