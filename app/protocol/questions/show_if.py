"""When a question about the rater is asked: only after certain answers to an earlier question."""

from collections.abc import Collection
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, StringConstraints, model_validator

from app.base.problem import BrokenRuleError
from app.base.words import number, number_text


def value_as_text(value: Any) -> Any:  # noqa: ANN401 - whatever the lead wrote
    """An answer as text, written as in ratings.csv.

    >>> value_as_text(4.0), value_as_text("often")
    ('4', 'often')
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    return value


Value = Annotated[str, BeforeValidator(value_as_text), StringConstraints(min_length=1)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ShowIf(BaseModel):
    """The earlier question, and the answers after which the question is asked: exactly one of the three tests."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    question: Name
    """The earlier question about the rater."""
    equals: Value | None = None
    """The answer after which the question is asked, written as in ratings.csv."""
    one_of: tuple[Value, ...] = ()
    """The answers after any of which the question is asked."""
    at_least: FiniteFloat | None = Field(default=None)
    """For questions answered by a number: the lowest number after which the question is asked."""

    @model_validator(mode="after")
    def _has_one_test(self) -> Self:
        if (self.equals is not None) + bool(self.one_of) + (self.at_least is not None) != 1:
            raise BrokenRuleError("show_if must have exactly one of equals, one_of and at_least")
        return self

    @property
    def accepted(self) -> tuple[str, ...]:
        """The answers of `equals` or `one_of`."""
        return self.one_of if self.equals is None else (self.equals,)

    def holds(self, answers: Collection[str]) -> bool:
        """Whether the question is asked after these answers to the earlier one; none if it was not answered.

        >>> ShowIf(question="age", at_least=18).holds(["18"]), ShowIf(question="uses", one_of=["a", "b"]).holds(["c"])
        (True, False)
        """
        if self.at_least is not None:
            return any(value is not None and value >= self.at_least for value in map(number, answers))
        return any(_same(answer, accepted) for answer in answers for accepted in self.accepted)

    @property
    def in_words(self) -> str:
        """The test, as it follows the name of the earlier question.

        >>> ShowIf(question="age", at_least=18).in_words, ShowIf(question="uses", one_of=["a", "b"]).in_words
        ('is at least 18', 'is a or b')
        """
        return (
            f"is at least {number_text(self.at_least)}"
            if self.at_least is not None
            else f"is {' or '.join(self.accepted)}"
        )


def _same(one: str, other: str) -> bool:
    value = number(one)
    return one == other or (value is not None and value == number(other))
