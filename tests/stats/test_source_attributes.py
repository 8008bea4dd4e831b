from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from app.stats.factors import attribute_effect

ITEM, RATER, SOURCE = (axis.ravel() for axis in np.indices((10, 6, 10)))
HAS = SOURCE < 5


def test_between_source_effect_matches_t_test_of_source_means() -> None:
    """Student's test of five source means against five; items and raters contribute no variance."""
    mean = np.array([4.0, 5.5, 6.1, 4.7, 5.2, 3.0, 3.9, 3.3, 4.1, 3.6])
    noise = 1e-6 * np.random.default_rng(1).normal(size=600)
    found = attribute_effect(mean[SOURCE] + noise, HAS, SOURCE, item=ITEM, rater=RATER)
    known = stats.ttest_ind(mean[:5], mean[5:])
    assert found.estimate == pytest.approx(mean[:5].mean() - mean[5:].mean(), rel=1e-5)
    assert found.df == pytest.approx(known.df, rel=1e-3)
    assert found.p_value == pytest.approx(known.pvalue, rel=1e-3)


def test_sources_weigh_equally_regardless_of_rating_count() -> None:
    rng = np.random.default_rng(2)
    value = SOURCE + 0.1 * rng.normal(size=600)
    kept = (SOURCE != 0) | (ITEM < 2)
    found = attribute_effect(value[kept], HAS[kept], SOURCE[kept], item=ITEM[kept], rater=RATER[kept])
    assert found.estimate == pytest.approx(2 - 7, abs=0.1)


def test_few_sources_limit_inference_to_these_sources() -> None:
    rng = np.random.default_rng(3)
    few = SOURCE > 0
    value = rng.normal(size=600)
    found = attribute_effect(value[few], HAS[few], SOURCE[few], item=ITEM[few], rater=RATER[few])
    assert found.note.startswith("For these 9 sources only.")
    assert found.interval
    assert str(found.interval.method) == "two_way_cr2_t"


@pytest.mark.parametrize("n_human", [1, 2, 4])
def test_few_human_sources_are_not_taken_as_random(n_human: int) -> None:
    """Two human sources far apart on a scale from 1 to 10 gave an interval of -9 to 14."""
    rng = np.random.default_rng(4)
    value = np.clip(np.where(SOURCE == 0, 2.0, 7.0) + rng.normal(size=600), 1, 10)
    found = attribute_effect(value, n_human > SOURCE, SOURCE, item=ITEM, rater=RATER)
    assert found.note.startswith("For these 10 sources only.")
    assert found.interval
    assert found.interval.high - found.interval.low < 2


def test_equal_source_means_leave_item_and_rater_variance() -> None:
    rng = np.random.default_rng(5)
    by_rater = rng.normal(size=6)
    value = by_rater[RATER] * HAS
    found = attribute_effect(value, HAS, SOURCE, item=ITEM, rater=RATER)
    assert found.standard_error == pytest.approx(by_rater.std(ddof=1) / 6**0.5, rel=1e-6)


@pytest.mark.parametrize("has", [SOURCE > 9, SOURCE < 10])
def test_attribute_shared_by_all_sources_has_no_effect(has: np.ndarray) -> None:
    found = attribute_effect(ITEM * 1.0, has, SOURCE, item=ITEM, rater=RATER)
    assert found.reason == "no_pairable_units"


def test_attribute_without_residual_variance_has_no_interval() -> None:
    found = attribute_effect(HAS * 1.0, HAS, SOURCE, item=ITEM, rater=RATER)
    assert found.interval_reason == "no_variation"
