"""Attention checks flag raters by declared rules; they never reject raters."""

import pytest
from pydantic import ValidationError

from app.protocol.checks import Checks, practice_outcome, score_of
from app.protocol.flow import Practice
from tests.kit.protocols import protocol

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


def test_flag_requires_declared_number_of_failures_and_never_more_than_there_are_checks() -> None:
    look = {"key": "look", "text": "Choose A.", "codes": {"a": "A", "b": "B"}, "correct": "a", "after": 1}
    several = [look, {**look, "key": "look-again"}, {**look, "key": "look-thrice"}]
    assert [Checks.model_validate({"attention": several[:n]}).flagged_at for n in range(4)] == [2, 1, 2, 2]
    assert Checks.model_validate({"attention": several, "flag_at": 3}).flagged_at == 3
    assert Checks.model_validate({"attention": several, "gold": [{"item": "g", "expect": {"q": "1"}}]}).n_scored == 4


@pytest.mark.parametrize(("n_checks", "flag_at"), [(1, 2), (0, 1), (1, 9)])
def test_flag_at_above_number_of_checks_is_refused(n_checks: int, flag_at: int) -> None:
    look = {"key": "look", "text": "Choose A.", "codes": {"a": "A", "b": "B"}, "correct": "a", "after": 1}
    with pytest.raises(ValidationError) as error:
        protocol(checks={"attention": [look] * n_checks, "flag_at": flag_at})
    has = f"{n_checks} attention check{'' if n_checks == 1 else 's'} and 0 gold trials"
    assert (
        f"checks.flag_at must be at most the number of checks, or nobody can be flagged (the study has {has}), "
        f"found {flag_at}" in str(error.value)
    )
