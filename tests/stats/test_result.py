"""Values that a Result rejects, so that pages need not check them."""

import pytest

from app.stats.result import REASONS, Interval, Method, Result, undefined


@pytest.mark.parametrize("bad", [{"estimate": None}, {"estimate": 1.0, "reason": "singular"}])
def test_result_has_either_estimate_or_reason(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="never both, never neither"):
        Result(**bad)  # type: ignore[arg-type]  # invalid on purpose


def test_infinite_interval_is_rejected() -> None:
    with pytest.raises(ValueError, match="finite numbers only"):
        Result(0.5, interval=Interval(0.0, float("inf"), Method("wilson"), inference="ratings"))
    with pytest.raises(ValueError, match="finite numbers only"):
        Result(0.5, interval=Interval(float("-inf"), float("inf"), Method("wilson"), inference="ratings", is_open=True))


def test_interval_without_upper_limit_says_so() -> None:
    open_one = Interval(3.0, float("inf"), Method("f_distribution"), inference="ratings", is_open=True)
    assert Result(9.0, interval=open_one).interval is open_one
    assert Result(None, reason="no_variation", interval=open_one).estimate is None


def test_undefined_result_keeps_reason_and_counts() -> None:
    for reason in REASONS:
        result = undefined(reason, "why", n_ratings=3)  # type: ignore[arg-type]  # all are valid literals
        assert (result.estimate, result.reason, result.note, result.n_ratings) == (None, reason, "why", 3)


def test_inference_of_interval_can_be_overridden() -> None:
    result = Result(0.5, interval=Interval(0.4, 0.6, Method("jackknife_units"), inference="items"))
    assert result.with_inference("ratings").interval == Interval(
        0.4, 0.6, Method("jackknife_units"), inference="ratings"
    )
    assert Result(0.5).with_inference("items") == Result(0.5)


def test_notes_are_joined_and_an_empty_one_changes_nothing() -> None:
    result = Result(0.5, note="First.")
    assert result.noted("Second.").note == "First. Second."
    assert Result(0.5).noted("Only.").note == "Only."
    assert result.noted("") is result
