"""Minimum of a smooth function of a few parameters by quasi-Newton steps, within bounds if there are any.

`scipy.optimize` has the same method, but its import takes a twentieth of the time of a small report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.stats.core.arrays import Bools, Floats

    Smooth = Callable[[Floats], tuple[float, Floats]]

# a step is accepted if it gains this share of the gain that the slope promises, and leaves at most this slope
_GAIN, _SLOPE = 1e-4, 0.9
_MAX_TRIALS = 30
_DOUBLED = 2.0
# changes of the value below this share are rounding errors
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Minimum:
    """Where the search ended, the value there, and whether the gradient is within the tolerance."""

    x: Floats
    value: float
    is_converged: bool


@dataclass(frozen=True, eq=False)
class _Point:
    x: Floats
    value: float
    gradient: Floats


def minimum_of(
    f: Smooth,
    start: Floats,
    *,
    tolerance: float,
    hessian: Floats | None = None,
    low: float = -np.inf,
    high: float = np.inf,
    max_steps: int = 200,
) -> Minimum:
    """Return the minimum that BFGS reaches from `start` (Nocedal and Wright 2006, chapters 3 and 6).

    Args:
        f: returns the value and the gradient, shape (m,), at a point, shape (m,).
        start: shape (m,); moved within the bounds.
        tolerance: the search ends when no component of the gradient that can move is larger.
        hessian: an estimate of the second derivatives at the start, shape (m, m), positive definite.
        low: smallest value of each parameter.
        high: largest value of each parameter.
        max_steps: maximum number of steps.
    """
    with np.errstate(all="ignore"):  # a trial step may overflow: its value is then not smaller
        return _searched(f, np.clip(start, low, high), hessian, low, high, tolerance, max_steps)


def _searched(
    f: Smooth, x: Floats, hessian: Floats | None, low: float, high: float, tolerance: float, max_steps: int
) -> Minimum:
    here = _Point(x, *f(x))
    B = np.eye(len(x)) if hessian is None else hessian
    is_scaled = hessian is not None
    for _ in range(max_steps):
        is_free = ~((here.x <= low) & (here.gradient > 0) | (here.x >= high) & (here.gradient < 0))
        if np.abs(here.gradient[is_free]).max(initial=0.0) <= tolerance:
            return Minimum(here.x, here.value, is_converged=True)
        step = _step(B, here.gradient, is_free)
        if not is_scaled:  # as long as nothing is known about the curvature, no step is longer than 1
            step = step / max(float(np.linalg.norm(step)), 1.0)
        there = _moved(f, here, step, low, high) if np.isfinite(step).all() else None
        if there is None:
            break
        B = _updated(B, there.x - here.x, there.gradient - here.gradient, is_scaled=is_scaled)
        here, is_scaled = there, True
    return Minimum(here.x, here.value, is_converged=False)


def _step(B: Floats, gradient: Floats, is_free: Bools) -> Floats:
    """Return the step to the minimum of the quadratic model over the parameters that can move."""
    step = np.zeros(len(gradient))
    step[is_free] = -np.linalg.solve(B[np.ix_(is_free, is_free)], gradient[is_free])
    return step


def _moved(f: Smooth, here: _Point, step: Floats, low: float, high: float) -> _Point | None:
    """Return a point along the step that meets the weak conditions of Wolfe, or None if no trial is better."""
    slope = float(here.gradient @ step)
    size, shortest, longest = 1.0, 0.0, np.inf
    best: _Point | None = None
    for _ in range(_MAX_TRIALS):
        x = np.clip(here.x + size * step, low, high)
        there = _Point(x, *f(x))
        expected = float(here.gradient @ (x - here.x))
        rounding = _ROUNDING * abs(here.value)
        if not there.value <= here.value + _GAIN * expected + rounding:
            longest = size
        else:
            best = there
            is_clipped = bool((x != here.x + size * step).any())
            if is_clipped or there.gradient @ step >= _SLOPE * slope:
                return there
            shortest = size
        size = _DOUBLED * shortest if longest == np.inf else (shortest + longest) / 2
    return best


def _updated(B: Floats, moved: Floats, turned: Floats, *, is_scaled: bool) -> Floats:
    """Return the second derivatives that agree with the last step; unchanged if the function is not convex there."""
    curvature = float(moved @ turned)
    if not curvature > 0:
        return B
    if not is_scaled:
        B = B * (float(turned @ turned) / curvature)
    pushed = B @ moved
    inner = float(moved @ pushed)
    return B + np.outer(turned, turned) / curvature - np.outer(pushed, pushed) / inner
