"""Predictions of a fitted cumulative link mixed model for new raters and new items: proportions and means.

Probabilities are averaged over the random effects, whose sum is normal, by Gauss-Hermite quadrature. Standard errors by
the delta method, with the covariance of all parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.stats.core.arrays import Floats
    from app.stats.ordinal.clmm_fit import ClmmFit
    from app.stats.ordinal.clmm_links import LinkName

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
_STEP = 1e-5
_NEVER = 1e-12


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions from the parameters of a fit whose first fixed column is the source, coded -1/2 and 1/2."""

    fit: ClmmFit
    link: LinkName
    is_slope: Floats

    def upper_share(self, parameters: Floats, cut: int, side: float) -> float:
        """Return P(y >= cut) of the source (`side` 1/2), reference (-1/2), or midway (0); other fixed columns at 0."""
        cuts = len(self.fit.thresholds)
        first = cuts + len(self.fit.beta)
        weights = np.where(self.is_slope, side, 1.0)
        sd = float(np.sqrt(((parameters[first:] * weights) ** 2).sum()))
        shift = side * parameters[cuts] if side else 0.0
        latent = shift - parameters[cut - 1] + sd * _NODES
        F = special.expit(latent) if self.link == "logit" else special.ndtr(latent)
        return float(np.clip(F @ _WEIGHTS / _WEIGHTS.sum(), _NEVER, 1 - _NEVER))

    def mean_difference(self, parameters: Floats, points: Floats) -> float:
        """Return the mean of the source minus that of the reference, for classes with these mean values, shape (K,)."""
        gaps = np.diff(points)
        shares = [
            self.upper_share(parameters, cut, 0.5) - self.upper_share(parameters, cut, -0.5)
            for cut in range(1, len(points))
        ]
        return float(gaps @ np.array(shares))

    def with_error(self, function: Callable[[Floats], float]) -> tuple[float, float]:
        """Return the value of a function of the parameters, and its standard error."""
        at = self.fit.parameters
        slopes = [(function(at + step) - function(at - step)) / (2 * _STEP) for step in np.eye(len(at)) * _STEP]
        largest = max(np.abs(slopes).max(), 1.0)
        gradient = np.array(slopes) / largest
        return function(at), float(np.sqrt(max(gradient @ self.fit.covariance @ gradient, 0.0)) * largest)
