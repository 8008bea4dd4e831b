"""Choose the most informative pair of sources to show next, for studies with more pairs than raters can rate.

The strengths of the sources are estimated by the model of Bradley and Terry (1952, Biometrika 39:324-345) with a weak
normal prior, so that estimates exist before every source has won and lost. One more choice between a and b adds the
Fisher information `p(1 - p)` about the difference between the two strengths. The gain is the decrease in the log
determinant of the covariance of the strengths, `log(1 + p(1 - p) Var(a - b))`: D-optimality, as Glickman and Jensen
(2005, Journal of Statistical Planning and Inference 127:279-293) apply it to paired comparisons.
"""

from collections.abc import Iterable, Sequence
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


# Prior SD of the strengths, in logits: about the spread between the weakest and strongest models of published arenas.
PRIOR_SD = 2.0
_MAX_STEPS, _SMALL = 50, 1e-9


class Met(NamedTuple):
    """How often two sources were compared, and how often the first was preferred; a tie counts as half."""

    first: int
    second: int
    n: float
    won: float


class Information:
    """The information about the strengths of the sources in the choices so far, and in one more choice."""

    def __init__(self, sources: Sequence[int], met: Iterable[Met]) -> None:
        """Fit the strengths.

        Args:
            sources: IDs of the sources, without duplicates.
            met: the choices so far between pairs of sources; the order within a pair does not matter.
        """
        self._place = {source: place for place, source in enumerate(sources)}
        games = [(self._place[pair.first], self._place[pair.second], pair.n, pair.won) for pair in met]
        precision = np.eye(len(sources)) / PRIOR_SD**2
        strength = np.zeros(len(sources))
        hessian = precision
        for _ in range(_MAX_STEPS):
            hessian, slope = precision.copy(), -precision @ strength
            for one, other, n, won in games:
                p = 1 / (1 + np.exp(strength[other] - strength[one]))
                slope[[one, other]] += np.array([1, -1]) * (won - n * p)
                _add(hessian, one, other, n * p * (1 - p))
            step = np.linalg.solve(hessian, slope)
            strength += step
            if np.abs(step).max() < _SMALL:
                break
        self._strength, self._hessian = strength, hessian
        self._covariance = np.linalg.inv(hessian)

    def gain(self, one: int, other: int) -> float:
        """Information gained by one more choice between two sources, in nats; never negative."""
        first, second, weight = self._weight(one, other)
        var = self._covariance
        return float(np.log1p(weight * (var[first, first] + var[second, second] - 2 * var[first, second])))

    def expect(self, one: int, other: int) -> None:
        """Count a choice between two sources that has been assigned to a rater but not made yet."""
        first, second, weight = self._weight(one, other)
        _add(self._hessian, first, second, weight)
        self._covariance = np.linalg.inv(self._hessian)

    def best(self, pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
        """The pair with the largest gain; the first one in case of a tie."""
        return max(pairs, key=lambda pair: self.gain(*pair))

    def _weight(self, one: int, other: int) -> tuple[int, int, float]:
        first, second = self._place[one], self._place[other]
        p = 1 / (1 + exp(float(self._strength[second] - self._strength[first])))
        return first, second, p * (1 - p)


def _add(hessian: Matrix, one: int, other: int, weight: float) -> None:
    """Add the information of choices between two sources to the Hessian, in place."""
    hessian[one, one] += weight
    hessian[other, other] += weight
    hessian[one, other] -= weight
    hessian[other, one] -= weight
