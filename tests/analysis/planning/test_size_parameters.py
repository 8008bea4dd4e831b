"""What makes an interval narrower, from widths that are known exactly."""

from dataclasses import replace

import pytest
from scipy.stats import norm

from app.analysis.planning.plan import PlanRow
from app.analysis.planning.size_parameters import (
    Reach,
    binding,
    reach,
    width_for_margin,
    width_for_power,
)


def row(n_items: int, per_trial: int, width: float | None) -> PlanRow:
    return PlanRow("mean_difference", n_items, 20, per_trial, 60, 0, 6, 0.3, width, 0.0, 0.5, 0.0, 60, 0)


def test_width_model_recovers_constant_and_inverse_n_terms() -> None:
    rows = [row(n, 3, (0.04 + 12 / n) ** 0.5) for n in (20, 40, 80)]
    found = reach("items", 40, rows, goal=0.4)
    assert found is not None
    assert found.needed == 100
    assert found.narrowest == pytest.approx(0.2)


def test_wide_intervals_of_small_sizes_do_not_steepen_the_line() -> None:
    """Their few raters make them wider than 1/n does: 647 items were named where about 515 are needed."""
    rows = [row(n, 3, (slope / n) ** 0.5) for n, slope in ((40, 16.1), (80, 14.9), (160, 14.0), (240, 13.3))]
    found = reach("items", 80, rows, goal=0.161)
    assert found is not None
    assert found.needed in range(512, 570)
    assert found.narrowest == 0


def test_widths_that_do_not_fall_have_no_slope() -> None:
    found = reach("items", 40, [row(n, 3, 0.4 + n / 10_000) for n in (20, 40, 80)], goal=0.3)
    assert found is not None
    assert (found.needed, round(found.narrowest, 2)) == (None, 0.4)


def test_unreachable_goal_reports_narrowest_width() -> None:
    rows = [row(40, k, (0.09 + 0.3 / k) ** 0.5) for k in (3, 6, 9)]
    found = reach("raters_per_trial", 3, rows, goal=0.25)
    assert found is not None
    assert (found.needed, round(found.narrowest, 6)) == (None, 0.3)


def test_fifty_fold_increase_is_not_recommended() -> None:
    found = reach("items", 40, [row(n, 3, (12 / n) ** 0.5) for n in (20, 40)], goal=0.01)
    assert found is not None
    assert (found.needed, found.most) == (None, 2_000)
    assert found.narrowest < 0.01


def test_single_size_gives_no_forecast() -> None:
    assert reach("items", 40, [row(40, 3, 0.5), row(80, 3, None)], goal=0.4) is None


def test_setting_with_smaller_relative_change_is_limiting() -> None:
    items, raters = Reach("items", 40, 60, 0.1, 2000), Reach("raters_per_trial", 3, 9, 0.1, 150)
    assert binding([items, raters]) == "items"
    assert binding([replace(items, needed=None), raters]) == "raters_per_trial"
    assert binding([replace(items, needed=None), replace(raters, needed=None, narrowest=0.5)]) == "items"
    assert binding([]) is None


def test_width_for_80_percent_power_matches_normal_test() -> None:
    """Checked with statsmodels: a z test of 0.3 with that standard error has a power of 80%."""
    from statsmodels.stats.power import NormalIndPower

    error = width_for_power(0.3) / (2 * 1.959964)
    power = NormalIndPower(ddof=0).power(effect_size=0.3 / error, nobs1=1, alpha=0.05, ratio=0)
    assert power == pytest.approx(0.8, abs=1e-4)


def test_width_for_several_tests_and_for_a_margin_matches_normal_tests() -> None:
    """Two-sided 5% over three tests; two one-sided tests (Chow, Shao and Wang 2008): both succeed in 90%."""
    error = width_for_power(0.3, power=0.9, n_tests=3) / (2 * 1.959964)
    assert norm.sf(norm.isf(0.05 / 6) - 0.3 / error) == pytest.approx(0.9, abs=1e-4)
    error = width_for_margin(0.5, is_two_sided=True, power=0.9) / (2 * 1.644854)
    assert 2 * norm.cdf(0.5 / error - norm.isf(0.05)) - 1 == pytest.approx(0.9, abs=1e-4)
    error = width_for_margin(0.5, is_two_sided=False, power=0.9) / (2 * 1.644854)
    assert norm.cdf(0.5 / error - norm.isf(0.05)) == pytest.approx(0.9, abs=1e-4)
    assert width_for_margin(-0.1, is_two_sided=True) == 0


def test_raters_go_up_to_one_trial_each() -> None:
    rows = [replace(row(20, 3, (0.2 + 4 / n) ** 0.5), n_raters=n) for n in (10, 20)]
    found = reach("raters", 10, rows, goal=0.6)
    assert found is not None
    assert (found.most, found.needed) == (60, 25)
    assert getattr(reach("raters", 10, rows, goal=0.5), "needed", 0) is None
