"""A prompt file says what a model is asked, in which fields, and how long its response should be."""

import pytest
from pydantic import ValidationError

from app.llm.writers.prompt import ModelPrompt, PromptLength


def test_fields_are_listed_with_the_place_that_uses_them() -> None:
    prompt = ModelPrompt(
        name="warm", system="You are {profile}.", user="{situation} {situation}", steps=("Why?", "In {words} words.")
    )
    assert list(prompt.used_fields()) == [("system", "profile"), ("user", "situation"), ("steps.2", "words")]
    assert prompt.n_stages == 3


def test_examples_do_not_ask_for_fields() -> None:
    prompt = ModelPrompt.model_validate({"name": "p", "examples": [{"situation": "My {cat}", "response": "Oh."}]})
    assert list(prompt.used_fields()) == [("user", "situation")]
    assert prompt.n_stages == 1


@pytest.mark.parametrize("length", [{}, {"words": 50, "match": "human"}])
def test_length_has_exactly_one_target(length: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="either words or match"):
        PromptLength.model_validate(length)


@pytest.mark.parametrize(("target", "tolerance", "bounds"), [(100, 0.2, (80, 120)), (1, 1, (1, 2)), (30, 0, (30, 30))])
def test_length_allows_a_share_above_and_below(target: int, tolerance: float, bounds: tuple[int, int]) -> None:
    assert PromptLength(match="human", tolerance=tolerance).bounds(target) == bounds
