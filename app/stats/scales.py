"""The reliability of composite scores from several questions."""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import optimize, special

from app.stats.arrays import Floats, Labels
from app.stats.clusters import clusters, with_two_way_interval, without_interval
from app.stats.result import Interval, Method, Result, undefined

# `scores` shape (n, k): one row per respondent (or rated response), one column per question, nan for missing; reversed
# questions are turned, so that high means the same in all.

_PAIR = 2
# tolerance for the rounding error of a covariance
_ROUNDING = 1e-9
_ZERO = 1e-12
_NEGATIVE = (
    "The questions vary against each other, so the scale has no reliability: check which questions are reversed."
)


def cronbach_alpha(scores: Floats, *, level: float = 0.95, is_pairwise: bool = False) -> Result:
    """Return Cronbach's alpha (1951) over rows without missing answers, with Feldt's interval (1965).

    Alpha measures how far the questions vary together. It is a lower bound of reliability and no evidence of a single
    dimension. `is_pairwise` computes each covariance over all rows with both questions (as R's psych), without
    interval.
    """
    complete = scores if is_pairwise else scores[np.isfinite(scores).all(axis=1)]
    problem = problem_of(complete, "cronbach_alpha")
    if problem:
        return problem
    n, k = complete.shape
    covariance = pd.DataFrame(complete).cov().to_numpy()
    total = float(covariance.sum())
    # equal numbers such as 0.1 have a variance of 1e-34
    rounding = max(_ZERO * float(np.trace(covariance)), (_ZERO * float(np.abs(np.nan_to_num(complete)).max())) ** 2)
    if not np.isfinite(total) or total <= rounding:
        return undefined(
            "no_variation", "The sum of the questions does not vary.", method=Method(words="cronbach_alpha"), n_units=n
        )
    alpha = k / (k - 1) * (1 - float(np.trace(covariance)) / total)
    bare = Result(alpha, Method(words="cronbach_alpha"), n_units=n, note=_NEGATIVE if alpha < 0 else "")
    if is_pairwise:
        return bare
    if alpha > 1 - _ROUNDING:
        return without_interval(bare, "no_variation", "All questions have identical answers, so no interval.")
    tail = (1 - level) / 2
    low, high = (1 - (1 - alpha) * float(special.fdtri(n - 1, (n - 1) * (k - 1), p)) for p in (1 - tail, tail))
    return replace(
        bare,
        interval=Interval(low, high, Method("feldt"), level, inference="ratings"),
        standard_error=_alpha_error(covariance, n),
    )


def alpha_if_dropped(scores: Floats) -> list[Result]:
    """Return Cronbach's alpha without each question in turn, over the rows complete in all questions."""
    complete = scores[np.isfinite(scores).all(axis=1)]
    return [cronbach_alpha(np.delete(complete, k, axis=1)) for k in range(scores.shape[1])]


def item_rest_correlations(scores: Floats) -> list[Result]:
    """Return the correlation of each question with the sum of the others, over complete rows."""
    complete = scores[np.isfinite(scores).all(axis=1)]
    n = len(complete)
    found = []
    for k in range(scores.shape[1]):
        one, rest = complete[:, k], np.delete(complete, k, axis=1).sum(axis=1)
        if n < _PAIR or np.ptp(one) == 0 or np.ptp(rest) == 0:
            note = "The question or the sum of the others does not vary."
            found.append(undefined("no_variation", note, method=Method(words="correlation"), n_units=n))
        else:
            found.append(Result(float(np.corrcoef(one, rest)[0, 1]), Method(words="correlation"), n_units=n))
    return found


def _alpha_error(covariance: Floats, n: int) -> float:
    """Return the standard error of alpha (Duhachek and Iacobucci 2004)."""
    k = len(covariance)
    total, trace = covariance.sum(), np.trace(covariance)
    squares = covariance @ covariance
    spread = total * (np.trace(squares) + trace**2) - 2 * trace * squares.sum()
    return float(np.sqrt(max(2 * k**2 / ((k - 1) ** 2 * total**3) * spread, 0) / n))


def problem_of(complete: Floats, method: str, fewest: int = _PAIR) -> Result | None:
    n, k = complete.shape
    if k < fewest:
        return undefined("no_pairable_units", f"Needs {fewest} questions.", method=Method(words=method), n_units=n)
    if n < _PAIR:
        return undefined(
            "no_pairable_units", "Needs two rows with all answers.", method=Method(words=method), n_units=n
        )
    return None


# McDonald's omega with its confidence interval for new items and raters.

METHOD = Method(words="omega: one factor, minres")
# at a loading this close to 1 the question has no unique variance: the least squares solution is at its bound
_BOUND = 1 - 1e-6
_SINGULAR = 1e-10
_MAX_STEPS = 500


def omega(scores: Floats, *, item: Labels | None = None, rater: Labels | None = None, level: float = 0.95) -> Result:
    """Return McDonald's omega (1999), the proportion of the sum's variance due to one common factor, on complete rows.

    The loadings minimize least squares on the correlations (minres) and are rescaled by the standard deviations. Needs
    three questions, as two do not determine a factor. The interval uses the delta method on the logit scale: the
    influence of a row on the covariances, propagated through the loadings by the implicit function theorem, is summed
    over items and over raters. No interval if a loading is at its bound (`singular`).

    Args:
        scores: shape (n, k), nan for missing.
        item: labels, shape (n,); None if each row is its own item.
        rater: labels, shape (n,); None if each row has its own rater.
        level: confidence level.
    """
    is_complete = np.isfinite(scores).all(axis=1)
    complete = scores[is_complete]
    problem = problem_of(complete, "omega", fewest=3)
    if problem:
        return problem
    n = len(complete)
    sds = complete.std(axis=0, ddof=1)
    if (np.ptp(complete, axis=0) == 0).any():
        return undefined("no_variation", "One of the questions does not vary.", method=Method(words="omega"), n_units=n)
    correlation = np.asarray(np.corrcoef(complete, rowvar=False), dtype=np.float64)
    loadings = _loadings(correlation)
    if loadings is None:
        return undefined("not_converged", "The fit did not converge.", method=Method(words="omega"), n_units=n)
    common = float((loadings * sds).sum() ** 2)
    unique = float(((1 - np.minimum(loadings**2, 1)) * sds**2).sum())
    estimate = common / (common + unique)
    bare = Result(estimate, METHOD, n_units=n)
    slope = _gradient(correlation, loadings, sds)
    if slope is None or not 0 < estimate < 1:
        return without_interval(bare, "singular", "One question is identical to the factor, so no interval.")
    influence = _influence((complete - complete.mean(axis=0)) / sds, slope, correlation)
    rows = np.arange(len(scores))
    groups = clusters(*(np.asarray(rows if label is None else label)[is_complete] for label in (item, rater)))
    found = with_two_way_interval(estimate, influence, groups, level=level, is_share=True)
    return replace(found, method=METHOD)


def _influence(z: Floats, slope: Floats, correlation: Floats) -> Floats:
    """Return the influence of each row of standardized scores, shape (n, k), on the estimate."""
    influence = (((z @ slope) * z).sum(axis=1) - float((slope * correlation).sum())) / len(z)
    return np.asarray(influence - influence.mean())


def _gradient(correlation: Floats, loadings: Floats, sds: Floats) -> Floats | None:
    """Return the derivative of omega with respect to the questions' scaled covariances, shape (k, k).

    Covariances are in units of the questions' standard deviations. The loadings solve sum_j (r_ij - l_i l_j) l_j = 0
    over j other than i; their derivative with respect to the correlations follows from the derivative H of this
    equation. None if H is singular or a loading is at its bound.
    """
    off = 1 - np.eye(len(loadings))
    H = off * (correlation - 2 * np.outer(loadings, loadings)) - np.diag(off @ loadings**2)
    if np.abs(loadings).max() > _BOUND or np.linalg.cond(H) > 1 / _SINGULAR:
        return None
    total = float((loadings * sds).sum())
    unique = float(((1 - loadings**2) * sds**2).sum())
    size = (total**2 + unique) ** 2
    by_loading = (2 * total * sds * unique + 2 * total**2 * loadings * sds**2) / size
    by_sd = (2 * total * loadings * unique - 2 * total**2 * (1 - loadings**2) * sds) / size
    pulled = -np.linalg.solve(H, by_loading)
    by_r = off * (np.outer(pulled, loadings) + np.outer(loadings, pulled)) / 2
    # r_ij grows with s_ij and falls with half of the two variances; a deviation grows with half of its variance
    slope: Floats = by_r + np.diag(by_sd * sds / 2 - (by_r * correlation).sum(axis=1))
    return slope


def _loadings(correlation: Floats) -> Floats | None:
    """Return loadings, from -1 to 1, minimizing squared off-diagonal residuals, or None if not converged."""
    k = len(correlation)
    off = ~np.eye(k, dtype=bool)

    def loss(loadings: Floats) -> tuple[float, Floats]:
        residual = np.where(off, correlation - np.outer(loadings, loadings), 0)
        return float((residual**2).sum()), -4 * residual @ loadings

    values, vectors = np.linalg.eigh(correlation)
    first = vectors[:, -1] * np.sqrt(values[-1])
    found = optimize.minimize(
        loss,
        np.clip(first, -1, 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1, 1)] * k,
        options={"maxiter": _MAX_STEPS},
    )
    return np.asarray(found.x, dtype=np.float64) if found.nit < _MAX_STEPS else None
