import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.accuracy.detection import criterion, dprime
from tests.stats.conftest import RandomRatings, Where


def test_dprime_matches_macmillan_and_creelman_example() -> None:
    """Detection Theory (2005), chapter 1: 20 of 25 hits, 10 of 25 false alarms; d' 1.095, c -0.294."""
    said = np.array([1.0] * 20 + [0] * 5 + [1] * 10 + [0] * 15)
    place = np.arange(50)
    where: Where = {"item": place % 5, "rater": place // 5}
    assert dprime(said, place < 25, **where).estimate == pytest.approx(1.095, abs=5e-4)
    assert criterion(said, place < 25, **where).estimate == pytest.approx(-0.294, abs=5e-4)


def test_dprime_standard_error_matches_gourevitch_and_galanter() -> None:
    """Gourevitch and Galanter (1967): the sum of p (1 - p) / (n phi(z)^2) over signal and noise trials."""
    rng = np.random.default_rng(1)
    signal = np.arange(4000) < 2000
    said = (rng.random(4000) < np.where(signal, 0.7, 0.4)).astype(float)
    result = dprime(said, signal, item=np.arange(4000), rater=np.arange(4000))
    parts = [said[side].mean() for side in (signal, ~signal)]
    expected = sum(p * (1 - p) / (2000 * stats.norm.pdf(stats.norm.ppf(p)) ** 2) for p in parts) ** 0.5
    assert result.standard_error == pytest.approx(expected, rel=1e-3)
    assert result.interval is not None
    assert result.interval.low < stats.norm.ppf(0.7) - stats.norm.ppf(0.4) < result.interval.high


def test_hit_rate_of_one_corrects_both_rates_by_half_an_answer() -> None:
    """Hautus (1995): 1/2 is added to hits and false alarms, 1 to both numbers of trials."""
    said, signal = np.array([1.0, 1, 1, 1, 0, 1, 0, 0]), np.arange(8) < 4
    result = dprime(said, signal, item=np.arange(8), rater=np.arange(8))
    assert result.estimate == pytest.approx(stats.norm.ppf(4.5 / 5) - stats.norm.ppf(1.5 / 5))
    assert (result.interval_reason, "half an answer" in result.note) == ("separation", True)


@pytest.mark.parametrize("signal", [True, False])
def test_dprime_requires_both_signal_and_noise(*, signal: bool) -> None:
    one = np.ones(3)
    assert dprime(one, np.full(3, signal), item=one, rater=one).reason == "no_pairable_units"


@given(data=st.data())
def test_dprime_reports_estimate_or_reason_for_any_data(random_shares: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_shares)
    said = np.where(r.value == 0.5, np.nan, r.value)
    there, back = dprime(said, r.is_treated, **r.clusters), dprime(said, ~r.is_treated, **r.clusters)
    assert there.reason or there.interval or there.interval_reason
    if there.estimate is not None:
        assert back.estimate == pytest.approx(-there.estimate)
