from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from app.stats.core.search import minimum_of

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats


def _valley(x: Floats) -> tuple[float, Floats]:
    """Rosenbrock's function: minimum 0 at (1, 1), at the end of a bent valley."""
    return float(optimize.rosen(x)), np.asarray(optimize.rosen_der(x), dtype=np.float64)


def _bowl(x: Floats) -> tuple[float, Floats]:
    away = x - np.array([2.0, -1.0])
    return float(away @ away), 2 * away


@pytest.mark.parametrize("start", [(-1.2, 1.0), (0.0, 0.0), (3.0, -2.0)])
def test_bent_valley_is_followed_to_its_end(start: tuple[float, float]) -> None:
    found = minimum_of(_valley, np.array(start), tolerance=1e-8)
    assert found.is_converged
    assert found.x == pytest.approx([1, 1], abs=1e-7)
    assert found.value == pytest.approx(0, abs=1e-14)


@settings(max_examples=30)
@given(
    centre=st.lists(st.floats(-2, 2), min_size=3, max_size=3), start=st.lists(st.floats(-1, 1), min_size=3, max_size=3)
)
def test_minimum_within_bounds_is_that_of_scipy(centre: list[float], start: list[float]) -> None:
    weights = np.array([1.0, 10.0, 0.3])

    def curved(x: Floats) -> tuple[float, Floats]:
        away = x - np.array(centre)
        return float(weights @ away**2 + (x.sum()) ** 4), 2 * weights * away + 4 * x.sum() ** 3

    found = minimum_of(curved, np.array(start), low=-1.0, high=1.0, tolerance=1e-8)
    known = optimize.minimize(curved, start, jac=True, bounds=[(-1, 1)] * 3, options={"ftol": 1e-15, "gtol": 1e-9})
    assert found.is_converged
    assert found.value == pytest.approx(float(known.fun), abs=1e-8)
    assert (np.abs(found.x) <= 1).all()


def test_given_curvature_takes_one_step() -> None:
    calls = 0

    def counted(x: Floats) -> tuple[float, Floats]:
        nonlocal calls
        calls += 1
        return _bowl(x)

    found = minimum_of(counted, np.zeros(2), hessian=2 * np.eye(2), tolerance=1e-9)
    assert (found.is_converged, calls) == (True, 2)


def test_start_outside_the_bounds_is_moved_inside() -> None:
    found = minimum_of(_bowl, np.array([9.0, 9.0]), low=0.0, high=1.0, tolerance=1e-9)
    assert found.is_converged
    assert found.x.tolist() == [1.0, 0.0]


def test_too_few_steps_do_not_converge() -> None:
    assert not minimum_of(_valley, np.array([-1.2, 1.0]), tolerance=1e-8, max_steps=3).is_converged


def test_function_without_minimum_ends_unconverged() -> None:
    found = minimum_of(lambda x: (float(x.sum()), np.ones(2)), np.zeros(2), tolerance=1e-8, max_steps=5)
    assert not found.is_converged


@pytest.mark.parametrize("value", [np.nan, 7.0])
def test_no_better_point_ends_at_the_start(value: float) -> None:
    """The gradient promises a gain that no step has; with nan, no step can be compared."""
    found = minimum_of(lambda _: (value, np.ones(1)), np.zeros(1), tolerance=1e-8)
    assert (found.is_converged, found.x.tolist()) == (False, [0.0])


def test_undefined_gradient_ends_at_the_start() -> None:
    found = minimum_of(lambda _: (1.0, np.array([np.nan, 1.0])), np.zeros(2), tolerance=1e-8)
    assert (found.is_converged, found.x.tolist()) == (False, [0.0, 0.0])


def test_curvature_stays_positive_where_the_function_is_not_convex() -> None:
    """The cosine is concave at the start, and its slope grows on the way."""
    found = minimum_of(lambda x: (float(np.cos(x[0])), -np.sin(x)), np.array([0.3]), tolerance=1e-8)
    assert found.is_converged
    assert np.cos(found.x[0]) == pytest.approx(-1)
