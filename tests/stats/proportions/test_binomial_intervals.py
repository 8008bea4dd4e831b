import pytest

from app.stats.proportions.binomial_intervals import clopper_pearson, wilson, wilson_cc
from tests.kit.oracles import Oracle


def test_binomial_intervals_match_r(oracle: Oracle) -> None:
    """binom.test, binom::binom.confint and prop.test of R 4.2.2, including 0 of n and n of n."""
    known = oracle("binomial_intervals")
    assert known["expected"]["cases"]
    for case in known["expected"]["cases"]:
        for statistic in (clopper_pearson, wilson, wilson_cc):
            result = statistic(case["wins"], case["n"])
            assert result.interval is not None
            ends = (result.interval.low, result.interval.high)
            assert ends == pytest.approx(case[statistic.__name__], abs=known["tolerance"]["default"])
            assert result.p_value == pytest.approx(case["p_two_sided"], rel=1e-6)


def test_unanimous_choice_has_an_interval(oracle: Oracle) -> None:
    """One side wins all twelve choices, a complete separation."""
    known = oracle("degenerate_bt_separation")["expected"]
    for statistic in (clopper_pearson, wilson):
        result = statistic(12, 12)
        assert result.interval is not None
        assert (result.interval.low, result.interval.high) == pytest.approx(known[statistic.__name__], abs=1e-6)


def test_ayers_2023_preference_interval_is_reproduced() -> None:
    """Chatbot preferred in 460 of 585: 78.6% (75.0 to 81.8), JAMA Intern Med 2023; 183(6):589-596."""
    result = wilson_cc(460, 585)
    assert result.interval is not None
    assert result.estimate == pytest.approx(0.7863, abs=5e-5)
    assert (result.interval.low, result.interval.high) == pytest.approx((0.7504, 0.8184), abs=5e-5)


def test_zero_choices_are_undefined() -> None:
    assert wilson(0, 0).reason == "no_pairable_units"
