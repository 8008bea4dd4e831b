"""Restricted maximum likelihood of value = mean + unit + rater + residual, for any pattern of ratings.

The linear mixed model of `lmm_fit` has the same maximum. Without covariates and slopes, the sums simplify further: a
million ratings take a quarter of a second here and twelve seconds there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from app.stats.core.one_thread import one_thread

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats
    from app.stats.reliability.crossing import Crossing

# the maximum of a component divided by the sum of it and the residual variance
LARGEST_SHARE = 1 - 1e-9
SMALLEST = 1e-12
MAX_STEPS = 200


class RemlDeviance:
    """-2 log restricted likelihood, profiled over mean and residual variance (Patterson and Thompson 1971).

    The side with more levels is eliminated in closed form. What remains is one dense matrix of the other side, built
    once for each number of ratings per level of the larger side, so that an evaluation does not pass over the ratings.
    """

    def __init__(self, crossing: Crossing) -> None:
        self.n = crossing.n
        self.is_swapped = len(crossing.raters) > len(crossing.units)
        sides = (crossing.raters, crossing.units) if self.is_swapped else (crossing.units, crossing.raters)
        self.many, self.few = sides
        meets = crossing.n_met.T.tocsr() if self.is_swapped else crossing.n_met
        self.kinds, kind = np.unique(self.many.size, return_inverse=True)
        self.n_of_kind = np.bincount(kind)
        chosen = [meets[kind == k] for k in range(len(self.kinds))]
        self.met = np.stack([(part.T @ part).toarray() for part in chosen])
        sums = np.stack([self.many.size.astype(float), self.many.total], axis=1)
        self.many_squares = np.stack([sums[kind == k].T @ sums[kind == k] for k in range(len(self.kinds))])
        self.many_in_few = np.stack([part.T @ sums[kind == k] for k, part in enumerate(chosen)])
        self.few_sums = np.stack([self.few.size.astype(float), self.few.total], axis=1)
        total = float(crossing.value.sum())
        self.squares = np.array([[self.n, total], [total, float((crossing.value**2).sum())]])

    def __call__(self, share: Floats) -> float:
        deviance, _ = self.at(share / (1 - share))
        return deviance

    def at(self, ratio: Floats) -> tuple[float, float]:
        """Return deviance and residual variance; `ratio` is the variance of each side relative to the residual's."""
        many, few = ratio
        weight = many / (1 + many * self.kinds)
        schur = np.diag(self.few.size.astype(float)) - np.tensordot(weight, self.met, 1)
        factor = np.linalg.cholesky(np.eye(len(self.few)) + few * schur)
        seen = np.sqrt(few) * solve_triangular(
            factor, self.few_sums - np.tensordot(weight, self.many_in_few, 1), lower=True, check_finite=False
        )
        inner = self.squares - np.tensordot(weight, self.many_squares, 1) - seen.T @ seen
        residual = max(float(inner[1, 1] - inner[0, 1] ** 2 / inner[0, 0]), SMALLEST)
        log_det = float(self.n_of_kind @ np.log1p(many * self.kinds)) + 2 * float(np.log(np.diag(factor)).sum())
        deviance = (self.n - 1) * np.log(residual / (self.n - 1)) + log_det + np.log(inner[0, 0])
        return float(deviance), residual / (self.n - 1)


def reml(crossing: Crossing, start: tuple[float, float, float]) -> tuple[float, float, float] | None:
    """Return the REML variances of unit, rater and residual, none below 0, starting at `start`.

    None if the search does not converge within MAX_STEPS.
    """
    deviance = RemlDeviance(crossing)
    unit, rater, rest = (max(each, 0.01) for each in start)
    sides = [rater, unit] if deviance.is_swapped else [unit, rater]
    # as proportions, so that the slope at 0 is not flat and a component that starts at 0 can leave it
    first = [min(side / (side + rest), LARGEST_SHARE) for side in sides]
    bounds = [(0.0, LARGEST_SHARE)] * 2
    with one_thread():  # the matrices are small, and synchronizing threads takes ten times as long
        found = minimize(
            deviance, first, bounds=bounds, method="L-BFGS-B", options={"ftol": 1e-13, "maxiter": MAX_STEPS}
        )
    if found.nit >= MAX_STEPS:
        return None
    ratio = found.x / (1 - found.x)
    rest = deviance.at(ratio)[1]
    many, few = (float(each) * rest for each in ratio)
    return (few, many, rest) if deviance.is_swapped else (many, few, rest)
