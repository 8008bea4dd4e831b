"""Which pair of sources tells most next, where there are more pairs than raters.

The strengths of the sources are those of Bradley and Terry (1952, Biometrika 39:324-345) with a weak normal prior, so
that they exist before every source has won and lost. One more choice between a and b adds the Fisher information
`p(1 - p)` about the difference of the two strengths; what it tells is the fall of the log determinant of their
covariance, `log(1 + p(1 - p) Var(a - b))`: D-optimality, as Glickman and Jensen (2005, Journal of Statistical Planning
and Inference 127:279-293) use it for paired comparisons.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

# Of the strengths, in logits: about the spread between the weakest and the strongest models of published arenas.
PRIOR_SD = 2.0
_MAX_STEPS, _SMALL = 50, 1e-9


class Met(NamedTuple):
    """How often two sources met, and how often the first was preferred; a tie is half."""

    first: int
    second: int
    n: float
    won: float


class Information:
    """What the choices so far tell of the sources, and what one more choice between two of them would."""

    def __init__(self, sources: Sequence[int], met: Iterable[Met]) -> None:
        """Fit the strengths.

        Args:
            sources: their ids, each once.
            met: what was chosen so far between them; the order of a pair does not matter.
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
        """What one more choice between two sources would tell, in nats; never negative."""
        first, second, weight = self._weight(one, other)
        var = self._covariance
        return float(np.log1p(weight * (var[first, first] + var[second, second] - 2 * var[first, second])))

    def expect(self, one: int, other: int) -> None:
        """Count on a choice between two sources that is given out and not made yet."""
        first, second, weight = self._weight(one, other)
        _add(self._hessian, first, second, weight)
        self._covariance = np.linalg.inv(self._hessian)

    def best(self, pairs: Iterable[tuple[int, int]]) -> tuple[int, int]:
        """The pair that tells most; of equals the first."""
        return max(pairs, key=lambda pair: self.gain(*pair))

    def _weight(self, one: int, other: int) -> tuple[int, int, float]:
        first, second = self._place[one], self._place[other]
        p = 1 / (1 + exp(float(self._strength[second] - self._strength[first])))
        return first, second, p * (1 - p)


def _add(hessian: Matrix, one: int, other: int, weight: float) -> None:
    """The information of choices between two, in place."""
    hessian[one, one] += weight
    hessian[other, other] += weight
    hessian[one, other] -= weight
    hessian[other, one] -= weight
