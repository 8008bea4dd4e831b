"""Values that a Result rejects, so that pages need not check them."""

from __future__ import annotations

import pytest

from app.stats.core.result import REASONS, Interval, Result, undefined


@pytest.mark.parametrize("bad", [{"estimate": None}, {"estimate": 1.0, "reason": "singular"}])
def test_a_result_has_an_estimate_or_a_reason(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="never both, never neither"):
        Result(**bad)  # type: ignore[arg-type]  # invalid on purpose


def test_an_interval_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="finite numbers only"):
        Result(0.5, interval=Interval(0.0, float("inf"), "wilson", inference="ratings"))


def test_every_reason_makes_an_undefined_result_that_keeps_its_counts() -> None:
    for reason in REASONS:
        result = undefined(reason, "why", n_ratings=3)  # type: ignore[arg-type]  # all are valid literals
        assert (result.estimate, result.reason, result.note, result.n_ratings) == (None, reason, "why", 3)


def test_a_caller_may_know_better_what_an_interval_generalizes_to() -> None:
    result = Result(0.5, interval=Interval(0.4, 0.6, "jackknife_units", inference="items"))
    assert result.with_inference("ratings").interval == Interval(0.4, 0.6, "jackknife_units", inference="ratings")
    assert Result(0.5).with_inference("items") == Result(0.5)
