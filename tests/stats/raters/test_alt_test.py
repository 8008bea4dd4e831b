from typing import Literal

import numpy as np
import pytest
from scipy import special, stats
from statsmodels.stats.multitest import multipletests

from app.stats.arrays import Floats
from app.stats.raters.alt_test import alternative_annotator_test, units_to_pass


def _study(judge_noise: float, n_units: int = 200, n_raters: int = 5) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(4)
    truth: Floats = np.asarray(rng.integers(1, 6, n_units), dtype=np.float64)
    humans = np.clip(truth + np.rint(rng.normal(0, 0.8, (n_raters, n_units))), 1, 5)
    humans[rng.random(humans.shape) < 0.2] = np.nan
    return humans, np.clip(truth + np.rint(rng.normal(0, judge_noise, n_units)), 1, 5)


@pytest.mark.parametrize("score", ["accuracy", "rmse"])
def test_good_judge_passes_and_bad_judge_fails(score: str) -> None:
    good = alternative_annotator_test(*_study(0.3), epsilon=0.1, score=score)  # type: ignore[arg-type]
    bad = alternative_annotator_test(*_study(2.5), epsilon=0.1, score=score)  # type: ignore[arg-type]
    assert good.winning_rate.estimate == 1
    assert bad.winning_rate.estimate == 0
    assert good.advantage_probability.interval is not None
    assert good.advantage_probability.interval.high <= 1
    assert (bad.advantage_probability.estimate or 1) < (good.advantage_probability.estimate or 0)


def test_wins_and_rater_test_match_unit_loop() -> None:
    """The definition, unit by unit: closeness is the proportion of the other raters with the same answer."""
    humans, judge = _study(1.0)
    wins, gaps = [], []
    for i in range(humans.shape[1]):
        others = np.delete(humans[:, i], 2)
        others = others[~np.isnan(others)]
        if np.isnan(humans[2, i]) or not len(others):
            continue
        of_judge, of_human = np.mean(others == judge[i]), np.mean(others == humans[2, i])
        wins.append(of_judge >= of_human)
        gaps.append(float(of_human >= of_judge) - float(of_judge >= of_human))
    found = alternative_annotator_test(humans, judge, epsilon=0.15).by_rater[2]
    assert found.estimate == pytest.approx(np.mean(np.array(wins, float)))
    assert found.p_value == pytest.approx(stats.ttest_1samp(gaps, 0.15, alternative="less").pvalue)


def test_showings_of_a_judge_are_averaged() -> None:
    humans, judge = _study(1.0)
    once = alternative_annotator_test(humans, judge, epsilon=0.15)
    assert alternative_annotator_test(humans, np.array([judge, judge]), epsilon=0.15) == once
    # A showing that is missing leaves the other one.
    half = judge.copy()
    half[::2] = np.nan
    assert alternative_annotator_test(humans, np.array([judge, half]), epsilon=0.15) == once
    wrong = np.full_like(judge, -9)
    mixed = alternative_annotator_test(humans, np.array([judge, wrong]), epsilon=0.15).advantage_probability
    assert (mixed.estimate or 0) < (once.advantage_probability.estimate or 0)


def _closeness(others: Floats, value: float, score: str) -> float:
    return float(np.mean(others == value)) if score == "accuracy" else -float(np.sqrt(np.mean((others - value) ** 2)))


@pytest.mark.parametrize("score", ["accuracy", "rmse"])
def test_winning_rate_and_advantage_match_definition(score: Literal["accuracy", "rmse"]) -> None:
    """Each rater unit by unit, scipy's t test, and statsmodels' Benjamini and Yekutieli."""
    humans, judge = _study(1.0, n_units=80)
    p_values, advantages = [], []
    for j in range(len(humans)):
        wins = []
        for unit in np.flatnonzero(~np.isnan(humans[j])):
            others = np.delete(humans[:, unit], j)
            others = others[~np.isnan(others)]
            if len(others):
                of_judge, of_human = (_closeness(others, one[unit], score) for one in (judge, humans[j]))
                wins.append((of_judge >= of_human, of_human >= of_judge))
        won, lost = np.array(wins, dtype=float).T
        advantages.append(won.mean())
        p_values.append(stats.ttest_1samp(lost - won, 0.15, alternative="less").pvalue)
    found = alternative_annotator_test(humans, judge, epsilon=0.15, score=score)
    assert found.winning_rate.estimate == multipletests(p_values, 0.05, method="fdr_by")[0].mean()
    assert found.advantage_probability.estimate == pytest.approx(np.mean(advantages), abs=1e-12)


def test_the_advantage_has_its_interval_on_the_logit_scale_also_far_from_one() -> None:
    """By the delta method: logit p plus or minus t s / (p (1 - p)), with s the error of the mean over units."""
    found = alternative_annotator_test(*_study(1.0, n_units=80), epsilon=0.15).advantage_probability
    p, s, df = found.estimate, found.standard_error, found.df
    assert p
    assert s
    assert df
    reach = stats.t.ppf(0.975, df) * s / (p * (1 - p))
    ends = special.expit([special.logit(p) - reach, special.logit(p) + reach])
    assert found.interval
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(ends))
    assert p - found.interval.low > found.interval.high - p


def test_judge_matching_unanimous_raters_always_wins() -> None:
    humans = np.tile(np.arange(40.0) % 5, (3, 1))
    found = alternative_annotator_test(humans, humans[0], epsilon=0.1)
    assert (found.winning_rate.estimate, found.advantage_probability.estimate) == (1, 1)
    assert found.advantage_probability.interval_reason == "no_variation"
    assert [result.p_value for result in found.by_rater] == [0, 0, 0]
    none = alternative_annotator_test(humans, humans[0] + 1, epsilon=0.1)
    assert [result.p_value for result in none.by_rater] == [1, 1, 1]


@pytest.mark.parametrize(("n_raters", "n_units"), [(2, 60), (5, 20), (0, 0), (3, 0)])
def test_too_few_raters_or_units_have_no_test(n_raters: int, n_units: int) -> None:
    found = alternative_annotator_test(np.ones((n_raters, n_units)), np.ones(n_units), epsilon=0.1)
    assert found.winning_rate.reason == found.advantage_probability.reason == "no_pairable_units"
    assert len(found.by_rater) == n_raters


def test_the_units_to_pass_are_those_of_the_median_human() -> None:
    """Worked by hand: z(.95) + z(.8) = 2.48648; gaps of +1 and -1 in turn have mean 0 and standard deviation s."""
    even, far = np.tile([1.0, -1.0], 50), np.full(100, 1.0)
    n = np.ceil((2.4864749 * even.std(ddof=1) / 0.2) ** 2)
    assert units_to_pass(np.array([even, even, far]), 0.2).estimate == n == 157
    assert units_to_pass(np.array([even, far, far]), 0.2).reason == "no_variation"
    # A judge that is always as close needs no more than the least number of units.
    assert units_to_pass(np.zeros((3, 40)), 0.2).estimate == 30


def test_more_units_are_needed_where_less_advantage_is_granted() -> None:
    needed = [alternative_annotator_test(*_study(0.9), epsilon=epsilon).units_needed for epsilon in (0.2, 0.1)]
    found = [result.estimate for result in needed]
    assert found[0] is not None
    assert found[1] is None or found[1] >= found[0]
    assert needed[0].n_raters == 5
