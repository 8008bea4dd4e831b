"""What a covariate adds to a judge at equal ratings by people: statsmodels' two-stage least squares, and the truth."""

from typing import Any

import numpy as np
import pytest
from statsmodels.sandbox.regression.gmm import IV2SLS

from app.stats.arrays import Floats
from app.stats.linear.regression import slope
from app.stats.raters.equal_ratings import effect_at_equal_ratings
from app.stats.raters.profiles import mean_of_others

N_ITEMS, N_PEOPLE = 150, 6
UNIT = np.repeat(np.arange(N_ITEMS), N_PEOPLE)
RATER = np.tile(np.arange(N_PEOPLE), N_ITEMS)
WHERE: Any = {"unit": UNIT, "item": UNIT // 2, "rater": RATER}


def simulated(bias: float = 0.0) -> tuple[Floats, Floats, Floats]:
    """Judge, person and length per rating: longer is better, people err, the judge uses more of the scale."""
    rng = np.random.default_rng(7)
    quality = rng.normal(size=N_ITEMS)
    length = quality + rng.normal(0, 0.7, N_ITEMS)
    judge = 1.5 * quality + bias * length + rng.normal(0, 0.3, N_ITEMS)
    severity = np.linspace(-1, 1, N_PEOPLE)[RATER]
    return judge[UNIT], quality[UNIT] + severity + rng.normal(size=len(UNIT)), length[UNIT]


@pytest.mark.parametrize("bias", [0.0, 0.5])
def test_what_length_adds_is_found_and_quality_is_not_taken_for_it(bias: float) -> None:
    judge, person, length = simulated(bias)
    found = effect_at_equal_ratings(judge, person, length, **WHERE)
    assert found.interval is not None
    assert found.interval.low < bias < found.interval.high
    assert (found.interval.low > 0) == (bias > 0)
    plain = slope(judge - person, length, item=WHERE["item"], rater=RATER)
    assert plain.interval is not None
    assert plain.interval.low > bias


def test_the_estimate_is_that_of_two_stage_least_squares() -> None:
    judge, person, length = simulated(0.5)
    judge = np.where(UNIT == 3, np.nan, judge)
    kept = UNIT != 3
    means = np.array([person[kept & (k == RATER)].mean() for k in range(N_PEOPLE)])
    centred = (person - means[RATER])[kept]
    one = np.ones(kept.sum())
    others = mean_of_others(centred, UNIT[kept])
    fit = IV2SLS(
        judge[kept], np.column_stack([one, length[kept], centred]), np.column_stack([one, length[kept], others])
    ).fit()
    found = effect_at_equal_ratings(judge, person, length, **WHERE)
    assert found.estimate == pytest.approx(fit.params[1])
    assert found.n_ratings == kept.sum()


def test_choices_are_compared_where_people_are_split() -> None:
    """People are unanimous on each pair: the line from the judge's share of their losers to that of their winners."""
    person: Any = (UNIT % 3 > 0) * 1.0
    judge: Any = np.where(person == 1, (UNIT % 30 != 1) * 1.0, (UNIT % 2) * 1.0)
    shares = [judge[person == side].mean() for side in (0, 1)]
    found = effect_at_equal_ratings(judge, person, None, **WHERE)
    assert found.estimate == pytest.approx(sum(shares) / 2 - 0.5)


def test_reasons() -> None:
    judge, person, length = simulated()
    noise: Any = np.random.default_rng(1).normal(size=len(UNIT))
    alone = RATER == 0
    single: Any = {name: of[alone] for name, of in WHERE.items()}
    assert effect_at_equal_ratings(judge[alone], person[alone], None, **single).reason == "no_pairable_units"
    assert effect_at_equal_ratings(judge[:0], person[:0], None, unit=UNIT[:0], item=UNIT[:0], rater=UNIT[:0]).reason
    assert effect_at_equal_ratings(judge, person, np.ones(len(UNIT)), **WHERE).reason == "singular"
    nothing: Any
    for nothing in (noise, np.ones(len(UNIT))):
        assert "agree too little" in effect_at_equal_ratings(judge, nothing, length, **WHERE).note
    one_item: Any = {**WHERE, "item": np.zeros(len(UNIT))}
    assert effect_at_equal_ratings(judge, person, length, **one_item).reason == "singular"
