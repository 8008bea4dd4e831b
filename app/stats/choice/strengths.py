"""Strengths of more than two sources, estimated from choices between pairs of them, and their pairwise contrasts.

`left`, `right` shape (n,) are codes 0..n_sources-1 of the two sources shown; `won` shape (n,) is 1 if the left one was
chosen, 0 if the right one, 1/2 for a tie; leave out choices of neither. `item` and `rater` are labels, shape (n,).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csgraph

from app.stats.arrays import Bools, Floats, Ints, Labels
from app.stats.clusters import METHOD, Clusters, clusters, with_two_way_interval
from app.stats.result import Reason, Result, undefined

# The Bradley-Terry model with ties and position (Davidson 1970; Davidson and Beaver 1977).
#
# The log odds of (left, tie, right) are (eta, log nu + eta / 2, 0): nu is the propensity to tie between equals, and eta
# = X beta is the advantage of the left response. Without ties it is the logistic model. Errors are clustered by item
# and by rater: packages that treat choices as independent give intervals that are too narrow.

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


TIE = 0.5
NO_BOUND = "The sides predict every choice, so the strengths have no finite estimate."


@dataclass(frozen=True, eq=False)
class WinMatrix:
    """`wins[a, b]`: number of choices of a over b; `ties[a, b]`: number of ties between the two (symmetric)."""

    wins: Ints
    ties: Ints

    @property
    def shares(self) -> Floats:
        """Proportion of choices of a over b, ties as half; nan if the two were never compared."""
        n = self.wins + self.wins.T + self.ties
        share: Floats = np.divide(self.wins + self.ties / 2, n, out=np.full(n.shape, np.nan), where=n > 0)
        return share

    @property
    def n_intransitive(self) -> tuple[int, int]:
        """Numbers of intransitive triples (a over b over c over a, by majority) and of fully compared triples."""
        beats = np.nan_to_num(self.shares, nan=0.0) > 0.5  # noqa: PLR2004  # a majority
        met = ~np.isnan(self.shares)
        np.fill_diagonal(met, val=False)
        circles = np.trace(np.linalg.matrix_power(beats.astype(np.int64), 3)) // 3
        triples = np.trace(np.linalg.matrix_power(met.astype(np.int64), 3)) // 6
        return int(circles), int(triples)


@dataclass(frozen=True)
class Strengths:
    """Log abilities of sources.

    Attributes:
        strengths: one per source, minus the reference's; the reference itself has the estimate 0. Undefined with reason
            `separation` (always, or never, chosen over the reference's component) or `disconnected` (never compared).
        contrasts: [a][b] is the strength of a minus that of b, for new items and raters.
        position: advantage of the left response; None if not requested.
        log_nu: log propensity to tie; None if there are no ties.
    """

    strengths: tuple[Result, ...]
    contrasts: tuple[tuple[Result, ...], ...]
    position: Result | None
    log_nu: Result | None


def win_matrix(left: Ints, right: Ints, won: Floats, *, n_sources: int) -> WinMatrix:
    """Return counts of the choices between all pairs of sources, shape (n_sources, n_sources)."""
    wins, ties = (np.zeros((n_sources, n_sources), dtype=np.int64) for _ in range(2))
    np.add.at(wins, (left[won == 1], right[won == 1]), 1)
    np.add.at(wins, (right[won == 0], left[won == 0]), 1)
    is_tie = (won > 0) & (won < 1)
    for a, b in ((left, right), (right, left)):
        np.add.at(ties, (a[is_tie], b[is_tie]), 1)
    return WinMatrix(wins, ties)


def strengths(  # noqa: PLR0913
    left: Ints,
    right: Ints,
    won: Floats,
    *,
    n_sources: int,
    item: Labels,
    rater: Labels,
    reference: int = 0,
    has_position: bool = True,
    level: float = 0.95,
) -> Strengths:
    """Fit Davidson's model to all choices, with two-way clustered errors. Unit: choice.

    A finite maximum exists among sources each of which was chosen over each other, directly or through others (Ford
    1957). The model is fitted to the reference's component; other sources are reported as separated or disconnected.
    """
    left, right, won = np.asarray(left), np.asarray(right), np.asarray(won, dtype=np.float64)
    problems = _problems(win_matrix(left, right, won, n_sources=n_sources), reference)
    inside = np.array([problem is None for problem in problems])
    kept = inside[left] & inside[right] & (left != right)
    groups = clusters(np.asarray(item)[kept], np.asarray(rater)[kept])
    abilities = _abilities(left[kept], right[kept], inside, reference)
    fit, why_no_position = _fit(abilities, won[kept], has_position=has_position)
    if fit is None:
        return _without_fit(problems, won[kept], groups, has_position=has_position)
    reader = _Reader(fit, groups, inside, reference, level)
    found = reader.strengths(problems)
    if not has_position:
        return found
    return replace(found, position=why_no_position or reader.position)


def _fit(abilities: Floats, won: Floats, *, has_position: bool) -> tuple[DavidsonFit | None, Result | None]:
    """Return the fit, with a position effect if it is estimable, and the undefined position effect if it is not."""
    if not len(won):
        return None, None
    if not has_position:
        return fit_davidson(abilities, won), None
    X = np.column_stack([abilities, np.ones(len(won))])
    if np.linalg.matrix_rank(X.T @ X) < X.shape[1]:
        problem = undefined(
            "singular", "The sides did not vary, so effects of side and source cannot be separated.", method=METHOD
        )
        return fit_davidson(abilities, won), problem
    fit = fit_davidson(X, won)
    if fit is None:
        return fit_davidson(abilities, won), undefined("separation", _why_no_position(won), method=METHOD)
    return fit, None


def _problems(matrix: WinMatrix, reference: int) -> list[Reason | None]:
    """Return the reason why each source cannot be compared with the reference, or None."""
    over = (matrix.wins + matrix.ties) > 0
    _, circle = csgraph.connected_components(over, directed=True, connection="strong")
    _, island = csgraph.connected_components(over, directed=False)
    return [
        None if circle[k] == circle[reference] else "separation" if island[k] == island[reference] else "disconnected"
        for k in range(len(over))
    ]


def _why_no_position(won: Floats) -> str:
    """Return the note on why the position effect is not estimable."""
    decisive = won[won != TIE]
    if len(decisive) and np.ptp(decisive) == 0:
        return f"The {'left' if decisive[0] else 'right'} side was always chosen, so its effect has no finite estimate."
    return "Sides and sources together predict every choice, so the effect of the side has no finite estimate."


def _abilities(left: Ints, right: Ints, inside: Bools, reference: int) -> Floats:
    """Return one column per source of the component but the reference, +1 if it is left and -1 if right."""
    columns = [k for k in np.flatnonzero(inside) if k != reference]
    signs = [(left == k) * 1.0 - (right == k) for k in columns]
    return np.array(signs).reshape(len(columns), len(left)).T


def _without_fit(problems: list[Reason | None], won: Floats, groups: Clusters, *, has_position: bool) -> Strengths:
    """Return undefined strengths: no comparisons with the reference, only ties, or no finite maximum."""
    n = len(groups.item)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    if not n:
        why = _undefined("separation" if "separation" in problems else "disconnected", counts)
    elif (won == TIE).all():
        why = _undefined("no_variation", counts)
    else:
        why = undefined("separation", NO_BOUND, method=METHOD, **counts)
    found = tuple(_undefined(problem, counts) if problem else why for problem in problems)
    pairs = tuple(tuple(_worse(a, b) for b in found) for a in found)
    return Strengths(found, pairs, why if has_position else None, None)


def _undefined(reason: Reason, counts: Mapping[str, int | None]) -> Result:
    notes = {
        "separation": "One of the two was always chosen, so its strength has no finite estimate.",
        "disconnected": "The two were never compared, directly or indirectly.",
        "no_variation": "All comparisons with the reference, direct or indirect, were ties.",
    }
    return undefined(reason, notes[reason], method=METHOD, **counts)


def _worse(a: Result, b: Result) -> Result:
    return a if a.reason == "disconnected" else b


@dataclass(frozen=True, eq=False)
class _Reader:
    """Computes contrasts from a fit; each source of the component but the reference has one coefficient."""

    fit: DavidsonFit
    groups: Clusters
    inside: Bools
    reference: int
    level: float

    def strengths(self, problems: list[Reason | None]) -> Strengths:
        n = len(self.groups.item)
        counts = {"n_items": self.groups.n_items, "n_raters": self.groups.n_raters, "n_units": n, "n_ratings": n}
        zero = Result(0.0, METHOD, note="The reference.").with_counts(**counts)
        vectors = [self._vector(source) for source in range(len(problems))]

        def gap(a: int, b: int) -> Result:
            problem = problems[a] or problems[b]
            if a == b:
                return zero
            return _undefined(problem, counts) if problem else self.contrast(vectors[a] - vectors[b])

        table = tuple(tuple(gap(a, b) for b in range(len(problems))) for a in range(len(problems)))
        log_nu = None if self.fit.log_nu is None else self.contrast(np.eye(len(vectors[0]))[-1])
        return Strengths(tuple(row[self.reference] for row in table), table, None, log_nu)

    @property
    def position(self) -> Result:
        """Position effect: the last coefficient of beta."""
        return self.contrast(np.eye(len(self.fit.coefficients))[len(self.fit.beta) - 1])

    def contrast(self, vector: Floats) -> Result:
        estimate = float(vector @ self.fit.coefficients)
        return with_two_way_interval(estimate, self.fit.influence(vector), self.groups, null=0.0, level=self.level)

    def _vector(self, source: int) -> Floats:
        vector = np.zeros(len(self.fit.coefficients))
        columns = [int(k) for k in np.flatnonzero(self.inside) if k != self.reference]
        if source in columns:
            vector[columns.index(source)] = 1
        return vector
