"""Attention checks flag raters by declared rules; they never reject raters."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.design.protocol.parts.checks import Checks, is_flagged, practice_outcome, score_of, too_fast
from app.design.protocol.parts.flow import Practice
from tests.design.studies import protocol

FOUR = {"a": "Never", "b": "Rarely", "c": "Often", "d": "Always"}
ATTENTION = {
    "key": "look",
    "text": "To show that you read this, please choose Often.",
    "codes": FOUR,
    "correct": "c",
    "after": 3,
}


def test_attention_check_names_the_correct_answer() -> None:
    assert Checks.model_validate({"attention": [ATTENTION]}).attention[0].correct == "c"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"text": "What did the last person feel?"}, "must say which answer to choose, found no Often"),
        ({"codes": {"a": "Never", "c": "Often", "d": "Always"}}, "must not be the middle one"),
        ({"correct": "e"}, "one of the codes, found e"),
        ({"after": 0}, "greater than or equal to 1"),
        ({"codes": {"c": "Often"}}, "at least 2 items"),
    ],
)
def test_attention_check_against_policy_is_rejected(change: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Checks.model_validate({"attention": [{**ATTENTION, **change}]})


def test_check_key_must_differ_from_question_keys() -> None:
    with pytest.raises(ValidationError, match="found warm more than once"):
        protocol(checks={"attention": [{**ATTENTION, "key": "warm"}]})


def test_gold_trial_must_expect_answers_to_declared_questions() -> None:
    with pytest.raises(ValidationError, match=r"checks\.gold must name questions \(.*\), found cold"):
        protocol(checks={"gold": [{"item": "g", "expect": {"cold": 1}}]})


def test_missing_answers_are_incorrect_and_unasked_ones_ignored() -> None:
    expect = {"warm": ("2", "3"), "who": ("ai",), "elsewhere": ("1",)}
    found = score_of(expect, {"warm": ["3"], "who": [""], "sure": ["9"]})
    assert (found.n_right, found.n_expected, found.share) == (1, 2, 0.5)


def test_question_about_both_responses_needs_both_correct() -> None:
    assert score_of({"warm": ("2", "3")}, {"warm": ["3", "1"]}).n_right == 0
    assert score_of({"warm": ("2", "3")}, {"warm": ["3", "2"]}).n_right == 1


def test_page_without_expected_answers_scores_full() -> None:
    assert score_of({}, {"warm": ["3"]}).share == 1


@pytest.mark.parametrize(
    ("shares", "outcome"), [([0.5], "again"), ([0.5, 0.5], "end"), ([0.5, 0.8], "passed"), ([1.0], "passed")]
)
def test_practice_is_passed_repeated_or_ends(shares: list[float], outcome: str) -> None:
    practice = Practice.model_validate({"trials": [{"item": "p"}], "pass_share": 0.8, "attempts": 2, "on_fail": "end"})
    assert practice_outcome(practice, shares) == outcome


def test_flag_requires_declared_number_of_failures() -> None:
    assert [is_flagged(Checks(), n) for n in (0, 1, 2, 3)] == [False, False, True, True]


def test_too_fast_is_three_sd_below_mean_total_time() -> None:
    times = {f"r{number}": 600_000.0 + 1000 * (number % 3) for number in range(30)}
    assert too_fast(Checks(), times) == set()
    assert too_fast(Checks(), {**times, "hasty": 30_000.0}) == {"hasty"}
    assert too_fast(Checks(), {"a": 1.0, "b": 600_000.0}) == set()
