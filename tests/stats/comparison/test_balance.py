"""The standardized difference by hand, and values that cannot be compared."""

import numpy as np
import pytest

from app.stats.comparison.balance import balance

VALUE = np.array([4.0, 6.0, 8.0, 1.0, 2.0, 3.0, np.nan])
IS_MEASURED = np.array([True, True, True, False, False, False, True])


def test_difference_is_in_standard_deviations_of_both() -> None:
    """Means 6 and 2, variances 4 and 1: d = 4 / root of 2.5; its variance 1/3 + 1/3 + d^2 / 12."""
    found = balance(VALUE, IS_MEASURED)
    d = 4 / 2.5**0.5
    assert (found.measured.estimate, found.rest.estimate) == (6, 2)
    assert found.difference.estimate == pytest.approx(d)
    assert found.difference.interval is not None
    reach = 1.959964 * (2 / 3 + d**2 / 12) ** 0.5
    assert found.difference.interval.low == pytest.approx(d - reach)
    assert found.difference.n_items == 6


def test_values_without_variation_and_groups_of_one_have_no_difference() -> None:
    assert balance(np.ones(6), np.arange(6) < 3).difference.reason == "no_variation"
    assert balance(np.arange(6.0), np.arange(6) < 1).difference.reason == "no_pairable_units"
