"""Restricted maximum likelihood of value = mean + unit + rater + residual, for any pattern of ratings.

The linear mixed model of `lmm_fit` has the same maximum. Without covariates and slopes, the sums simplify further: a
million ratings take a quarter of a second here and twelve seconds there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.stats.core.one_thread import one_thread
from app.stats.core.search import minimum_of
from app.stats.mixed.small_matrices import cholesky_of, inverse_of_cholesky, solved

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats
    from app.stats.reliability.crossing import Crossing

# the maximum of a component divided by the sum of it and the residual variance
LARGEST_SHARE = 1 - 1e-9
SMALLEST = 1e-12
MAX_STEPS = 200
# largest slope of the deviance per rating and unit of a share that counts as the minimum
LEVEL = 1e-9


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
        meets = crossing.incidence(self.many, self.few)
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

    def __call__(self, share: Floats) -> tuple[float, Floats]:
        """Return the deviance and its gradient; `share` is that of each side's variance in it plus the residual's."""
        found = self.at(share / (1 - share))
        return found.deviance, found.gradient / (1 - share) ** 2

    def curvature(self, share: Floats) -> Floats:
        """Return the expected second derivatives, without the overlap of the two sides, which is small."""
        found = self.at(share / (1 - share))
        by_ratio = np.diag(found.information) - np.outer(found.traces, found.traces) / (self.n - 1)
        return by_ratio / np.outer((1 - share) ** 2, (1 - share) ** 2)

    def at(self, ratio: Floats) -> Fit:
        """Return the fit at these variances of each side relative to the residual's.

        With V the covariance of the ratings relative to the residual variance, Z the incidence of a side, and P = V^-1
        without the mean, the gradient is tr(Z'PZ) - |Z'Py|^2 / residual variance.
        """
        many, few = ratio
        shrunk = 1 / (1 + many * self.kinds)
        weight = many * shrunk
        schur = np.diag(self.few.size.astype(float)) - np.tensordot(weight, self.met, 1)
        factor = cholesky_of(np.eye(len(self.few)) + few * schur)
        inverse = inverse_of_cholesky(factor)
        few_sums = self.few_sums - np.tensordot(weight, self.many_in_few, 1)
        by_few = solved(factor, few_sums)  # Z'V^-1 [1 y]
        inner = self.squares - np.tensordot(weight, self.many_squares, 1) - few * few_sums.T @ by_few
        mean = inner[0, 1] / inner[0, 0]
        residual = max(float(inner[1, 1] - inner[0, 1] * mean), SMALLEST)
        by_many = self._by_many(shrunk, few, by_few)
        left = np.array([-mean, 1.0])
        squares = np.array([left @ by_many @ left, ((by_few @ left) ** 2).sum()])
        explained = np.array([by_many[0, 0], (by_few[:, 0] ** 2).sum()]) / inner[0, 0]
        traces = np.array([self._trace_of_many(shrunk, few, inverse), (inverse * schur).sum()])
        information = np.array([self.n_of_kind @ (self.kinds * shrunk) ** 2, ((inverse @ schur) ** 2).sum()])
        log_det = float(self.n_of_kind @ -np.log(shrunk)) + 2 * float(np.log(np.diag(factor)).sum())
        deviance = (self.n - 1) * np.log(residual / (self.n - 1)) + log_det + np.log(inner[0, 0])
        gradient = traces - explained - squares * (self.n - 1) / residual
        return Fit(float(deviance), gradient, residual / (self.n - 1), traces, information)

    def _by_many(self, shrunk: Floats, few: float, by_few: Floats) -> Floats:
        """Return [1 y]'V^-1 Z Z'V^-1 [1 y] of the side with more levels, shape (2, 2)."""
        pulled = few * np.einsum("kfa,fb->kab", self.many_in_few, by_few)
        moved = few**2 * np.einsum("fa,kfg,gb->kab", by_few, self.met, by_few, optimize=True)
        return np.tensordot(shrunk**2, self.many_squares - pulled - pulled.transpose(0, 2, 1) + moved, 1)

    def _trace_of_many(self, shrunk: Floats, few: float, inverse: Floats) -> float:
        by_kind = np.einsum("fg,kfg->k", inverse, self.met)
        return float(self.n_of_kind @ (self.kinds * shrunk) - few * (shrunk**2 @ by_kind))


@dataclass(frozen=True, eq=False)
class Fit:
    """The deviance, its gradient, and the residual variance; per side, tr(Z'V^-1 Z) and the trace of its square."""

    deviance: float
    gradient: Floats
    residual: float
    traces: Floats
    information: Floats


def reml(crossing: Crossing, start: tuple[float, float, float]) -> tuple[float, float, float] | None:
    """Return the REML variances of unit, rater and residual, none below 0, starting at `start`.

    None if the search does not converge within MAX_STEPS.
    """
    deviance = RemlDeviance(crossing)
    unit, rater, rest = (max(each, 0.01) for each in start)
    sides = [rater, unit] if deviance.is_swapped else [unit, rater]
    # as proportions, so that the slope at 0 is not flat and a component that starts at 0 can leave it
    first = np.array([min(side / (side + rest), LARGEST_SHARE) for side in sides])
    with one_thread():  # the matrices are small, and synchronizing threads takes ten times as long
        curvature = deviance.curvature(first)
        is_usable = bool(np.linalg.eigvalsh(curvature)[0] > 0)
        found = minimum_of(
            deviance,
            first,
            hessian=curvature if is_usable else None,
            low=0.0,
            high=LARGEST_SHARE,
            tolerance=LEVEL * crossing.n,
            max_steps=MAX_STEPS,
        )
        ratio = found.x / (1 - found.x)
        rest = deviance.at(ratio).residual
    if not found.is_converged:
        return None
    many, few = (float(each) * rest for each in ratio)
    return (few, many, rest) if deviance.is_swapped else (many, few, rest)
