from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.comparison.describe import mean_difference
from app.stats.factors import interaction

if TYPE_CHECKING:
    from tests.stats.conftest import Oracle, RandomRatings, Where


def test_split_items_with_own_raters_match_unpaired_test() -> None:
    """By hand: one difference per item; groups of equal size, so that Welch's and Student's errors are equal."""
    rng = np.random.default_rng(5)
    means = rng.normal(size=(20, 2))
    item = np.repeat(np.arange(20), 2)
    treated, member = np.tile([True, False], 20), item < 10
    result = interaction(means.ravel(), treated, member, item=item, rater=item)
    gaps = means[:, 0] - means[:, 1]
    known = stats.ttest_ind(gaps[:10], gaps[10:], equal_var=False)
    assert result.estimate == pytest.approx(gaps[:10].mean() - gaps[10:].mean())
    error = np.sqrt(gaps[:10].var(ddof=1) / 10 + gaps[10:].var(ddof=1) / 10)
    assert (result.standard_error, result.df) == pytest.approx((error, 18))
    assert result.estimate / error == pytest.approx(known.statistic)


def test_interactions_of_ham_give_the_f_of_lmertest(oracle: Oracle) -> None:
    """Liking ~ product x information: 81 consumers, four products, each with and without information.

    The interactions of all pairs of products have the sum of squares of the F test, here over the residual variance of
    lme4's mixed model: 81 / 2 x the sum of (d - mean d)^2 over products, which is that over pairs / 4.
    """
    known = oracle("lmm_ham_satterthwaite")
    rater, product, told, value = (np.array(column) for column in zip(*known["input"]["rows"], strict=True))
    squares = []
    for pair in combinations("1234", 2):
        here = np.isin(product, pair)
        where: Where = {"item": product[here], "rater": rater[here]}
        found = interaction(value[here].astype(float), told[here] == "1", product[here] == pair[0], **where)
        assert found.estimate is not None
        squares.append(found.estimate**2)
    f = 81 / 2 * sum(squares) / 4 / 3 / known["expected"]["var"]["Residual"]
    assert f == pytest.approx(known["expected"]["F_Product_x_Information"], abs=1e-5)


@pytest.mark.parametrize("missing", [0, 1, 2, 3])
def test_empty_cell_leaves_interaction_undefined(missing: int) -> None:
    cell = np.repeat([k for k in range(4) if k != missing], 4)
    where: Where = {"item": np.tile([0, 0, 1, 1], 3), "rater": np.tile([0, 1, 0, 1], 3)}
    result = interaction(np.arange(12.0), cell % 2 == 0, cell < 2, **where)
    assert result.reason == "no_pairable_units"


def test_cell_with_one_rater_has_no_interval() -> None:
    cell, rater = np.repeat(np.arange(4), 4), np.tile([0, 1, 0, 1], 4)
    rater[:4] = 0
    result = interaction(np.arange(16.0), cell % 2 == 0, cell < 2, item=np.tile([0, 0, 1, 1], 4), rater=rater)
    assert (result.estimate, result.interval_reason) == (0, "one_cluster")


@given(data=st.data(), seed=st.integers(0, 99))
def test_interaction_is_difference_of_differences(
    random_ratings: RandomRatings, data: st.DataObject, seed: int
) -> None:
    r = data.draw(random_ratings)
    member = np.random.default_rng(seed).random(len(r.value)) < 0.5
    result = interaction(r.value, r.is_treated, member, **r.clusters)
    inside, outside = (
        mean_difference(r.value[m], r.is_treated[m], item=r.item[m], rater=r.rater[m]).estimate
        for m in (member, ~member)
    )
    if inside is None or outside is None:
        assert result.reason == "no_pairable_units"
    else:
        assert result.estimate == pytest.approx(inside - outside, abs=1e-9 * max(1, abs(inside)))
