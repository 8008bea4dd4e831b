"""The Bradley-Terry model with ties and position (Davidson 1970; Davidson and Beaver 1977).

The log odds of (left, tie, right) are (eta, log nu + eta / 2, 0): nu is the propensity to tie between equals, and
eta = X beta is the advantage of the left response. Without ties it is the logistic model. Errors are clustered by item
and by rater: packages that treat choices as independent give intervals that are too narrow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats

_MAX_STEPS = 100
_LONGEST_STEP = 5.0
_SETTLED = 1e-10
_FARTHEST = 15.0
_WORST_CONDITION = 1e12


@dataclass(frozen=True, eq=False)
class DavidsonFit:
    """Maximum likelihood estimates.

    Attributes:
        beta: shape (p,), one per column of X.
        log_nu: None if there are no ties.
        inverse: inverse information of (beta, log_nu): the covariance if choices were independent, shape (q, q).
        scores: scores of each choice, shape (n, q).
        log_likelihood: the maximum.
    """

    beta: Floats
    log_nu: float | None
    inverse: Floats
    scores: Floats
    log_likelihood: float

    @property
    def coefficients(self) -> Floats:
        """beta, then log_nu if there is one; shape (q,)."""
        return self.beta if self.log_nu is None else np.append(self.beta, self.log_nu)

    @property
    def model_errors(self) -> Floats:
        """Standard errors of the coefficients if choices were independent, shape (q,)."""
        return np.sqrt(np.diag(self.inverse))

    def influence(self, contrast: Floats) -> Floats:
        """Return the influence of each choice on a contrast of the coefficients, shape (n,); `contrast` shape (q,)."""
        return np.asarray(self.scores @ (self.inverse @ contrast))


def fit_davidson(X: Floats, won: Floats) -> DavidsonFit | None:
    """Fit the model by Newton's method; the likelihood is concave.

    Args:
        X: advantage of the left response, shape (n, p).
        won: 1 if the left response was chosen, 0 if the right one, 1/2 for a tie, shape (n,).

    Returns:
        The fit, or None if there is no finite maximum (separation) or columns are linearly dependent.

    Checked against BradleyTerry2 1.1.2 (citations, baseball) and Davidson's puddings.
    """
    is_tie = won == 0.5  # noqa: PLR2004  # half a win
    has_ties = bool(is_tie.any())
    p = X.shape[1]
    b = np.zeros(p + has_ties)
    terms = _terms(X, won, b, has_ties=has_ties)
    for _ in range(_MAX_STEPS):
        if np.abs(b).max() > _FARTHEST or np.linalg.cond(terms.information) > _WORST_CONDITION:
            return None
        step = np.linalg.solve(terms.information, terms.scores.sum(axis=0))
        longest = float(np.abs(step).max())
        b = b + step * min(1.0, _LONGEST_STEP / max(longest, _SETTLED))
        terms = _terms(X, won, b, has_ties=has_ties)
        if longest <= _SETTLED:
            break
    else:
        return None
    inverse = np.asarray(np.linalg.inv(terms.information), dtype=np.float64)
    return DavidsonFit(b[:p], float(b[p]) if has_ties else None, inverse, terms.scores, terms.log_likelihood)


@dataclass(frozen=True, eq=False)
class _Terms:
    log_likelihood: float
    scores: Floats
    information: Floats


def _terms(X: Floats, won: Floats, b: Floats, *, has_ties: bool) -> _Terms:
    p = X.shape[1]
    eta = X @ b[:p]
    log_nu = float(b[p]) if has_ties else -np.inf
    is_tie = won == 0.5  # noqa: PLR2004  # half a win
    top = np.maximum(np.maximum(eta, 0), log_nu + eta / 2)
    left, tie, right = np.exp(eta - top), np.exp(log_nu + eta / 2 - top), np.exp(-top)
    total = left + tie + right
    left, tie = left / total, tie / total
    expected = left + tie / 2
    by_eta = won - expected
    chosen = won * eta + (log_nu if has_ties else 0.0) * is_tie
    log_likelihood = float((chosen - top - np.log(total)).sum())
    weight = left + tie / 4 - expected**2
    if not has_ties:
        return _Terms(log_likelihood, X * by_eta[:, np.newaxis], X.T @ (X * weight[:, np.newaxis]))
    information = np.empty((p + 1, p + 1))
    information[:p, :p] = X.T @ (X * weight[:, np.newaxis])
    information[:p, p] = information[p, :p] = X.T @ (tie / 2 - expected * tie)
    information[p, p] = float(tie @ (1 - tie))
    scores = np.column_stack([X * by_eta[:, np.newaxis], is_tie - tie])
    return _Terms(log_likelihood, scores, information)
