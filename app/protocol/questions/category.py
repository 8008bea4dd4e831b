"""The kind `category`: one or several codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import AliasChoices, Field, model_validator

from app.base.language.message import message
from app.base.problem import BrokenRuleError
from app.protocol.questions.question import AnswerError, AskedQuestion, Blank, Form, Given, Key, Sent, SimulatedRater
from app.protocol.questions.scale import equal_words


class CategoryQuestion(AskedQuestion):
    """One or several codes. `correct` is the correct one, if any; `exclusive` codes cannot be combined with others."""

    type: Literal["category"]
    codes: dict[Key, str] = Field(validation_alias=AliasChoices("codes", "options"), min_length=1)
    """Answers of a category question, from code to words, or a list; also called `options`."""
    multiple: bool = False
    """Whether raters may select more than one code."""
    exclusive: tuple[Key, ...] = ()
    """With `multiple`, codes that cannot be combined with others, such as `[none]`."""
    correct: str | None = None
    """The correct code."""
    correct_column: str | None = None
    """The column of items.csv or responses.csv that contains the correct code."""

    @model_validator(mode="before")
    @classmethod
    def _codes_from_list(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
        name = "codes" if isinstance(data, dict) and "codes" in data else "options"
        if isinstance(data, dict) and isinstance(data.get(name), list):
            return {**data, name: {str(code): str(code) for code in data[name]}}
        return data

    @model_validator(mode="after")
    def _codes_can_be_joined(self) -> CategoryQuestion:
        if any("|" in code for code in self.codes):
            raise BrokenRuleError("codes must not contain |, which joins several codes in ratings.csv")
        if (same := equal_words(self.codes.items())) is not None:
            raise BrokenRuleError("each code must have its own words", same)
        if self.correct is not None and self.correct not in self.codes:
            raise BrokenRuleError("correct must be one of the codes", self.correct)
        return self

    @model_validator(mode="after")
    def _exclusive_codes_exist(self) -> CategoryQuestion:
        unknown = [code for code in self.exclusive if code not in self.codes]
        if unknown:
            raise BrokenRuleError("exclusive must name some of the codes", ", ".join(unknown))
        if self.exclusive and not self.multiple:
            raise BrokenRuleError("exclusive can be set only with multiple: true")
        return self

    def read(self, sent: Sent) -> Given | None:
        """As `AskedQuestion.read`."""
        codes = tuple(code for code in self.codes if code in sent.values)
        if set(sent.values) - set(self.codes) - {""} or (len(codes) > 1 and not self.multiple):
            raise AnswerError(message("Choose one of the answers."))
        alone = next((code for code in codes if code in self.exclusive), None)
        if alone is not None and len(codes) > 1:
            words = self.codes[alone] or alone
            raise AnswerError(message("“%(words)s” cannot be combined with other answers.", words=words))
        # A form sends an empty value along with the checkboxes: none ticked is a cleared answer, not a missing one.
        if codes or (sent.is_sent and self.multiple and not self.required):
            return Given(codes=codes)
        return None

    def read_cell(self, text: str) -> Given | None:
        """As `AskedQuestion.read_cell`: codes in the order of the protocol, none unknown, repeated or too many.

        If several codes can be selected, an empty text is the answer "none of them".
        """
        codes = [code.strip() for code in text.split("|")] if text.strip() else []
        if not self.multiple and len(codes) != 1:
            return None
        if len(set(codes)) != len(codes) or not set(codes) <= set(self.codes):
            return None
        return Given(codes=tuple(code for code in self.codes if code in codes))

    def allowed_words(self) -> str:
        """As `AskedQuestion.allowed_words`."""
        return f"{', '.join(self.codes)}{' (several joined by |)' if self.multiple else ''}"

    def meanings(self) -> Iterator[tuple[str, str]]:
        """As `AskedQuestion.meanings`."""
        yield from self.codes.items()

    def accepts(self, value: str, shown: Sequence[str]) -> bool:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.accepts`."""
        return set(value.split("|")) <= set(self.codes)

    def form_of(self, value: str, name: str, shown: Sequence[str]) -> Form:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.form_of`."""
        return {name: value.split("|")}

    def simulate(self, blank: Blank, rater: SimulatedRater) -> Form:
        """As `AskedQuestion.simulate`; if there is a correct code, three in four answers are correct."""
        return {blank.name: self._simulated(rater)}

    def _simulated(self, rater: SimulatedRater) -> list[str]:
        codes = list(self.codes)
        if self.correct is not None and rater.rng.random() < 3 / 4:
            return [self.correct]
        if self.multiple:
            picked = [code for code in codes if rater.rng.random() < 1 / 3 and code not in self.exclusive]
            return picked or [rater.rng.choice(codes)]
        return [rater.rng.choice(codes)]
