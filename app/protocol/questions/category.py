"""The kind `category`: one or several codes."""

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import Any, ClassVar, Literal, Self

from pydantic import AliasChoices, Field, model_validator

from app.base.language.message import message
from app.base.problem import BrokenRuleError
from app.protocol.questions.display import Display, Layout, Option, Reply, ReplyField, defined, values_of
from app.protocol.questions.question import (
    AnswerError,
    AskedQuestion,
    Blank,
    Form,
    Given,
    Key,
    Measure,
    Sent,
    SimulatedRater,
)
from app.protocol.questions.scale import equal_words

# Three short categories fit in a row with their words as column headings at any screen width.
_FEW, _FEW_LENGTH, _FEW_WORD = 3, 24, 14
_CHIP_LENGTH = 3


class CategoryQuestion(AskedQuestion):
    """One or several codes. `correct` is the correct one, if any; `exclusive` codes cannot be combined with others."""

    measure: ClassVar[Measure] = "codes"
    starts_with: ClassVar[Mapping[str, object]] = {"target": "response", "codes": {"yes": "Yes", "no": "No"}}
    type_words: ClassVar[str] = "Choice of answers"
    type: Literal["category"]
    codes: dict[Key, str] = Field(validation_alias=AliasChoices("codes", "options"), min_length=1)
    """Answers of a category question, from code to words, or a list; also called `options`."""
    definitions: dict[Key, str] = Field(default={})
    """What codes mean, from code to definition: raters read it on hover, focus or tap of an answer."""
    multiple: bool = False
    """Whether raters may choose several answers."""
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
    def _codes_can_be_joined(self) -> Self:
        if any("|" in code for code in self.codes):
            raise BrokenRuleError("codes must not contain |, which joins several codes in ratings.csv")
        if (same := equal_words(self.codes.items())) is not None:
            raise BrokenRuleError("each code must have its own words", same)
        if self.correct is not None and self.correct not in self.codes:
            raise BrokenRuleError("correct must be one of the codes", self.correct)
        return self

    @model_validator(mode="after")
    def _exclusive_codes_exist(self) -> Self:
        unknown = [code for code in self.exclusive if code not in self.codes]
        if unknown:
            raise BrokenRuleError("exclusive must name some of the codes", ", ".join(unknown))
        if undefined := [code for code in self.definitions if code not in self.codes]:
            raise BrokenRuleError("definitions must be of codes of the question", ", ".join(undefined))
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

    def in_words(self) -> str:
        """As `AskedQuestion.in_words`."""
        codes = ", ".join(words or code for code, words in self.codes.items())
        return f"{codes} (several possible)" if self.multiple else codes

    def other_words(self) -> dict[str, list[str]]:
        """As `AskedQuestion.other_words`."""
        return {code: [words] for code, words in self.codes.items()}

    def code_words(self) -> Mapping[str, str]:
        """As `AskedQuestion.code_words`."""
        return self.codes

    def key_column(self) -> str | None:
        """As `AskedQuestion.key_column`."""
        return self.correct_column

    def has_key(self) -> bool:
        """As `AskedQuestion.has_key`."""
        return bool(self.correct or self.correct_column)

    def fixed_answers(self) -> set[object]:
        """As `AskedQuestion.fixed_answers`."""
        return set(self.codes)

    def options(self, display: Display) -> tuple[Option, ...]:  # noqa: ARG002 - as in the base
        """As `AskedQuestion.options`; the key is the letter if all codes are letters, else a digit, 0 for the tenth."""
        words = {code: text or code for code, text in self.codes.items()}
        is_lettered = all(len(text) == 1 and text.upper() in ascii_uppercase for text in words.values())
        keys = [text.upper() for text in words.values()] if is_lettered else list("1234567890")
        options = (Option(code, text, keys[n] if n < len(keys) else "") for n, (code, text) in enumerate(words.items()))
        return defined(options, self.definitions)

    def layout(self, options: Sequence[Option]) -> Layout:
        """As `AskedQuestion.layout`: it depends on the words."""
        words = [option.words for option in options]
        if all(len(text) <= _CHIP_LENGTH for text in words):
            return "chips"
        is_short = all(len(text) <= _FEW_LENGTH and max(map(len, text.split())) <= _FEW_WORD for text in words)
        return "few" if is_short and len(options) <= _FEW else "list"

    def reply_fields(self, display: Display) -> Iterator[ReplyField]:
        """As `AskedQuestion.reply_fields`."""
        kind: Reply = "several_of" if self.multiple else "one_of"
        yield ReplyField(kind, values_of(self.offers(display)), is_required=self.required)

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
