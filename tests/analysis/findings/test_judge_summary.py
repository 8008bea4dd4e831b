"""A judge passes by the test, the interval to the ceiling, its biases and what it answered, not by an estimate."""

from dataclasses import replace
from typing import Any

import pytest

from app.analysis.estimate import Estimate
from app.analysis.findings.judge_summary import JudgeSummary, _p_value, judge_summaries, side_of


def one(statistic: str, value: float, low: float | None = None, high: float | None = None, **parts: Any) -> Estimate:  # noqa: ANN401 - of an estimate
    scope: Any = {"rater_kind": "model", "raters": ["gpt"]}
    return Estimate("judge", "empathy", scope, statistic, value, low, high, 0.95, n_items=40, **parts)


PASSED = (
    one("alt_test_winning_rate", 0.5),
    one("correlation_minus_ceiling", -0.02, -0.1, 0.06),
    one("judge_answered", 1.0),
    one("first_side_share", 0.52, 0.45, 0.6),
)


def summary(*others: Estimate) -> JudgeSummary:
    named = {other.statistic for other in others}
    (found,) = judge_summaries([*(kept for kept in PASSED if kept.statistic not in named), *others])
    return found


def test_a_judge_that_passes_everything_passes() -> None:
    assert summary().verdict == "Passes"
    assert summary().sentence == (
        "gpt: passes. It passes the alternative annotator test on 1 of 1 question. Its agreement with people is below "
        "the human ceiling (95% CI) on 0 of 1."
    )


@pytest.mark.parametrize(
    ("other", "verdict", "words"),
    [
        (one("alt_test_winning_rate", 0.49), "Does not pass", "on 0 of 1 question"),
        (one("correlation_minus_ceiling", -0.2, -0.3, -0.1), "Does not pass", "on 1 of 1."),
        (one("judge_answered", 0.5), "Incomplete", "It answered 50.0% of the units"),
        (one("first_side_share", 0.8, 0.7, 0.9), "Biased", "It chooses the first side in 80.0%."),
        (one("first_side_share", 1.0, ci_reason="no_variation"), "Biased", "It chooses the first side in 100.0%."),
        (one("side_effect", -0.4, -0.6, -0.2), "Biased", "It rates the right response higher"),
        (one("length_bias", 0.4, 0.1, 0.6), "Biased", "It favours longer texts."),
        (one("self_preference", 0.4, 0.1, 0.6), "Biased", "It favours its own family."),
    ],
)
def test_each_reason_is_enough_to_withhold_the_praise(other: Estimate, verdict: str, words: str) -> None:
    assert (summary(other).verdict, words in summary(other).sentence) == (verdict, True)


def test_without_a_test_nothing_is_praised() -> None:
    (found,) = judge_summaries([one("judge_correlation", 0.9), one("ceiling_correlation", 0.5)])
    assert found.verdict.startswith("Not tested")


def test_the_same_side_on_a_few_items_is_chance() -> None:
    few = replace(one("first_side_share", 1.0, ci_reason="no_variation"), n_items=5)
    assert summary(few).verdict == "Passes"


def test_biases_are_tested_together() -> None:
    """Ten intervals that just exclude none are chance; one that does so clearly stays, with the words of it alone."""
    narrow = [replace(one("length_bias", 0.4, 0.01, 0.79), question=f"q{k}") for k in range(10)]
    assert summary(*narrow).biases == ()
    clear = replace(one("length_bias", -0.4, -0.6, -0.2), question="q10")
    assert summary(*narrow, clear).biases == ("favours shorter texts",)


def test_a_bias_on_several_questions_is_said_once_with_its_range() -> None:
    each = [
        replace(one("side_effect", value, value - 0.2, value + 0.2), question=f"q{n}")
        for n, value in enumerate((1.38, 1.28, -1.5))
    ]
    assert summary(*each).biases == (
        "rates the left response higher (1.28 to 1.38 points)",
        "rates the right response higher (−1.50 points)",
    )


def test_what_arithmetic_leaves_of_no_bias_is_none() -> None:
    assert summary(one("length_bias", -6.8e-15, ci_reason="no_variation")).verdict == "Passes"
    assert side_of(one("length_bias", -6.8e-15, ci_reason="no_variation"), 0.0) == 0


@pytest.mark.parametrize(("n_items", "estimate", "p"), [(40, 0.4, 0.0103), (6, 0.4, 0.0187), (40, 0.3, 0.05)])
def test_p_value_is_that_of_t(n_items: int, estimate: float, p: float) -> None:
    """With a reach of .3: from t = estimate / .3 times the quantile of t with n - 1 degrees of freedom."""
    found = replace(one("length_bias", estimate, estimate - 0.3, estimate + 0.3), n_items=n_items)
    assert _p_value(found) == pytest.approx(p, abs=0.0005)


def test_without_a_variance_there_is_no_p_value() -> None:
    assert _p_value(replace(one("length_bias", 0.4, 0.1, 0.7), n_items=1)) is None
    assert _p_value(one("side_effect", 0.0, ci_reason="no_variation")) is None
    assert _p_value(replace(one("side_effect", 0.1, 0.0, 0.2), p_value=0.03)) == 0.03
