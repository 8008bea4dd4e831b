from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.comparison.describe import mean_difference
from app.stats.factors import interaction
from tests.kit.oracles import Oracle
from tests.stats.conftest import RandomRatings, Where


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


# Milliseconds of ten subjects at angles of 0, 4 and 8 degrees without, then with noise (Maxwell and Delaney 2004,
# Designing experiments, table 12.1), as in the data `md_12.1` of R's afex.
MAXWELL = (
    *((420, 420, 480, 480, 600, 780), (420, 480, 480, 360, 480, 600), (480, 480, 540, 660, 780, 780)),
    *((420, 540, 540, 480, 780, 900), (540, 660, 540, 480, 660, 720), (360, 420, 360, 360, 480, 540)),
    *((480, 480, 600, 540, 720, 840), (480, 600, 660, 540, 720, 900), (540, 600, 540, 480, 720, 780)),
    (480, 420, 540, 540, 660, 780),
)


def test_contrasts_of_a_factorial_are_those_that_emmeans_prints() -> None:
    """Printed by its author in rvlenth/emmeans#146 (effects of noise) and by afex (F 45.31, mean square 1160, df 18).

    That mean square pools the three interactions of two angles with noise: their mean squared error is 4 / 10 of it.
    """
    times = np.array(MAXWELL, dtype=np.float64)
    subject, angle, noise = (axis.ravel() for axis in np.indices((10, 3, 2)))
    value = times.reshape(10, 2, 3).transpose(0, 2, 1).ravel()
    simple, errors, found = [], [], []
    for one in range(3):
        here = angle == one
        simple.append(mean_difference(value[here], noise[here] == 0, item=subject[here], rater=subject[here]).estimate)
    for one, other in combinations(range(3), 2):
        here = (angle == one) | (angle == other)
        who: Where = {"item": subject[here], "rater": subject[here]}
        contrast = interaction(value[here], noise[here] == 0, angle[here] == one, **who)
        assert contrast.estimate == pytest.approx((simple[one] or 0.0) - (simple[other] or 0.0))
        assert contrast.df == 9
        found.append(contrast.estimate or 0.0)
        errors.append(contrast.standard_error or 0.0)
    assert simple == pytest.approx([-30, -150, -234])
    assert found == pytest.approx([120, 204, 84])
    assert np.mean(np.square(errors)) == pytest.approx(4 / 10 * 1160)
    assert 10 / 2 * np.sum(np.square(found)) / 3 / 2 / 1160 == pytest.approx(45.31, abs=0.005)


def test_paired_contrasts_are_those_of_the_multivariate_model_that_emmeans_prints() -> None:
    """Angles averaged over noise: -108 (17.4), -168 (20.6), -60 (18.4) with 9 degrees of freedom."""
    times = np.array(MAXWELL, dtype=np.float64).reshape(10, 2, 3)
    subject, angle = (axis.ravel() for axis in np.indices((10, 3)))
    value, printed = times.mean(axis=1).ravel(), {(0, 1): (-108, 17.4), (0, 2): (-168, 20.6), (1, 2): (-60, 18.4)}
    for (one, other), (estimate, error) in printed.items():
        here = (angle == one) | (angle == other)
        found = mean_difference(value[here], angle[here] == one, item=subject[here], rater=subject[here])
        assert (found.estimate, found.df) == pytest.approx((estimate, 9))
        assert found.standard_error == pytest.approx(error, abs=0.05)


# Noise of a car in units of .1 dB by size (small, medium, large), filter (standard, Octel) and side of the car, three
# times each: `auto.noise` of R's emmeans.
NOISE = (
    *((835, 835, 835, 820, 820, 810), (825, 825, 825, 820, 820, 820), (845, 850, 855, 840, 840, 845)),
    *((825, 825, 815, 820, 820, 825), (760, 770, 760, 785, 790, 785), (770, 765, 760, 775, 775, 775)),
)


def test_interactions_of_independent_ratings_are_those_in_the_vignette_of_emmeans() -> None:
    """`interactions.Rmd`: Octel minus Std, linear in size -0.167 (.312), quadratic 4.000 (.540), 24 degrees of freedom.

    The least-squares fit pools the variance within all twelve cells, as done here with our estimates.
    """
    noise = np.array(NOISE, dtype=np.float64).reshape(3, 2, 6) / 10
    size, kind, _ = (axis.ravel() for axis in np.indices(noise.shape))
    each = np.arange(noise.size)

    def gap(one: int, other: int) -> float:
        here = (size == one) | (size == other)
        who: Where = {"item": each[here], "rater": each[here]}
        return interaction(noise.ravel()[here], size[here] == one, kind[here] == 1, **who).estimate or 0.0

    linear, quadratic = gap(2, 0), gap(2, 1) - gap(1, 0)
    within = noise.reshape(3, 2, 2, 3).var(axis=3, ddof=1).mean()
    for contrast, squares, estimate, error, t, p in (
        (linear, 2 * 2, -0.167, 0.312, -0.535, 0.5979),
        (quadratic, 6 * 2, 4.000, 0.540, 7.407, 1.2e-7),
    ):
        of_cells = np.sqrt(within * squares / 6)
        assert (contrast, of_cells, contrast / of_cells) == pytest.approx((estimate, error, t), abs=5e-4)
        assert 2 * stats.t.sf(abs(contrast / of_cells), 24) == pytest.approx(p, rel=0.1, abs=5e-5)


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
