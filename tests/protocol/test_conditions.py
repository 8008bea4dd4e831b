"""Factors: what can be varied, and how."""

import pytest
from pydantic import ValidationError

from app.protocol.conditions import LEVELS, Factor


@pytest.mark.parametrize("kind", LEVELS)
def test_kind_with_fixed_levels_defaults_to_all(kind: str) -> None:
    assert tuple(Factor.model_validate({"kind": kind}).levels) == LEVELS[kind]
    two = LEVELS[kind][:2]
    assert tuple(Factor.model_validate({"kind": kind, "levels": list(two)}).levels) == two


def test_yaml_true_and_null_are_read_as_levels() -> None:
    known = {"kind": "shown_label", "levels": [None, True]}
    factor = Factor.model_validate({**known, "weights": {True: 2}, "reference_level": True})
    assert tuple(factor.levels) == ("none", "true")
    assert factor.weights == {"true": 2}
    assert factor.reference_level == "true"
    assert Factor.model_validate({**known, "reference_level": None}).reference_level is None


def test_instruction_levels_carry_their_text() -> None:
    factor = Factor.model_validate(
        {"kind": "instruction", "levels": {"self": "Imagine you were there.", "plain": "Read."}}
    )
    assert factor.levels["self"] == "Imagine you were there."


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"kind": "profile", "levels": ["shown"]}, "at least two levels"),
        ({"kind": "profile", "levels": ["shown", "secret"]}, "hidden, shown, found secret"),
        ({"kind": "instruction", "levels": ["self", "other"]}, "the text to show"),
        ({"kind": "instruction"}, "at least two levels"),
        ({"kind": "profile", "reference_level": "secret"}, "one of the levels of the factor, found secret"),
        ({"kind": "source", "levels": ["a", "b"], "assign": "within"}, "between raters"),
        (
            {"kind": "profile", "assign": "within", "weights": {"shown": 2}},
            "weights can be set only for a factor that varies between",
        ),
        (
            {"kind": "profile", "assign": "within", "caps": {"shown": 2}},
            "caps can be set only for a factor that varies between",
        ),
        ({"kind": "profile", "caps": {"seen": 2}}, "found seen"),
        ({"kind": "profile", "blocks": True}, "within raters"),
        ({"kind": "profile", "swaps": {"a": "b"}}, "of kind shown_label"),
        ({"kind": "source", "levels": ["a;b", "c"]}, "pattern"),
        ({"kind": "source", "levels": ["a=b", "c"]}, "pattern"),
        ("profile", "valid dictionary"),
        ({"kind": "profile", "levels": "shown"}, "valid dictionary"),
    ],
)
def test_invalid_factor_is_rejected_with_message(wrong: object, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Factor.model_validate(wrong)
