"""What makes an interval narrower, from widths that are known exactly."""

from __future__ import annotations

import pytest

from app.analysis.planning.levers import Reach, binding, reach, width_for_power
from app.analysis.planning.planning import PlanRow


def row(n_items: int, per_trial: int, width: float | None) -> PlanRow:
    return PlanRow("mean_difference", n_items, 20, per_trial, 60, 0, 6, 0.3, width, 0.0, 0.5, 0.0, 60, 0)


def test_a_constant_and_a_term_in_one_over_n_are_found_again() -> None:
    rows = [row(n, 3, (0.04 + 12 / n) ** 0.5) for n in (20, 40, 80)]
    found = reach("items", 40, rows, goal=0.4)
    assert found is not None
    assert found.needed == 100
    assert found.narrowest == pytest.approx(0.2)


def test_a_goal_below_what_the_rest_leaves_is_not_reached() -> None:
    rows = [row(40, k, (0.09 + 0.3 / k) ** 0.5) for k in (3, 6, 9)]
    found = reach("raters_per_trial", 3, rows, goal=0.25)
    assert found is not None
    assert (found.needed, round(found.narrowest, 6)) == (None, 0.3)


def test_a_number_fifty_times_the_present_one_is_no_advice() -> None:
    found = reach("items", 40, [row(n, 3, (12 / n) ** 0.5) for n in (20, 40)], goal=0.01)
    assert found is not None
    assert found.needed is None


def test_one_number_makes_no_line() -> None:
    assert reach("items", 40, [row(40, 3, 0.5), row(80, 3, None)], goal=0.4) is None


def test_the_setting_binds_whose_smaller_change_reaches_the_goal() -> None:
    items, raters = Reach("items", 40, 60, 0.1), Reach("raters_per_trial", 3, 9, 0.1)
    assert binding([items, raters]) == "items"
    assert binding([Reach("items", 40, None, 0.4), raters]) == "raters_per_trial"
    assert binding([Reach("items", 40, None, 0.4), Reach("raters_per_trial", 3, None, 0.5)]) == "items"
    assert binding([]) is None


def test_the_width_for_eighty_percent_power_is_that_of_the_normal_test() -> None:
    """Checked with statsmodels: a z test of 0.3 with that standard error has a power of 80%."""
    from statsmodels.stats.power import NormalIndPower

    error = width_for_power(0.3) / (2 * 1.959964)
    power = NormalIndPower(ddof=0).power(effect_size=0.3 / error, nobs1=1, alpha=0.05, ratio=0)
    assert power == pytest.approx(0.8, abs=1e-4)
