import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import Table2x2

from app.stats.mixed.proportional_odds import ProportionalOdds, proportional_odds
from tests.stats.conftest import RandomRatings


def _ratings(scale_of_source: float, n: int = 6000) -> ProportionalOdds:
    """Simulate independent logistic ratings, the source one logit higher and with another scale of noise."""
    rng = np.random.default_rng(6)
    source = np.arange(n) % 2
    latent = source + rng.logistic(size=n) * np.where(source == 1, scale_of_source, 1.0)
    value = np.searchsorted([-1.5, -0.5, 0.5, 1.5], latent).astype(float)
    return proportional_odds(value, source == 1, item=np.arange(n), rater=np.arange(n))


def test_constant_odds_ratio_has_no_trend() -> None:
    found = _ratings(1.0)
    assert found.trend.interval is not None
    assert found.trend.interval.low < 0 < found.trend.interval.high
    assert list(found.cuts) == [1, 2, 3, 4]
    assert [result.estimate for result in found.log_odds_ratios] == pytest.approx([1] * 4, abs=0.15)


def test_wider_source_has_rising_odds_along_scale() -> None:
    found = _ratings(2.0)
    assert found.trend.interval is not None
    assert found.trend.interval.low > 0


def test_independent_log_odds_ratio_matches_statsmodels() -> None:
    value, treated = np.array([1.0] * 12 + [2] * 8 + [1] * 5 + [2] * 15), np.arange(40) >= 20
    place = np.arange(40)
    found = proportional_odds(value, treated, item=place, rater=place).log_odds_ratios[0]
    known = Table2x2(np.array([[15, 5], [8, 12]]))
    assert found.estimate == pytest.approx(known.log_oddsratio)
    assert found.standard_error == pytest.approx(known.log_oddsratio_se * (20 / 19) ** 0.5)


@pytest.mark.parametrize(
    ("value", "reason", "n_cuts"),
    [([], "no_pairable_units", 0), ([3, 3, 3, 3], "no_variation", 0), ([1, 2, 2, 1], "no_variation", 1)],
)
def test_fewer_than_two_cuts_have_no_trend(value: list[float], reason: str, n_cuts: int) -> None:
    place = np.arange(len(value))
    found = proportional_odds(np.array(value, float), place < 2, item=place % 2, rater=place // 2)
    assert (found.trend.reason, len(found.cuts)) == (reason, n_cuts)


def test_cut_missing_in_one_source_is_omitted() -> None:
    value, treated = np.array([1.0, 2, 3, 4, 1, 2, 2, 1]), np.arange(8) < 4
    place = np.arange(8)
    found = proportional_odds(value, treated, item=place % 2, rater=place // 2)
    assert (list(found.cuts), len(found.log_odds_ratios)) == ([2], 1)


@given(data=st.data())
def test_proportional_odds_reports_result_or_reason(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    found = proportional_odds(r.value, r.is_treated, **r.clusters)
    for result in (found.trend, *found.log_odds_ratios):
        assert result.reason or result.interval or result.interval_reason
