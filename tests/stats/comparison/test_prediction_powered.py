"""Prediction-powered estimates against ppi-python 0.2.3, the formula of pseudo-outcomes, and what people alone give."""

import numpy as np
import pytest

from app.stats.arrays import Floats, Ints
from app.stats.comparison.prediction_powered import (
    ALL_RATED,
    FOLDS,
    NO_WEIGHT,
    Powered,
    correlation_over_items,
    percent_powered,
    prediction_powered,
    stacked,
)

N, N_MORE = 60, 140
EXACT = 1e-6
Z = 1.959963984540054
# ppi_mean_pointestimate and ppi_mean_ci(alpha=.05) of `wave`: estimate, low, high, of the mean and of the difference
# to nine tenths of another wave
ORACLE = {
    0: ((3.991802358, 3.792500954, 4.191103761), (0.369573064, 0.169280259, 0.56986587)),
    1: ((4.026634821, 3.82928794, 4.223981702), (0.416256473, 0.214297732, 0.618215213)),
    2: ((4.010089961, 3.804726317, 4.215453605), (0.411208393, 0.203240679, 0.619176106)),
    3: ((4.002856726, 3.800759755, 4.204953696), (0.381137371, 0.180367892, 0.58190685)),
    4: ((4.018825454, 3.81805304, 4.219597868), (0.409515827, 0.246497614, 0.572534039)),
}


def wave(seed: int) -> tuple[Floats, Floats]:
    """Return what people would say about 200 units, and what a judge says that goes along with them."""
    k = np.arange(N + N_MORE, dtype=np.float64)
    quality = np.sin(1.7 * k + seed) + np.cos(0.37 * k * (seed + 1))
    return 4 + quality + 0.6 * np.sin(5.1 * k + 2 * seed), 2 + 0.8 * quality + 0.5 * np.cos(7.3 * k)


def powered(people: Floats, judge: Floats, **options: object) -> Powered:
    """Return the mean of 200 units, of which the first 60 are rated, each by a rater of its own."""
    rated, item = np.arange(N), np.arange(np.shape(judge)[-1])
    return prediction_powered(people[:N], unit=rated, rater=rated, judge=judge, item=item, **options)  # type: ignore[arg-type]


def matches(found: Powered, people: Floats, judge: Floats, oracle: tuple[float, float, float]) -> None:
    """Compare with ppi-python: its variance divides by n, that of clusters by n - 1."""
    weight = found.judge_weight * N_MORE / (N + N_MORE)
    parts = weight**2 * judge[N:].var() / N_MORE, (people[:N] - weight * judge[:N]).var() / N
    assert Z * sum(parts) ** 0.5 == pytest.approx((oracle[2] - oracle[1]) / 2, abs=EXACT)
    corrected = parts[0] * N_MORE / (N_MORE - 1) + parts[1] * N / (N - 1)
    assert found.combined.standard_error == pytest.approx(corrected**0.5, abs=EXACT)
    assert found.combined.estimate == pytest.approx(oracle[0], abs=EXACT)


def slope(people: Floats, judge: Floats) -> float:
    return float(np.cov(people[:N], judge[:N], ddof=0)[0, 1] / judge.var(ddof=1))


@pytest.mark.parametrize("seed", ORACLE)
def test_mean_is_that_of_ppi_python(seed: int) -> None:
    people, judge = wave(seed)
    matches(powered(people, judge, judge_weight=slope(people, judge)), people, judge, ORACLE[seed][0])


@pytest.mark.parametrize("seed", ORACLE)
def test_paired_difference_is_that_of_ppi_python(seed: int) -> None:
    (people, judge), (others, judged) = wave(seed), (0.9 * one for one in wave(seed + 7))
    weight = slope(people - others, judge - judged)
    found = prediction_powered(
        np.column_stack([people, others])[:N].ravel(),
        unit=np.arange(2 * N),
        rater=np.repeat(np.arange(N), 2),
        judge=np.column_stack([judge, judged]).ravel(),
        item=np.repeat(np.arange(len(judge)), 2),
        sign=np.tile([1.0, -1.0], len(judge)),
        judge_weight=weight,
    )
    matches(found, people - others, judge - judged, ORACLE[seed][1])


def test_weight_is_the_slope_shrunk_by_how_well_it_is_known() -> None:
    people, judge = wave(0)
    r = np.corrcoef(people[:N], judge[:N])[0, 1]
    shrunk = 1 - (1 - r**2) / (r**2 * (N - 2))
    assert powered(people, judge).judge_weight == pytest.approx(slope(people, judge) * shrunk)


def test_unequal_chances_give_the_mean_of_the_pseudo_outcomes() -> None:
    people, judge = wave(1)
    chance = np.where(np.arange(N + N_MORE) % 3 == 0, 0.6, 0.15)
    found = powered(people, judge, chance=chance)
    inverse = 1 / chance[:N]
    centre = inverse @ (people[:N] - found.judge_weight * judge[:N]) / inverse.sum()
    predicted = centre + found.judge_weight * judge
    outcome = predicted.copy()
    outcome[:N] += len(judge) / inverse.sum() * inverse * (people[:N] - predicted[:N])
    assert found.combined.estimate == pytest.approx(outcome.mean(), abs=1e-12)


def test_judge_that_is_wrong_by_a_constant_and_a_factor_changes_nothing() -> None:
    people, judge = wave(2)
    true, turned = powered(people, judge), powered(people, 100 - 3 * judge)
    assert turned.combined.estimate == pytest.approx(true.combined.estimate)
    assert turned.combined.standard_error == pytest.approx(true.combined.standard_error)
    assert turned.judge_weight == pytest.approx(-true.judge_weight / 3)


def test_ratings_of_a_unit_by_several_raters_vary_between_raters() -> None:
    """With a constant judge: the two-way variance of the mean of a complete table of items and raters."""
    rng = np.random.default_rng(3)
    table = rng.normal(size=(6, 1)) + 0.5 * rng.normal(size=5) + rng.normal(size=(6, 5))
    unit, rater = (code.ravel() for code in np.indices(table.shape))
    judge = np.full(9, 3.0)
    found = prediction_powered(table.ravel(), unit=unit, rater=rater, judge=judge, item=np.arange(9))
    by_item, by_rater = table.mean(axis=1).var(ddof=1) / 6, table.mean(axis=0).var(ddof=1) / 5
    by_cell = table.var(ddof=1) / 30
    whole = max(by_item + by_rater - by_cell, by_item, by_rater)
    assert found.people.standard_error == pytest.approx(whole**0.5)
    # as the quasi-F test of crossed random effects
    df = whole**2 / (by_item**2 / 5 + by_rater**2 / 4 + by_cell**2 / 29)
    assert df > 4
    assert found.people.df == pytest.approx(df)
    assert found.combined.estimate == found.people.estimate == pytest.approx(table.mean())
    assert (found.judge_weight, found.combined.df, found.combined.note) == (0.0, found.people.df, NO_WEIGHT)
    assert found.effective_n.estimate == 30


def test_a_useful_judge_is_worth_human_ratings() -> None:
    people, judge = wave(4)
    found = powered(people, judge, null=4.0)
    worth = found.effective_n
    assert found.people.standard_error is not None
    assert found.combined.standard_error is not None
    assert worth.interval is not None
    assert worth.estimate is not None
    ratio = (found.people.standard_error / found.combined.standard_error) ** 2
    assert worth.estimate == pytest.approx(N * ratio)
    assert N < worth.interval.low < worth.estimate < worth.interval.high
    assert found.combined.p_value is not None


def test_judge_that_repeats_people_exactly_has_no_interval_of_its_worth() -> None:
    people, _ = wave(4)
    found = powered(people, people)
    assert found.effective_n.interval_reason == "no_variation"
    assert found.combined.estimate == pytest.approx(people.mean(), abs=0.01)


def test_a_unit_without_a_value_of_the_judge_counts_as_its_mean() -> None:
    people, judge = wave(3)
    gone = judge.copy()
    gone[::3] = np.nan
    filled = np.where(np.isnan(gone), np.nanmean(gone), gone)
    assert powered(people, gone).combined == powered(people, filled).combined
    gone[:N] = np.nan
    for nothing in (gone, np.full(N + N_MORE, np.nan)):
        alone = powered(people, nothing)
        assert alone.judge_weight == 0
        assert alone.combined.estimate == alone.people.estimate == pytest.approx(people[:N].mean())


def test_people_who_rated_everything_or_almost_nothing_are_not_helped() -> None:
    people, judge = wave(0)
    everything = powered(people[:N], judge[:N])
    assert (everything.judge_weight, everything.combined.note) == (0.0, ALL_RATED)
    three = np.arange(3)
    assert prediction_powered(people[:3], unit=three, rater=three, judge=judge, item=np.arange(200)).judge_weight == 0


def test_one_rater_gives_estimates_without_intervals() -> None:
    people, judge = wave(0)
    found = prediction_powered(
        people[:N], unit=np.arange(N), rater=np.zeros(N), judge=judge, item=np.arange(N + N_MORE)
    )
    assert found.combined.interval_reason == found.people.interval_reason == "one_cluster"
    assert found.effective_n.reason == "one_cluster"
    assert found.combined.estimate is not None


def test_ratings_that_are_all_the_same_have_no_interval() -> None:
    _, judge = wave(0)
    assert powered(np.full(N, 3.0), judge).combined.interval_reason == "no_variation"


def test_a_source_that_nobody_rated_has_no_difference() -> None:
    people, judge = wave(0)
    sign = np.where(np.arange(N + N_MORE) < N, 1.0, -1.0)
    found = powered(people, judge, sign=sign)
    assert {one.reason for one in (found.combined, found.people, found.effective_n)} == {"no_pairable_units"}


@pytest.mark.parametrize("wrong", [0.0, 1.5, np.nan])
def test_impossible_chances_are_refused(wrong: float) -> None:
    people, judge = wave(0)
    with pytest.raises(ValueError, match="above 0 and at most 1, found"):
        powered(people, judge, chance=np.full(N + N_MORE, wrong))


def test_stacked_value_is_that_of_a_ridge_regression_on_the_other_items() -> None:
    """The last fold by the normal equations, with an intercept for each side and the penalty written out."""
    people, judge = wave(0)
    other = np.cos(2.3 * np.arange(len(people)))
    item = np.repeat(np.arange(100), 2)
    side, is_rated = np.tile([1.0, -1.0], 100), np.arange(200) < N
    judges = np.array([judge, other])
    found = stacked(people, is_rated, judges, item, side)
    last = item % FOLDS == FOLDS - 1
    learns = is_rated & ~last
    z = (judges - judges.mean(axis=1, keepdims=True)) / judges.std(axis=1, keepdims=True)
    x = np.column_stack([side > 0, side < 0, *z]).astype(float)
    b = np.linalg.lstsq(x[learns], people[learns], rcond=None)[0]
    noise = ((people[learns] - x[learns] @ b) ** 2).sum() / (learns.sum() - 4)
    penalty = np.diag([0, 0, 1, 1]) * 2 * noise / (b[2:] @ b[2:])
    ridge = np.linalg.solve(x[learns].T @ x[learns] + penalty, x[learns].T @ people[learns])
    assert found[last] == pytest.approx(x[last] @ ridge)


def test_no_stacked_value_depends_on_ratings_of_its_own_item() -> None:
    people, judge = wave(1)
    item, side = np.arange(len(people)), np.ones(len(people))
    judges = np.array([judge, judge[::-1]])
    changed = people.copy()
    changed[7] += 100
    before, after = (stacked(one, np.arange(200) < N, judges, item, side) for one in (people, changed))
    is_same = item % FOLDS == 7 % FOLDS
    assert (before[is_same] == after[is_same]).all()
    assert (before[~is_same] != after[~is_same]).all()


def test_too_few_items_to_stack_give_the_mean_and_judges_without_variation_no_slope() -> None:
    people, judge = wave(2)
    item, side = np.arange(len(people)), np.ones(len(people))
    judges = np.array([judge, 2 * judge])
    assert stacked(people, item < 5, judges, item, side) == pytest.approx(judges.mean(axis=0))
    flat = stacked(people, item < N, np.ones((2, len(people))), item, side)
    here = item % FOLDS == 0
    assert flat[here] == pytest.approx(people[(item < N) & ~here].mean())


def test_judges_that_err_independently_narrow_the_interval_more_than_each() -> None:
    people, _ = wave(3)
    judges = people + np.random.default_rng(1).normal(0, 1.5, (3, len(people)))
    together = powered(people, judges).combined.standard_error
    alone = [powered(people, judge).combined.standard_error or 0.0 for judge in judges]
    assert together is not None
    assert together < 0.95 * min(alone)


def test_correlation_over_items_is_that_of_their_means_and_zero_without_items() -> None:
    people, judge = wave(2)
    r, n_items, saves = correlation_over_items(people[:N], unit=np.arange(N), judge=judge, item=np.arange(len(judge)))
    assert r == pytest.approx(np.corrcoef(people[:N], judge[:N])[0, 1])
    assert (n_items, saves) == (N, True)
    every = correlation_over_items(people, unit=np.arange(len(judge)), judge=judge, item=np.arange(len(judge)))
    assert every[0] == pytest.approx(np.corrcoef(people, judge)[0, 1])
    nothing = np.zeros(0, dtype=np.int64)
    assert correlation_over_items(people[:0], unit=nothing, judge=judge, item=np.arange(len(judge))) == (0.0, 0, False)
    sign = np.tile([1.0, -1.0], len(judge) // 2)
    half = np.arange(0, N, 2)
    alone = correlation_over_items(people[half], unit=half, judge=judge, item=np.arange(len(judge)) // 2, sign=sign)
    assert alone == (0.0, 0, False)


def pairs(seed: int) -> tuple[dict[str, Floats | Ints], Floats, Floats]:
    """Return people's ratings of the first 60 of 200 pairs, and all values of people and judge."""
    (people, judge), (others, judged) = wave(seed), (0.9 * one for one in wave(seed + 7))
    every, said = np.column_stack([people, others]).ravel(), np.column_stack([judge, judged]).ravel()
    sample: dict[str, Floats | Ints] = {
        "value": every[: 2 * N],
        "unit": np.arange(2 * N),
        "rater": np.repeat(np.arange(N), 2),
        "judge": said,
        "item": np.repeat(np.arange(len(judge)), 2),
        "sign": np.tile([1.0, -1.0], len(judge)),
    }
    return sample, every, said


def test_percentage_is_that_of_the_two_means_and_its_interval_that_of_the_log() -> None:
    """Against the two means of the same weight, of which the log ratio differs in the second order only."""
    sample, every, said = pairs(1)
    found = percent_powered(**sample)  # type: ignore[arg-type]
    one, other = (
        prediction_powered(
            every[: 2 * N][side::2],
            unit=np.arange(N),
            rater=np.arange(N),
            judge=said[side::2],
            item=np.arange(N + N_MORE),
            judge_weight=found.judge_weight,
        ).combined.estimate
        or 0.0
        for side in (0, 1)
    )
    assert found.combined.estimate == pytest.approx(100 * (one / other - 1), abs=0.05)
    assert found.people.estimate == pytest.approx(100 * (every[: 2 * N : 2].mean() / every[1 : 2 * N : 2].mean() - 1))
    assert found.combined.interval is not None
    assert found.people.interval is not None
    assert found.combined.standard_error is not None
    assert found.people.standard_error is not None
    assert found.combined.standard_error < 0.9 * found.people.standard_error
    low, high = (np.log1p(end / 100) for end in (found.combined.interval.low, found.combined.interval.high))
    assert (low + high) / 2 == pytest.approx(np.log1p((found.combined.estimate or 0.0) / 100))


def test_percentage_with_known_chances_is_that_of_the_weighted_means() -> None:
    sample, every, _ = pairs(2)
    chance = np.repeat(np.where(np.arange(N + N_MORE) % 3 == 0, 0.6, 0.15), 2)
    found = percent_powered(**sample, chance=chance)  # type: ignore[arg-type]
    one, other = (np.average(every[: 2 * N][k::2], weights=1 / chance[: 2 * N][k::2]) for k in (0, 1))
    assert found.people.estimate == pytest.approx(100 * (one / other - 1))


def test_percentage_needs_means_above_zero() -> None:
    sample, _, _ = pairs(1)
    below = percent_powered(**{**sample, "value": sample["value"] - 5})  # type: ignore[arg-type]
    assert below.combined.reason == "singular"
    nobody = {**sample, "value": np.zeros(0), "unit": np.zeros(0, dtype=int), "rater": np.zeros(0)}
    assert percent_powered(**nobody).combined.reason == "no_pairable_units"  # type: ignore[arg-type]


def test_raters_of_one_side_only_vary_within_their_side() -> None:
    """Three raters of each level, all items: the two-way variance with that of raters by Welch, and 4 df."""
    rng = np.random.default_rng(6)
    habit = rng.normal(0, 1, 6)
    table = rng.normal(size=(30, 1)) + habit + 0.1 * rng.normal(size=(30, 6))
    item, rater = (code.ravel() for code in np.indices(table.shape))
    sign, place = np.tile([-1.0, 1.0], 30), np.repeat(np.arange(30), 2)
    found = prediction_powered(
        table.ravel(), unit=2 * item + rater % 2, rater=rater, judge=np.zeros(60), item=place, sign=sign
    )
    means = table.mean(axis=0)
    expected = (means[::2].var(ddof=1) / 3 + means[1::2].var(ddof=1) / 3) ** 0.5
    assert found.people.estimate == pytest.approx(means[1::2].mean() - means[::2].mean())
    assert found.people.standard_error == pytest.approx(expected, rel=0.01)
    assert found.people.df == 4
    alone = rater < 3
    few = prediction_powered(
        table.ravel()[alone],
        unit=(2 * item + rater % 2)[alone],
        rater=rater[alone],
        judge=np.zeros(60),
        item=place,
        sign=sign,
    )
    assert few.people.interval_reason == "one_cluster"
