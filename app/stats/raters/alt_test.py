"""The alternative annotator test of whether a model judge can replace a human rater (Calderon, Reichart and Dror 2025).

Each human is left out in turn: is the judge at least as close to the other raters as that human, minus an advantage
epsilon that is granted to humans (.1 for crowd workers, .15 for skilled raters, .2 for experts)? Ratings have shape
(n_raters, n_units), nan for missing.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from app.stats.arrays import Floats, Ints
from app.stats.clusters import cluster_variance, t_quantile, without_interval
from app.stats.multiplicity import benjamini_yekutieli
from app.stats.result import Interval, Method, Result, undefined

MIN_RATERS, MIN_UNITS = 3, 30
_ALPHA = 0.05
_ROUNDING = 1e-9
Score = Literal["accuracy", "rmse"]


@dataclass(frozen=True)
class AltTest:
    """Results of the test.

    Attributes:
        winning_rate: proportion of humans whom the judge can replace (Benjamini-Yekutieli at .05); one half passes.
        advantage_probability: probability that the judge is at least as close to the others as a human, with an
            interval clustered by unit.
        by_rater: the advantage probability against each rater, with the unadjusted p-value; undefined for raters with
            fewer than thirty units.
        units_needed: units per human with which the judge is expected to pass; see `units_to_pass`.
    """

    winning_rate: Result
    advantage_probability: Result
    by_rater: tuple[Result, ...]
    units_needed: Result


def alternative_annotator_test(
    humans: Floats, judge: Floats, *, epsilon: float, score: Score = "accuracy", level: float = 0.95
) -> AltTest:
    """Run the test.

    Args:
        humans: shape (n_raters, n_units), nan for missing.
        judge: shape (n_units,), nan for missing; or (n_showings, n_units), whose closeness is averaged per unit.
        epsilon: advantage granted to humans, 0 to 1.
        score: closeness to the other raters: `accuracy` (proportion of them who agree) or `rmse` (minus the root mean
            square difference, for scale points).
        level: confidence level.
    """
    judge_wins, human_wins = _wins(humans, judge, score)
    n_units = np.isfinite(judge_wins).sum(axis=1)
    by_rater = tuple(
        _against(judge_wins[j], human_wins[j], epsilon) if n_units[j] >= MIN_UNITS else _too_few(int(n_units[j]))
        for j in range(len(humans))
    )
    tested = [j for j, result in enumerate(by_rater) if result.reason is None]
    if len(tested) < MIN_RATERS:
        note = f"Needs {MIN_RATERS} raters with {MIN_UNITS} units each that others and the judge rated too."
        nothing = undefined("no_pairable_units", note, method=Method("alt_test"), n_raters=len(tested))
        return AltTest(nothing, nothing, by_rater, nothing)
    p_values = np.array([by_rater[j].p_value for j in tested], dtype=np.float64)
    wins = benjamini_yekutieli(p_values) <= _ALPHA
    method = Method("alt_test", f": {score}, epsilon {epsilon:g}")
    shared = np.isfinite(judge_wins[tested]).any(axis=0)
    counts = {"n_raters": len(tested), "n_units": int(shared.sum()), "n_ratings": int(n_units[tested].sum())}
    rate = Result(float(np.mean(wins)), method).with_counts(**counts)
    needed = units_to_pass(human_wins[tested] - judge_wins[tested], epsilon)
    return AltTest(rate, _advantage(judge_wins[tested], method, level, counts), by_rater, needed.with_counts(**counts))


def units_to_pass(gap: Floats, epsilon: float, *, alpha: float = _ALPHA, power: float = 0.8) -> Result:
    """Return the units per human with which the test is expected to pass, at the closeness observed so far.

    For one human with mean gap d and standard deviation s of `gap`, a one-sided test of d < epsilon at `alpha` reaches
    the power with n = ((z(1 - alpha) + z(power)) s / (epsilon - d))^2 units, the sample size of a one-sample z test
    (Chow, Shao, Wang and Lokhnygina 2017, Sample Size Calculations in Clinical Research, 3.1). The result is the n of
    the median human, because the test passes if half of them can be replaced; never below thirty. The adjustment for
    several humans is left out, so read it as a lower limit. Undefined if d is epsilon or more for the median human.

    Args:
        gap: whether the human is as close as the judge, minus the reverse: 1, 0 or -1, shape (n_raters, n_units), nan
            for missing; each rater needs two units.
        epsilon: advantage granted to humans.
        alpha: level of the test of one human.
        power: probability of replacing the human.

    >>> units_to_pass(np.array([[1.0, -1.0, 0.0, 0.0] * 10]), 0.1).estimate
    318.0
    """
    method = Method("alt_test", f": power {power:g}, epsilon {epsilon:g}")
    room = epsilon - np.nanmean(gap, axis=1)
    reach = (special.ndtri(1 - alpha) + special.ndtri(power)) * np.nanstd(gap, axis=1, ddof=1)
    each = np.where(room > _ROUNDING, np.ceil((reach / np.where(room > _ROUNDING, room, 1)) ** 2), np.inf)
    median = float(np.sort(each)[(len(each) - 1) // 2])
    if median == np.inf:
        note = "At the closeness observed so far, the judge would not pass with any number of units."
        return undefined("no_variation", note, method=method)
    return Result(max(median, float(MIN_UNITS)), method)


def _wins(humans: Floats, judge: Floats, score: Score) -> tuple[Floats, Floats]:
    """Return whether the judge (the human) is at least as close to the others, shape of `humans`; nan if unknown."""
    found = np.full((2, *humans.shape), np.nan)
    showings = np.atleast_2d(judge)
    is_judged = np.isfinite(showings)
    for j in range(len(humans)):
        others = np.delete(humans, j, axis=0)
        known = np.isfinite(humans[j]) & is_judged.any(axis=0) & np.isfinite(others).any(axis=0)
        of_human = _closeness(others[:, known], humans[j, known], score)
        each = np.array([_closeness(others[:, known], one[known], score) for one in showings])
        of_judge = np.where(is_judged[:, known], each, 0).sum(axis=0) / is_judged[:, known].sum(axis=0)
        found[0, j, known] = of_judge >= of_human - _ROUNDING
        found[1, j, known] = of_human >= of_judge - _ROUNDING
    return found[0], found[1]


def _closeness(others: Floats, one: Floats, score: Score) -> Floats:
    """Return closeness per unit, shape (n_units,); each unit must have a rating by another rater."""
    here = np.isfinite(others)
    apart = np.where(here, others - one, 0)
    each = (here & (np.abs(apart) < _ROUNDING)) if score == "accuracy" else apart**2
    mean: Floats = each.sum(axis=0) / here.sum(axis=0)
    return mean if score == "accuracy" else -np.sqrt(mean)


def _against(judge_wins: Floats, human_wins: Floats, epsilon: float) -> Result:
    """Run a one-sided t test that the human's advantage is below epsilon."""
    known = np.isfinite(judge_wins)
    gap = human_wins[known] - judge_wins[known]
    n = len(gap)
    error = float(gap.std(ddof=1)) / n**0.5
    distance = float(gap.mean()) - epsilon
    p_value = float(special.stdtr(n - 1, distance / error)) if error > 0 else float(distance >= 0)
    return Result(float(judge_wins[known].mean()), Method("alt_test"), p_value=p_value, n_units=n)


def _too_few(n: int) -> Result:
    note = f"Fewer than {MIN_UNITS} units that the judge and other raters also rated."
    return undefined("no_pairable_units", note, method=Method("alt_test"), n_units=n)


def _advantage(judge_wins: Floats, method: Method, level: float, counts: dict[str, int]) -> Result:
    """Return the proportion of units on which the judge is as close, averaged over raters; logit t interval by unit."""
    known = np.isfinite(judge_wins)
    by_rater = np.nanmean(judge_wins, axis=1)
    estimate = float(by_rater.mean())
    weight = 1 / (known.sum(axis=1, keepdims=True) * len(judge_wins))
    influence = (np.where(known, judge_wins - by_rater[:, np.newaxis], 0) * weight).sum(axis=0)[known.any(axis=0)]
    bare = Result(estimate, method).with_counts(**counts)
    n = len(influence)
    own: Ints = np.arange(n)
    error = cluster_variance(influence, own, n) ** 0.5
    if error <= _ROUNDING:
        return without_interval(
            bare, "no_variation", "The judge is as close as the other raters on all units or on none, so no interval."
        )
    # on the logit scale; the estimate is neither 0 nor 1, for then nothing would vary
    centre, reach = special.logit(estimate), t_quantile(n - 1, level) * error / (estimate * (1 - estimate))
    low, high = special.expit([centre - reach, centre + reach])
    interval = Interval(float(low), float(high), Method("cluster_t_units"), level, inference="items")
    return replace(bare, interval=interval, standard_error=error, df=float(n - 1))
