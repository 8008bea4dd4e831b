"""Turns of a dialogue, as written in a cell."""

import pytest

from app.protocol.dialogue import turns_from_json, whole_text


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('[{"speaker": "A",', "broken JSON at character 18"),
        ('[{"speaker": "A", "text": NaN}]', "NaN is not valid JSON"),
        ("[]", "a list with at least one turn"),
        ('"Hello"', "a list with at least one turn"),
        ('[{"speaker": "A", "text": "Hi"}, {"speaker": "B"}]', "turn 2 has no speaker or no text"),
        ('["Hi"]', "turn 1 has no speaker or no text"),
    ],
)
def test_invalid_dialogue_is_rejected_with_message(cell: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        turns_from_json(cell)


def test_response_without_text_and_turns_is_empty() -> None:
    assert not whole_text(None, None)
