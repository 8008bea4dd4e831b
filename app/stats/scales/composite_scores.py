"""Composite scores from several questions: reverse scoring, means of answered questions, internal consistency.

`scores` shape (n, k): one row per respondent (or rated response), one column per question, nan for missing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import special

from app.stats.core.clusters import without_interval
from app.stats.core.result import Interval, Result, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.stats.core.arrays import Bools, Floats

_PAIR = 2
# tolerance for the rounding error of a covariance
_ROUNDING = 1e-9
_ZERO = 1e-12
_NEGATIVE = (
    "The questions vary against each other, so the scale has no reliability: check which questions are reversed."
)


def composite(
    scores: Floats, is_reversed: Sequence[bool] | Bools, *, low: float, high: float, fewest_answered: int = 1
) -> Floats:
    """Return row means, shape (n,), with reversed questions as low + high - score; nan if too few were answered.

    >>> composite(np.array([[1.0, 5.0], [2.0, np.nan]]), [False, True], low=1, high=5, fewest_answered=2)
    array([ 1., nan])
    """
    turned = turn(scores, is_reversed, low=low, high=high)
    answered = np.isfinite(turned)
    n = answered.sum(axis=1)
    total = np.where(answered, turned, 0).sum(axis=1)
    mean: Floats = np.divide(total, n, out=np.full(len(turned), np.nan), where=n >= max(fewest_answered, 1))
    return mean


def turn(scores: Floats, is_reversed: Sequence[bool] | Bools, *, low: float, high: float) -> Floats:
    """Return the scores with reversed questions recoded, so that high means the same in all questions."""
    return np.where(np.asarray(is_reversed, dtype=bool), low + high - scores, scores)


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
        return undefined("no_variation", "The sum of the questions does not vary.", method="cronbach_alpha", n_units=n)
    alpha = k / (k - 1) * (1 - float(np.trace(covariance)) / total)
    bare = Result(alpha, "cronbach_alpha", n_units=n, note=_NEGATIVE if alpha < 0 else "")
    if is_pairwise:
        return bare
    if alpha > 1 - _ROUNDING:
        return without_interval(bare, "no_variation", "All questions have identical answers, so no interval.")
    tail = (1 - level) / 2
    low, high = (1 - (1 - alpha) * float(special.fdtri(n - 1, (n - 1) * (k - 1), p)) for p in (1 - tail, tail))
    return replace(
        bare,
        interval=Interval(low, high, "feldt", level, inference="ratings"),
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
            found.append(undefined("no_variation", note, method="correlation", n_units=n))
        else:
            found.append(Result(float(np.corrcoef(one, rest)[0, 1]), "correlation", n_units=n))
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
        return undefined("no_pairable_units", f"Needs {fewest} questions.", method=method, n_units=n)
    if n < _PAIR:
        return undefined("no_pairable_units", "Needs two rows with all answers.", method=method, n_units=n)
    return None
