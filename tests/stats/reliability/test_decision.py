import math

import numpy as np
import pytest

from app.stats.ratings import Ratings
from app.stats.reliability.components import variance_components
from app.stats.reliability.decision import (
    _limits,
    g_coefficient,
    items_needed,
    one_way_coefficient,
    phi_coefficient,
    raters_needed,
)
from app.stats.reliability.icc import icc
from app.stats.result import Interval, Method
from tests.stats.conftest import Ayers

# six targets by four judges (Shrout and Fleiss 1979, table 2)
SCORES = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)


@pytest.fixture
def shrout() -> Ratings:
    unit, rater = (axis.ravel() for axis in np.indices((6, 4)))
    return Ratings(unit, rater, SCORES.ravel())


def test_variance_components_match_shrout_and_fleiss(shrout: Ratings) -> None:
    """2.556, 5.244 and 1.019."""
    found = variance_components(shrout)
    assert found is not None
    variance = float(SCORES.var())
    assert np.array([found.unit, found.rater, found.rest]) * variance == pytest.approx([2.556, 5.244, 1.019], abs=5e-4)


def test_phi_and_g_for_four_raters_match_shrout_and_fleiss(shrout: Ratings) -> None:
    """Phi(4) = .620 and G(4) = .909, with the intervals of ICC(2,k) and ICC(3,k)."""
    phi, g = phi_coefficient(shrout, 4), g_coefficient(shrout, 4)
    assert (phi.estimate, g.estimate) == pytest.approx((0.620050547598989, 0.909315542377069))
    assert phi.interval
    assert g.interval
    assert (phi.interval.low, phi.interval.high) == pytest.approx((0.0711368163025035, 0.927232040167722))
    assert (g.interval.low, g.interval.high) == pytest.approx((0.675674713816305, 0.985891678169062))


def test_one_way_coefficient_matches_shrout_and_fleiss(shrout: Ratings) -> None:
    """ICC(1,4) = .443; its lower limit is below 0 and is raised to 0."""
    found = one_way_coefficient(shrout, 4)
    assert found.estimate == pytest.approx(0.442797133679269)
    assert found.interval
    assert (found.interval.low, found.interval.high) == pytest.approx((0, 0.912415420340776))


def test_reliability_of_0_8_needs_ten_or_two_raters(shrout: Ratings) -> None:
    phi, g = raters_needed(shrout, 0.8), raters_needed(shrout, 0.8, coefficient="g")
    assert (phi.estimate, g.estimate) == (10, 2)
    assert g.interval
    assert (g.interval.low, g.interval.high) == (1, 8)
    assert phi.interval
    assert phi.interval.high > 100


def test_ayers_2023_empathy_needs_ten_or_sixteen_raters(ayers: Ayers) -> None:
    """Their evaluators are slots, so the coefficient is the one-way coefficient."""
    data = ayers("Empathy")
    needed = []
    for treated in (True, False):
        of = data.of(treated=treated)
        ratings = Ratings(np.unique(of.item, return_inverse=True)[1], np.arange(len(of.item)), of.value)
        needed.append(raters_needed(ratings, 0.8, coefficient="one_way").estimate)
    assert sorted(number or 0 for number in needed) == [10, 16]


def test_items_needed_swaps_units_and_raters(shrout: Ratings) -> None:
    """s_r / (s_r + (s_u + s_e) / n) with 5.244, 2.556 and 1.019: n = 4 x 3.575 / 5.244 = 2.73."""
    assert items_needed(shrout, 0.8).estimate == 3


def test_coefficients_rise_with_raters_and_g_exceeds_phi(shrout: Ratings) -> None:
    phis = [phi_coefficient(shrout, n).estimate or 0 for n in range(1, 6)]
    assert phis == sorted(phis)
    assert all((g_coefficient(shrout, n).estimate or 0) >= phi for n, phi in enumerate(phis, start=1))


def test_number_of_raters_cannot_be_estimated_if_units_do_not_differ() -> None:
    unit, rater = (axis.ravel() for axis in np.indices((4, 3)))
    noise = Ratings(unit, rater, np.array([1.0, 2, 3, 3, 1, 2, 2, 3, 1, 1, 2, 3]))
    found = raters_needed(noise)
    assert found.reason == "no_variation"
    # twelve such ratings do not show that no number is enough
    assert found.note.startswith("The units do not differ beyond chance in these data.")
    assert phi_coefficient(noise, 4).estimate == 0


def test_possibly_zero_reliability_has_no_upper_limit() -> None:
    rng = np.random.default_rng(7)
    unit, rater = (axis.ravel() for axis in np.indices((6, 3)))
    weak = Ratings(unit, rater, 0.6 * rng.normal(size=6)[unit] + rng.normal(size=18))
    found = raters_needed(weak)
    assert found.estimate == 6
    assert found.interval
    assert (found.interval.low, found.interval.high, found.interval.is_open) == (1, math.inf, True)
    assert found.note == "The reliability of one rating may be 0, so there is no upper limit."


def test_negative_reliability_that_may_be_above_zero_leaves_the_number_of_raters_open() -> None:
    rng = np.random.default_rng(3)
    unit, rater = (axis.ravel() for axis in np.indices((6, 3)))
    weak = next(one for one in (Ratings(unit, rater, rng.normal(size=18)) for _ in range(50)) if _is_open(one))
    found = raters_needed(weak)
    assert found.estimate is None
    assert found.reason == "no_variation"
    assert found.interval
    single = icc(weak, form="c_1")
    rho = single.interval.high if single.interval else 0
    assert found.interval.low == math.ceil(4 * (1 - rho) / rho)
    assert found.interval.is_open
    assert found.note.endswith("The reliability of one rating may be 0, so there is no upper limit.")


def _is_open(ratings: Ratings) -> bool:
    single = icc(ratings, form="c_1")
    return (single.estimate or 0) < 0 and single.interval is not None and single.interval.high > 0


def test_negative_rater_variance_makes_phi_equal_g() -> None:
    """Sums of squares give a negative variance of raters here; Phi is then G (Brennan 2001, section 3.1)."""
    values = np.array([[1.0, 2, 1], [3, 2, 3], [4, 5, 4], [2, 1, 2]])
    unit, rater = (axis.ravel() for axis in np.indices((4, 3)))
    balanced = Ratings(unit, rater, values.ravel())
    found = variance_components(balanced)
    assert found is not None
    assert found.rater < 0
    assert phi_coefficient(balanced, 3).estimate == g_coefficient(balanced, 3).estimate


def test_perfect_agreement_needs_one_rater() -> None:
    unit, rater = (axis.ravel() for axis in np.indices((4, 3)))
    found = raters_needed(Ratings(unit, rater, unit.astype(float)))
    assert (found.estimate, found.interval, found.interval_reason) == (1, None, "no_variation")


def test_one_rating_per_response_is_not_estimable() -> None:
    alone = Ratings(np.arange(4), np.arange(4), np.arange(4.0))
    assert raters_needed(alone).reason == "no_pairable_units"
    assert phi_coefficient(alone, 3).reason == "no_pairable_units"


def test_reliability_below_zero_throughout_gives_no_limits() -> None:
    of_one = Interval(low=-0.6, high=-0.1, level=0.95, inference="items", method=Method(words="t"))
    assert _limits(of_one, 0.8) is None
