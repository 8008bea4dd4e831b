"""The kind `choice`: a forced choice between the two responses of a pair."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

from pydantic import model_validator

from app.base.language.message import message
from app.base.words import number, number_text, or_list
from app.protocol.questions.display import (
    Display,
    Layout,
    Option,
    ReplyField,
    letter,
    offers_of,
    places_as_read,
    response_name,
    values_of,
)
from app.protocol.questions.question import (
    SIDES,
    AnswerError,
    AskedQuestion,
    Blank,
    Form,
    Given,
    Measure,
    Sent,
    SimulatedRater,
)
from app.protocol.questions.scale import DEFAULT_STRENGTH, Scale, scale_options

# Thresholds of simulated raters, in standard deviations of the difference; NEITHER_BELOW applies to both responses.
TIE_BELOW, NEITHER_BELOW, SIDE_BIAS, ONE_STRENGTH = 0.3, -1.0, 0.06, 0.8


class ChoiceQuestion(AskedQuestion):
    """A forced choice between the two responses of a pair."""

    measure: ClassVar[Measure] = "preference"
    type_words: ClassVar[str] = "Choice between two responses"
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

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        others = [{"tie": "about the same"}.get(word, word) for word in self.words]
        answers = or_list(["one of the two responses", *others]) if others else "one of the two responses (no ties)"
        return f"{answers}; strength of preference: {self.strength.in_words}" if self.strength else answers

    def other_words(self) -> dict[str, list[str]]:
        """As `AskedQuestion.other_words`."""
        return {word: [] for word in self.words}

    def fixed_answers(self) -> set[object]:
        """As `AskedQuestion.fixed_answers`."""
        return {*self.words, *(self.strength.values if self.strength else ())}

    def options(self, display: Display) -> tuple[Option, ...]:
        """As `AskedQuestion.options`: A is the response that is read first, on whichever side."""
        say = display.language.say
        places = places_as_read(len(SIDES), is_right_to_left=display.language.is_right_to_left)
        sides = [
            Option(SIDES[place], say(response_name(nth, len(SIDES))), letter(nth)) for nth, place in enumerate(places)
        ]
        others = {"tie": (message("About the same"), "T"), "neither": (message("Neither"), "N")}
        return (*sides, *(Option(word, say(others[word][0]), others[word][1]) for word in self.words))

    def layout(self, options: Sequence[Option]) -> Layout:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.layout`."""
        return "choice"

    def strength_options(self, display: Display) -> tuple[Option, ...]:
        """As `AskedQuestion.strength_options`."""
        return scale_options(self.strength, Display(display.language)) if self.strength else ()

    def how_to_answer(self, display: Display) -> Iterator[str]:
        """As `AskedQuestion.how_to_answer`."""
        yield from super().how_to_answer(display)
        if strengths := self.strength_options(display):
            yield display.language.say(message("How strong is your preference?"))
            yield from (offer.line for offer in offers_of(strengths))

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:
        """As `AskedQuestion.reply_fields`: the choice and, if it is asked, its strength."""
        yield ReplyField("one_of", values_of(self.offers(display)), is_required=self.required)
        if strengths := self.strength_options(display):
            about = ": strength of the preference, null without one"
            strength = values_of(offers_of(strengths))
            yield ReplyField("one_of", strength, "_strength", ".strength", about, is_required=False)

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
