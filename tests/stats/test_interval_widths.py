"""No interval without width: data that say nothing about precision give a reason in place of a false certainty."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.stats.agreement import icc
from app.stats.agreement.chance import brennan_prediger, gwet_ac1, gwet_ac2
from app.stats.agreement.rankings import concordance_within_items
from app.stats.agreement.two_way import For
from app.stats.raters.dif import dif
from app.stats.raters.severity import rater_severity
from app.stats.ratings import Ratings
from app.stats.reliability.decision import g_coefficient, one_way_coefficient
from app.stats.reliability.icc import Form
from app.stats.result import Result
from app.stats.scales import cronbach_alpha
from tests.stats.tiny import CLOSED, Tiny, tiny

# the smallest width, relative to the limits, that is not a rounding error
NARROWEST = 1e-9


def results_in(found: object) -> Iterator[Result]:
    """Yield every Result in the value of a statistic, which may be a list, a dict or a dataclass of them."""
    if isinstance(found, Result):
        yield found
    elif isinstance(found, Mapping):
        yield from results_in(list(found.values()))
    elif isinstance(found, Sequence) and not isinstance(found, str):
        for part in found:
            yield from results_in(part)
    elif is_dataclass(found) and not isinstance(found, type):
        yield from results_in([getattr(found, field.name) for field in fields(found)])


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(name=st.sampled_from(sorted(CLOSED)), data=tiny())
def test_intervals_have_width_and_contain_the_estimate(name: str, data: Tiny) -> None:
    for result in results_in(CLOSED[name](data)):
        if result.interval is not None:
            low, high = result.interval.low, result.interval.high
            assert high - low > NARROWEST * max(abs(low), abs(high))
            assert low - NARROWEST <= (result.estimate or 0) <= high + NARROWEST


@pytest.mark.parametrize("form", ["1_1", "a_1", "c_1"])
def test_equal_unit_means_give_icc_without_interval(form: Form) -> None:
    """The ratings of each unit average 3.5, and those of each rater differ: F is 0, and so would be the width."""
    unit, rater = (axis.ravel() for axis in np.indices((3, 2)))
    result = icc(Ratings(unit, rater, np.array([4.0, 3, 2, 5, 1, 6])), form=form)
    assert (result.interval, result.interval_reason) == (None, "no_variation")
    assert "do not vary" in result.note


def test_reliability_below_zero_has_no_interval_at_zero() -> None:
    unit, rater = (axis.ravel() for axis in np.indices((12, 4)))
    value = np.tile([1.0, 2, 4, 5], 12) + np.where(rater == 0, 0.01 * unit, 0)
    result = one_way_coefficient(Ratings(unit, rater, value), 4)
    assert (result.estimate, result.interval, result.interval_reason) == (0, None, "no_variation")


def test_ratings_without_residual_have_no_interval_by_reml() -> None:
    """Each rating is the sum of a unit's and a rater's value, with gaps: the residual variance is at its limit."""
    unit, rater = (axis.ravel() for axis in np.indices((6, 4)))
    kept = (unit + rater) % 5 > 0
    result = g_coefficient(Ratings(unit[kept], rater[kept], (unit + 0.3 * rater)[kept]), 4)
    assert result.estimate == pytest.approx(1, abs=1e-6)
    assert (result.interval, result.interval_reason) == (None, "no_variation")


def test_raters_of_equal_severity_have_no_interval() -> None:
    """The model's variance between raters is 0; it would report a severity of 0 with a standard error of 0."""
    unit, rater = (axis.ravel() for axis in np.indices((3, 2)))
    for one in rater_severity(np.array([1.0, 2, 4, 2, 2, 4]), unit=unit, rater=rater):
        assert (one.severity.estimate, one.severity.interval, one.severity.interval_reason) == (0, None, "no_variation")


def test_questions_that_differ_by_a_constant_have_no_interval() -> None:
    scores = np.array([[0.2, 0.2, 0.1 + 0.2], [0.4, 0.4, 0.5], [0.1, 0.1, 0.2]])
    result = cronbach_alpha(scores)
    assert result.estimate == pytest.approx(1)
    assert result.interval_reason == "no_variation"


def test_items_with_equal_agreement_below_one_have_no_interval() -> None:
    """The standard deviation of equal numbers is not exactly 0: 0.1, 0.1, 0.1 have 1.7e-17."""
    one = np.array([[1.0, 2, 3, 4], [2, 1, 4, 3], [4, 1, 2, 3]])
    item, rater, response = (axis.ravel() for axis in np.indices((7, 3, 4)))
    result = concordance_within_items(np.tile(one.ravel(), 7), item=item, response=item * 4 + response, rater=rater)
    assert (result.interval, result.interval_reason) == (None, "no_variation")


@pytest.mark.parametrize("inference", ["new_units", "new_units_and_raters"])
def test_raters_who_share_no_category_have_an_interval_within_the_range(inference: For) -> None:
    """Three raters, each with a category of their own: chance between different raters is 1, which divided by zero."""
    unit, rater = (axis.ravel() for axis in np.indices((4, 3)))
    value = 0.5 * rater.astype(np.float64)
    with_one_shared = np.where(np.arange(12) == 4, 0.0, value)
    for scale in ((0, 0.5, 1), (0, 0.25, 0.5, 0.75, 1)):
        for ratings in (Ratings(unit, rater, value), Ratings(unit, rater, with_one_shared)):
            for of in (gwet_ac1, gwet_ac2, brennan_prediger):
                result = of(ratings, domain=scale, inference=inference)
                if result.interval is not None:
                    assert -1 <= result.interval.low < (result.estimate or 0) < result.interval.high <= 1


def test_vague_differential_item_functioning_has_no_interval() -> None:
    """A trait that all but equals the group: the limits of the odds ratio would be e to the power of 60."""
    rng = np.random.default_rng(40)
    item, rater = (axis.ravel() for axis in np.indices((12, 4)))
    trait = (rater < 2) + 0.01 * rng.normal(size=48)
    found = dif(rng.integers(0, 3, 48).astype(float), trait, rater < 2, item=item, rater=rater)
    assert (found.uniform.interval, found.uniform.interval_reason) == (None, "singular")
    assert found.total.estimate is not None
