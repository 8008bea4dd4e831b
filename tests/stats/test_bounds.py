import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.clusters import ends_within, kept_within
from app.stats.result import Interval, Method, Result

SHARES = st.floats(0, 1)


@given(estimate=SHARES, reach=st.floats(0, 3))
def test_interval_ends_stay_in_range_and_contain_estimate(estimate: float, reach: float) -> None:
    low, high = ends_within(estimate, reach, 0, 1)
    assert 0 <= low <= estimate + 1e-12
    assert estimate - 1e-12 <= high <= 1


def test_interval_inside_range_is_unchanged() -> None:
    result = Result(3.0, interval=Interval(2.0, 4.0, Method(words="t"), inference="items"))
    assert kept_within(result, 1, 5) is result
    assert kept_within(Result(3.0), 1, 5).interval is None
    assert kept_within(result, 3.5, 5) is result  # values off the declared scale


def test_mean_near_scale_end_has_asymmetric_interval() -> None:
    result = kept_within(Result(4.8, interval=Interval(4.4, 5.2, Method(words="t"), inference="items")), 1, 5)
    assert result.interval is not None
    assert (result.interval.low, result.interval.high) == pytest.approx((3.7932, 4.9745), abs=1e-3)
    assert str(result.method) == "t, limits on the logit scale of the possible range"


def test_interval_of_a_test_is_cut_and_keeps_its_decision() -> None:
    """0 lies inside both intervals or outside both: on the logit scale, 7.5 of 9 points would include it."""
    interval = Interval(0.5, 14.5, Method("two_way_cluster_t"), inference="items_and_raters")
    result = kept_within(Result(7.5, Method("two_way_cluster_t"), interval=interval, p_value=0.04), -9, 9)
    assert result.interval is not None
    assert (result.interval.low, result.interval.high) == (0.5, 9)
    assert str(result.method) == "two_way_cluster_t, limits cut at the possible range"


def test_interval_of_mean_at_scale_end_is_truncated() -> None:
    assert ends_within(5.0, 0.4, 1, 5) == (4.6, 5)
