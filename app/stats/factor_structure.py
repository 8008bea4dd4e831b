"""The factor structure of several questions: how many factors (parallel analysis), and which questions load on which.

`scores` shape (n, k): one row per rated response (or respondent), one column per question; rows with nan are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment, minimize

from app.stats.arrays import Floats, Ints, Labels, codes
from app.stats.result import Reason

Rotation = Literal["oblimin", "varimax"]
N_DRAWS = 200
MIN_QUESTIONS = 3
# R's factanal keeps every unique variance above this: at it, a question has no variance of its own (Heywood).
HEYWOOD = 0.005
MAX_TURNS, MAX_HALVINGS = 1000, 11
_ZERO, _FLAT = 1e-10, 1e-12
# An interval needs this share of solutions among the bootstrap samples.
_MOST = 0.8


@dataclass(frozen=True, eq=False)
class Parallel:
    """Eigenvalues of what questions share, and the 95th percentile of those of unrelated questions, shape (k,)."""

    eigenvalues: Floats
    limits: Floats

    @property
    def n_factors(self) -> int:
        """The number of first eigenvalues above their limits."""
        below = np.flatnonzero(self.eigenvalues <= self.limits)
        return int(below[0]) if len(below) else len(self.limits)


@dataclass(frozen=True, eq=False)
class Structure:
    """A solution. Loadings have shape (k, m), the questions' unique variances (k,), correlations of factors (m, m).

    `low` and `high` are the ends of 95% intervals of the loadings, None if too few bootstrap samples had a solution.
    """

    loadings: Floats
    unique: Floats
    correlations: Floats
    n_rows: int
    low: Floats | None = None
    high: Floats | None = None

    @property
    def heywood(self) -> list[int]:
        """The columns without a variance of their own: the solution is improper."""
        return [int(at) for at in np.flatnonzero(self.unique <= HEYWOOD)]

    @property
    def main_factor(self) -> Ints:
        """The factor on which each question loads most, shape (k,)."""
        found: Ints = np.abs(self.loadings).argmax(axis=1)
        return found


def problem_of(scores: Floats) -> tuple[Reason, str] | None:
    """Why the questions have no factor structure, if they have none."""
    complete = _complete(scores)
    n, k = complete.shape
    if k < MIN_QUESTIONS or n <= 2 * k:
        return "too_few", "Factors need three questions, and more than twice as many complete answers as questions."
    if (np.ptp(complete, axis=0) == 0).any():
        return "no_variation", "A question has the same answer everywhere."
    if np.linalg.eigvalsh(_correlations(complete))[0] < _ZERO:
        return "singular", "A question follows from the others."
    return None


def most_factors(k: int) -> int:
    """The largest number of factors that k questions can tell apart: ((k - m)^2 - (k + m)) / 2 is at least 0.

    >>> [most_factors(k) for k in (3, 5, 6, 9)]
    [1, 2, 3, 5]
    """
    return max(m for m in range(1, k) if (k - m) ** 2 >= k + m)


def parallel_analysis(scores: Floats, *, n_draws: int = N_DRAWS, seed: int = 1) -> Parallel:
    """Compare the eigenvalues of the correlations with those of independent normal answers of the same number.

    Horn (1965, Psychometrika 30:179), with the 95th percentile of Glorfeld (1995, Educ. Psychol. Meas. 55:377). Each
    question has its squared multiple correlation with the others in place of 1 (Humphreys and Montanelli 1975,
    Multivariate Behav. Res. 10:193): with 1, the second of two factors that go together is seldom found, as the first
    component takes what they share.
    """
    complete = _complete(scores)
    rng = np.random.default_rng(seed)
    drawn = [_eigenvalues(rng.normal(size=complete.shape)) for _ in range(n_draws)]
    limits: Floats = np.quantile(drawn, 0.95, axis=0)
    return Parallel(_eigenvalues(complete), limits)


def factor_structure(
    scores: Floats,
    n_factors: int,
    *,
    item: Labels | None,
    rater: Labels,
    rotation: Rotation = "oblimin",
    n_draws: int = N_DRAWS,
    seed: int = 1,
) -> Structure:
    """Fit factors by maximum likelihood (Lawley and Maxwell 1971) and rotate them.

    `oblimin` is direct oblimin with gamma 0 (Jennrich and Sampson 1966), `varimax` has Kaiser's normalization. Factors
    are in descending order of their squared loadings, with a positive sum of loadings. Intervals are percentiles of a
    bootstrap that draws items and raters (pigeonhole; Owen 2007), each solution matched to the first one.

    Args:
        scores: see above; `problem_of` is None for them.
        n_factors: at most `most_factors`.
        item: labels, shape (n,); None for answers about the raters, of whom alone the bootstrap then draws.
        rater: labels, shape (n,).
        rotation: how to rotate.
        n_draws: number of bootstrap samples.
        seed: of the bootstrap.
    """
    keep = np.isfinite(scores).all(axis=1)
    complete = scores[keep]
    loadings, unique, correlations = _solution(_correlations(complete), n_factors, rotation)
    order = np.argsort(-(loadings**2).sum(axis=0), kind="stable")
    signs = np.where(loadings.sum(axis=0) < 0, -1.0, 1.0)[order]
    loadings, correlations = loadings[:, order] * signs, correlations[np.ix_(order, order)] * np.outer(signs, signs)
    rng = np.random.default_rng(seed)
    groups = [codes(np.asarray(of)[keep]) for of in (item, rater) if of is not None]
    drawn = []
    for _ in range(n_draws):
        weight = np.prod([rng.multinomial(n, np.full(n, 1 / n))[code] for code, n in groups], axis=0)
        again = _weighted_correlations(complete, weight)
        if again is not None:
            drawn.append(_matched(_solution(again, n_factors, rotation)[0], loadings))
    ends = np.quantile(drawn, [0.025, 0.975], axis=0) if len(drawn) >= max(_MOST * n_draws, 1) else (None, None)
    return Structure(loadings, unique, correlations, len(complete), *ends)


def _complete(scores: Floats) -> Floats:
    return scores[np.isfinite(scores).all(axis=1)]


def _eigenvalues(complete: Floats) -> Floats:
    """The eigenvalues of the correlations with squared multiple correlations in the diagonal, the largest first."""
    shared = _correlations(complete)
    np.fill_diagonal(shared, 1 - 1 / np.diag(np.linalg.inv(shared)))
    return np.asarray(np.linalg.eigvalsh(shared)[::-1], dtype=np.float64)


def _correlations(complete: Floats) -> Floats:
    return np.asarray(np.corrcoef(complete.T), dtype=np.float64)


def _weighted_correlations(complete: Floats, weight: Ints) -> Floats | None:
    """Correlations of weighted rows; None without any, or if a question does not vary or follows from the others."""
    if not weight.any():
        return None
    covariance = np.cov(complete.T, aweights=weight, ddof=0)
    sd = np.sqrt(np.diag(covariance))
    if (sd < _ZERO).any():
        return None
    found = np.asarray(covariance / np.outer(sd, sd), dtype=np.float64)
    return found if np.linalg.eigvalsh(found)[0] > _ZERO else None


def _solution(correlations: Floats, n_factors: int, rotation: Rotation) -> tuple[Floats, Floats, Floats]:
    """Rotated loadings, unique variances, and correlations of the factors."""
    unique = _unique_variances(correlations, n_factors)
    loadings = _unrotated(correlations, unique, n_factors)
    if rotation == "varimax":
        length = np.sqrt((loadings**2).sum(axis=1, keepdims=True))
        turned, correlated = _rotated(loadings / length, is_oblique=False)
        return turned * length, unique, correlated
    turned, correlated = _rotated(loadings, is_oblique=True)
    return turned, unique, correlated


def _unique_variances(correlations: Floats, n_factors: int) -> Floats:
    """Maximum likelihood over the unique variances (Lawley and Maxwell 1971, chapter 4), each at least `HEYWOOD`."""

    def misfit(unique: Floats) -> tuple[float, Floats]:
        roots = np.linalg.eigvalsh(correlations / np.sqrt(np.outer(unique, unique)))[:-n_factors]
        loadings = _unrotated(correlations, unique, n_factors)
        gap = np.diag(loadings @ loadings.T) + unique - np.diag(correlations)
        return float((roots - np.log(np.maximum(roots, _ZERO))).sum()), gap / unique**2

    start = (1 - n_factors / (2 * len(correlations))) / np.diag(np.linalg.inv(correlations))
    bounds = [(HEYWOOD, 1.0)] * len(start)
    options = {"ftol": 1e-12, "gtol": 1e-7}
    fit = minimize(misfit, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)  # type: ignore[call-overload]
    return np.asarray(fit.x, dtype=np.float64)


def _unrotated(correlations: Floats, unique: Floats, n_factors: int) -> Floats:
    """The loadings of given unique variances, in the order of their eigenvalues."""
    sd = np.sqrt(unique)
    roots, vectors = np.linalg.eigh(correlations / np.outer(sd, sd))
    length = np.sqrt(np.maximum(roots[: -n_factors - 1 : -1] - 1, 0))
    found: Floats = sd[:, None] * vectors[:, : -n_factors - 1 : -1] * length
    return found


def _rotated(loadings: Floats, *, is_oblique: bool) -> tuple[Floats, Floats]:
    """Rotate by gradient projection (Bernaards and Jennrich 2005): direct oblimin with gamma 0, or varimax.

    Returns:
        The loadings and the correlations of the factors.
    """
    m = loadings.shape[1]
    turn, step = np.eye(m), 1.0
    value, gradient, turned = _criterion(loadings, turn, is_oblique=is_oblique)
    for _ in range(MAX_TURNS):
        along = turn.T @ gradient
        inner = np.diag(np.diag(along)) if is_oblique else (along + along.T) / 2
        down = gradient - turn @ inner
        steep = float((down**2).sum())
        if steep < _FLAT:
            break
        step *= 2
        for _ in range(MAX_HALVINGS):
            tried = _onto(turn - step * down, is_oblique=is_oblique)
            new = _criterion(loadings, tried, is_oblique=is_oblique)
            if value - new[0] > 0.5 * steep * step:
                break
            step /= 2
        turn, (value, gradient, turned) = tried, new
    return turned, turn.T @ turn


def _onto(turn: Floats, *, is_oblique: bool) -> Floats:
    """The nearest turn: columns of length 1, or orthogonal ones."""
    if is_oblique:
        return np.asarray(turn / np.sqrt((turn**2).sum(axis=0)), dtype=np.float64)
    left, _, right = np.linalg.svd(turn)
    return np.asarray(left @ right, dtype=np.float64)


def _criterion(loadings: Floats, turn: Floats, *, is_oblique: bool) -> tuple[float, Floats, Floats]:
    """The criterion that is minimized, its gradient by the turn, and the turned loadings."""
    if not is_oblique:
        turned = loadings @ turn
        spread = turned**2 - (turned**2).mean(axis=0)
        return -float((spread**2).sum()) / 4, loadings.T @ (-turned * spread), turned
    back = np.linalg.inv(turn)
    turned = loadings @ back.T
    others = (turned**2).sum(axis=1, keepdims=True) - turned**2
    return float((turned**2 * others).sum()) / 4, -(turned.T @ (turned * others) @ back).T, turned


def _matched(loadings: Floats, to: Floats) -> Floats:
    """Reorder and reflect the factors of `loadings` so that each resembles a factor of `to` as closely as possible."""
    likeness = to.T @ loadings
    _, order = linear_sum_assignment(-np.abs(likeness))
    found: Floats = loadings[:, order] * np.where(likeness[np.arange(len(order)), order] < 0, -1.0, 1.0)
    return found


def lavaan_model(names: Sequence[str], structure: Structure) -> str:
    """The solution as a confirmatory model in lavaan's syntax: each question on the factor on which it loads most."""
    main = structure.main_factor.tolist()
    of_factor = {own: [name for name, one in zip(names, main, strict=True) if one == own] for own in sorted({*main})}
    return "\n".join(f"F{own + 1} =~ {' + '.join(of)}" for own, of in of_factor.items())
