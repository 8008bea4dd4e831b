"""Group-sequential tests: looks at the data before the end that keep the error rate."""

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

Floats = NDArray[np.float64]


# How much of the error rate is spent by a share of the information (Lan and DeMets 1983).

Spending = Literal["obrien_fleming", "pocock"]


def spent(fraction: float, *, alpha: float, spending: Spending) -> float:
    """The two-sided error rate that may be used up by a fraction of the information.

    `obrien_fleming` spends little at first: 4 - 4 Phi(z(1 - alpha/4) / sqrt(t)), two one-sided rates of alpha/2 each.
    `pocock` spends evenly: alpha log(1 + (e - 1) t). Verified against ldbounds and gsDesign (see the tests).

    Args:
        fraction: of the planned information, above 0; from 1 on everything is spent.
        alpha: the two-sided error rate of all looks together.
        spending: the shape.

    >>> round(spent(0.5, alpha=0.05, spending="obrien_fleming"), 6)
    0.003051
    """
    t = min(fraction, 1.0)
    if spending == "pocock":
        return alpha * math.log(1 + (math.e - 1) * t)
    return float(4 * ndtr(ndtri(alpha / 4) / math.sqrt(t)))


# Critical values of a group-sequential test, by recursive integration (Armitage, McPherson and Rowe 1969).

# the density between two bounds is summed at this many points (Simpson's rule)
N_POINTS = 401
# beyond this a standard normal has no weight that a double can tell from zero
FAR = 9.0


def boundaries(fractions: Sequence[float], *, alpha: float, spending: Spending) -> list[float]:
    """The critical values of |z| at each look: the first at which |z| is at least its value ends the study.

    Under the null hypothesis, the probability of ever crossing is `alpha`, where the z of two looks correlate by the
    root of the ratio of their information. Correlations above that make it smaller.

    Args:
        fractions: of the planned information at each look, ascending, the last one 1 where all error is to be spent.
        alpha: two-sided error rate of all looks together.
        spending: the shape of the spending function.

    Raises:
        ValueError: the fractions do not ascend from above 0 to at most 1.

    >>> [round(z, 3) for z in boundaries([0.5, 1.0], alpha=0.05, spending="obrien_fleming")]
    [2.963, 1.969]
    """
    _check(fractions)
    found: list[float] = []
    before, density = 0.0, _start()
    for place, fraction in enumerate(fractions):
        now = spent(fraction, alpha=alpha, spending=spending)
        found.append(_critical(density, fractions[: place + 1], now - before))
        density = _continued(density, fractions[: place + 1], found[-1])
        before = now
    return found


def crossing_probability(bounds: Sequence[float], fractions: Sequence[float]) -> float:
    """How probable it is under the null hypothesis that |z| ever reaches its bound.

    Raises:
        ValueError: the fractions do not ascend from above 0 to at most 1.
    """
    _check(fractions)
    crossed, density = 0.0, _start()
    for place, bound in enumerate(bounds):
        crossed += _beyond(density, fractions[: place + 1], bound)
        density = _continued(density, fractions[: place + 1], bound)
    return crossed


def nominal_p(bound: float) -> float:
    """The two-sided p-value at a bound: a test of any kind crosses it with a p-value at most as large.

    >>> round(nominal_p(1.969), 3)
    0.049
    """
    return float(2 * ndtr(-bound))


# Points and weights of the score S = z sqrt(t), among paths that have crossed no bound so far.
_Density = tuple["Floats", "Floats"]


def _start() -> _Density:
    return np.zeros(1), np.ones(1)


def _check(fractions: Sequence[float]) -> None:
    steps = np.diff([0.0, *fractions])
    if not len(steps) or (steps <= 0).any() or fractions[-1] > 1:
        raise ValueError(f"looks ascend from above 0 to at most 1, found {list(fractions)}")


def _step(fractions: Sequence[float]) -> tuple[float, float]:
    """The root of the information now, and of what was added since the last look."""
    last = fractions[-2] if len(fractions) > 1 else 0.0
    return float(np.sqrt(fractions[-1])), float(np.sqrt(fractions[-1] - last))


def _beyond(density: _Density, fractions: Sequence[float], bound: float) -> float:
    """The probability of crossing at this look for the first time."""
    root, added = _step(fractions)
    points, weights = density
    tails = ndtr((points - bound * root) / added) + ndtr((-bound * root - points) / added)
    return float(weights @ tails)


def _critical(density: _Density, fractions: Sequence[float], rate: float) -> float:
    """The bound that is crossed for the first time with this probability."""
    if _beyond(density, fractions, FAR) >= rate:
        return FAR
    return float(brentq(lambda z: _beyond(density, fractions, z) - rate, 0.0, FAR, xtol=1e-12))


def _continued(density: _Density, fractions: Sequence[float], bound: float) -> _Density:
    """The density at the next look, of paths within the bound at this one."""
    root, added = _step(fractions)
    points, weights = density
    ends = min(bound, FAR) * root
    grid = np.linspace(-ends, ends, N_POINTS)
    z = (grid[:, None] - points[None, :]) / added
    heights = np.exp(-(z**2) / 2) @ weights / (added * math.sqrt(2 * math.pi))
    simpson = np.ones(N_POINTS)
    simpson[1:-1:2], simpson[2:-1:2] = 4, 2
    return grid, heights * simpson * (grid[1] - grid[0]) / 3
