"""Proportions of item means. Estimates of Ayers et al. are from JAMA Intern Med 2023; 183(6):589-596."""

from typing import TypedDict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.arrays import Bools, Floats, Ints
from app.stats.comparison.bootstrap import share_at_least_ratio, share_of_item_means_at_least
from tests.stats.conftest import Ayers, RandomRatings


@pytest.mark.parametrize(
    ("dimension", "treated", "estimate", "low", "high"),
    [
        ("Quality", False, 0.221, 0.164, 0.282),
        ("Quality", True, 0.785, 0.723, 0.841),
        ("Empathy", False, 0.046, 0.021, 0.077),
        ("Empathy", True, 0.451, 0.385, 0.518),
    ],
)
def test_ayers_2023_shares_and_bootstrap_are_reproduced(
    ayers: Ayers, dimension: str, *, treated: bool, estimate: float, low: float, high: float
) -> None:
    part = ayers(dimension).of(treated=treated)
    result = share_of_item_means_at_least(part.value, 4, **part.clusters)
    assert result.interval is not None
    assert result.estimate == pytest.approx(estimate, abs=5e-4)
    one_item = 1.1 / 195
    assert (result.interval.low, result.interval.high) == pytest.approx((low, high), abs=one_item)


@pytest.mark.parametrize(("dimension", "ratio"), [("Quality", 3.6), ("Empathy", 9.8)])
def test_ayers_2023_prevalence_ratios_are_reproduced(ayers: Ayers, dimension: str, ratio: float) -> None:
    r = ayers(dimension)
    result = share_at_least_ratio(r.value, r.is_treated, 4, **r.clusters)
    assert result.estimate == pytest.approx(ratio, abs=0.05)
    assert result.interval is not None
    assert result.interval.low < ratio < result.interval.high


class _TwoSources(TypedDict):
    value: Floats
    is_treated: Bools
    item: Ints
    rater: Ints


def _two_sources(mine: list[float], theirs: list[float]) -> _TwoSources:
    """Return one rating per item and source; nan where there is none."""
    item = np.tile(np.arange(len(mine)), 2)
    treated = np.repeat([True, False], len(mine))
    return {"value": np.array(mine + theirs, float), "is_treated": treated, "item": item, "rater": item}


def test_pattern_bootstrap_equals_item_bootstrap() -> None:
    """Compared to a plain bootstrap that draws items one by one."""
    rng = np.random.default_rng(11)
    mine, theirs = (rng.random(60) < 0.6).astype(float), (rng.random(60) < 0.4).astype(float)
    mine[50:] = np.nan
    found = share_at_least_ratio(**_two_sources(list(mine), list(theirs)), cut=1, n_resamples=20_000).interval
    draws = rng.integers(0, 60, (20_000, 60))
    plain = np.nanmean(mine[draws], axis=1) / theirs[draws].mean(axis=1)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(plain, [0.025, 0.975])), rel=0.02)


def test_bootstrap_depends_only_on_seed() -> None:
    data = _two_sources([1, 1, 0, 1, 1, 0] * 4, [0, 1, 1, 0, 1, 1] * 4)
    again = share_at_least_ratio(**data, cut=1, seed=4, n_resamples=40)
    assert share_at_least_ratio(**data, cut=1, seed=4, n_resamples=40) == again
    assert share_at_least_ratio(**data, cut=1, seed=5, n_resamples=40) != again


@pytest.mark.parametrize(
    ("mine", "theirs", "reason", "interval_reason"),
    [
        ([], [], "no_pairable_units", None),
        ([1, 1], [np.nan, np.nan], "no_pairable_units", None),
        ([1, 1], [0, 0], "separation", None),
        ([0, 0], [0, 0], "separation", None),
        ([1], [1], None, "one_cluster"),
        ([1, 1], [1, 1], None, "no_variation"),
        ([1, 1], [0, 1], None, "separation"),
    ],
)
def test_undefined_ratio_reports_a_reason(
    mine: list[float], theirs: list[float], reason: str | None, interval_reason: str | None
) -> None:
    result = share_at_least_ratio(**_two_sources(mine, theirs), cut=1)
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


@pytest.mark.parametrize(
    ("values", "reason", "interval_reason"),
    [([], "no_pairable_units", None), ([5.0], None, "one_cluster"), ([5.0, 5.0], None, "no_variation")],
)
def test_share_of_item_means_without_variation_reports_a_reason(
    values: list[float], reason: str | None, interval_reason: str | None
) -> None:
    item = np.arange(len(values))
    result = share_of_item_means_at_least(np.array(values), 4, item=item, rater=item)
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


@given(data=st.data())
def test_shares_report_result_or_reason_for_any_ratings(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    ratio = share_at_least_ratio(r.value, r.is_treated, 2, n_resamples=50, **r.clusters)
    assert ratio.reason or ratio.interval or ratio.interval_reason
    portion = share_of_item_means_at_least(r.value, 2, n_resamples=50, **r.clusters)
    assert portion.reason or portion.interval or portion.interval_reason
