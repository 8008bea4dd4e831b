"""What pydantic found wrong, in our words: each kind of value, and each kind of rule."""

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, ValidationError

from app.base.words import MAX_FOUND, allowed_in_words, found_in_words, problem_in_words


def refuse(_: object) -> object:
    raise AssertionError


class Settings(BaseModel):
    """Settings with a rule of each kind."""

    colour: Literal["red", "green"] = "red"
    entries: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: ["one"])
    names: Annotated[list[str], Field(max_length=3)] = Field(default_factory=list)
    share: Annotated[float, Field(le=1.0)] = 1.0
    day: date = date(2026, 11, 30)
    never: Annotated[str | None, AfterValidator(refuse)] = None
    shape: Annotated[str, Field(pattern="^[a-z]+$")] = "round"


def only_error(**given: object) -> Any:  # noqa: ANN401 - pydantic's typed mapping
    with pytest.raises(ValidationError) as caught:
        Settings.model_validate(given)
    (error,) = caught.value.errors()
    return error


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ({"colour": "blue"}, "red or green"),
        ({"entries": []}, "at least 1 entry"),
        ({"names": ["a"] * 4}, "at most 3 entries"),
        ({"share": 2}, "a number of at most 1"),
        ({"day": "soon"}, "a date, such as 2026-11-30"),
        ({"never": "x"}, "another value"),
        ({"shape": "4"}, "text in the documented form"),
    ],
)
def test_allowed_values_are_named(given: dict[str, object], allowed: str) -> None:
    assert allowed_in_words(only_error(**given)) == allowed


def test_unknown_kind_of_error_is_still_a_sentence() -> None:
    assert allowed_in_words({"type": "new_in_pydantic", "loc": (), "msg": "", "input": 1}) == "a value of another kind"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (["a", 1], "a, 1"),
        (("a",), "a"),
        (True, "true"),
        (False, "false"),
        ({}, "nothing"),
        (2.5, "2.5"),
        ("x" * (MAX_FOUND + 1), "x" * MAX_FOUND + "…"),
    ],
)
def test_found_value_is_shown_as_its_author_wrote_it(value: object, words: str) -> None:
    assert found_in_words(value) == words


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("missing", "This field is required."),
        ("extra_forbidden", "There is no such field."),
        ("json_invalid", "This is not JSON."),
    ],
)
def test_problem_without_a_value_names_none(kind: str, sentence: str) -> None:
    assert problem_in_words({"type": kind, "loc": ("n",), "msg": "", "input": None}) == sentence
