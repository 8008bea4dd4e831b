from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from app.stats.accuracy.empathic import empathic_accuracy, empathic_accuracy_difference

TARGET, PERCEIVER, MOMENT = (axis.ravel() for axis in np.indices((4, 5, 12)))


def _accounts() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    felt = rng.normal(size=(4, 12))[TARGET, MOMENT]
    return felt, 0.8 * felt + rng.normal(size=len(felt)) + rng.normal(size=5)[PERCEIVER]


def test_empathic_accuracy_is_mean_of_pairwise_correlations() -> None:
    felt, perceived = _accounts()
    found = empathic_accuracy(felt, perceived, target=TARGET, perceiver=PERCEIVER)
    pairs = [(t == TARGET) & (p == PERCEIVER) for t in range(4) for p in range(5)]
    z = [np.arctanh(stats.pearsonr(felt[pair], perceived[pair]).statistic) for pair in pairs]
    assert found.estimate == pytest.approx(np.tanh(np.mean(z)))
    assert found.interval
    assert found.interval.low < (found.estimate or 0) < found.interval.high <= 1
    assert (found.n_items, found.n_raters, found.n_units, found.n_ratings) == (4, 5, 20, 240)


def test_empathic_accuracy_ignores_perceiver_level() -> None:
    felt, perceived = _accounts()
    one = empathic_accuracy(felt, perceived, target=TARGET, perceiver=PERCEIVER)
    two = empathic_accuracy(felt, perceived + 9 * PERCEIVER, target=TARGET, perceiver=PERCEIVER)
    assert one.estimate == pytest.approx(two.estimate)


def test_flat_or_short_series_leave_empathic_accuracy() -> None:
    felt = np.tile([1.0, 2, 3], 3)
    perceived = np.concatenate([[1.0, 2, 3], [5, 5, 5], [np.nan, 1, 2]])
    found = empathic_accuracy(felt, perceived, target=np.zeros(9), perceiver=np.repeat([0, 1, 2], 3))
    assert found.estimate == pytest.approx(0.99999)
    assert (found.n_units, found.n_ratings) == (1, 8)
    assert found.interval_reason == "one_cluster"


def test_correlation_with_too_few_time_points_is_undefined() -> None:
    found = empathic_accuracy(np.array([1.0, 2]), np.array([1.0, 2]), target=np.zeros(2), perceiver=np.zeros(2))
    assert found.reason == "no_pairable_units"
    none = np.zeros(0)
    assert empathic_accuracy(none, none, target=none, perceiver=none).reason == "no_pairable_units"


def test_difference_of_two_groups_is_that_of_their_mean_z() -> None:
    felt, perceived = _accounts()
    first = PERCEIVER >= 3
    found = empathic_accuracy_difference(felt, perceived, first, target=TARGET, perceiver=PERCEIVER)
    z = np.array(
        [
            [np.arctanh(stats.pearsonr(felt[pair], perceived[pair]).statistic) for p in range(5) for pair in [at(t, p)]]
            for t in range(4)
        ]
    )
    assert found.estimate == pytest.approx(z[:, 3:].mean() - z[:, :3].mean())
    assert found.p_value is not None
    assert (found.n_items, found.n_raters, found.n_ratings) == (4, 5, 240)


def at(target: int, perceiver: int) -> np.ndarray:
    return np.asarray((target == TARGET) & (perceiver == PERCEIVER))


def test_groups_without_a_correlation_have_no_difference() -> None:
    felt, place = np.arange(4.0), np.zeros(4)
    found = empathic_accuracy_difference(felt, np.ones(4), place > 0, target=place, perceiver=np.arange(4))
    assert found.reason == "no_pairable_units"
