import numpy as np
import pytest
from scipy import stats

from app.stats.factors import attribute_effect

ITEM, RATER, SOURCE = (axis.ravel() for axis in np.indices((10, 6, 10)))
HAS = SOURCE < 5


def test_between_source_effect_matches_t_test_of_source_means() -> None:
    """Student's test of five source means against five; items and raters contribute no variance."""
    mean = np.array([4.0, 5.5, 6.1, 4.7, 5.2, 3.0, 3.9, 3.3, 4.1, 3.6])
    noise = 1e-6 * np.random.default_rng(1).normal(size=600)
    found = attribute_effect(mean[SOURCE] + noise, HAS, SOURCE, item=ITEM, rater=RATER)
    known = stats.ttest_ind(mean[:5], mean[5:])
    assert found.estimate == pytest.approx(mean[:5].mean() - mean[5:].mean(), rel=1e-5)
    assert found.df == pytest.approx(known.df, rel=1e-3)
    assert found.p_value == pytest.approx(known.pvalue, rel=1e-3)


def test_sources_weigh_equally_regardless_of_rating_count() -> None:
    rng = np.random.default_rng(2)
    value = SOURCE + 0.1 * rng.normal(size=600)
    kept = (SOURCE != 0) | (ITEM < 2)
    found = attribute_effect(value[kept], HAS[kept], SOURCE[kept], item=ITEM[kept], rater=RATER[kept])
    assert found.estimate == pytest.approx(2 - 7, abs=0.1)


def test_few_sources_limit_inference_to_these_sources() -> None:
    rng = np.random.default_rng(3)
    few = SOURCE > 0
    value = rng.normal(size=600)
    found = attribute_effect(value[few], HAS[few], SOURCE[few], item=ITEM[few], rater=RATER[few])
    assert found.note.startswith("For these 9 sources only.")
    assert found.interval
    assert str(found.interval.method) == "two_way_cr2_t"


@pytest.mark.parametrize("n_human", [1, 2, 4])
def test_few_human_sources_are_not_taken_as_random(n_human: int) -> None:
    """Two human sources far apart on a scale from 1 to 10 gave an interval of -9 to 14."""
    rng = np.random.default_rng(4)
    value = np.clip(np.where(SOURCE == 0, 2.0, 7.0) + rng.normal(size=600), 1, 10)
    found = attribute_effect(value, n_human > SOURCE, SOURCE, item=ITEM, rater=RATER)
    assert found.note.startswith("For these 10 sources only.")
    assert found.interval
    assert found.interval.high - found.interval.low < 2


def test_equal_source_means_leave_item_and_rater_variance() -> None:
    rng = np.random.default_rng(5)
    by_rater = rng.normal(size=6)
    value = by_rater[RATER] * HAS
    found = attribute_effect(value, HAS, SOURCE, item=ITEM, rater=RATER)
    assert found.standard_error == pytest.approx(by_rater.std(ddof=1) / 6**0.5, rel=1e-6)


@pytest.mark.parametrize("has", [SOURCE > 9, SOURCE < 10])
def test_attribute_shared_by_all_sources_has_no_effect(has: np.ndarray) -> None:
    found = attribute_effect(ITEM * 1.0, has, SOURCE, item=ITEM, rater=RATER)
    assert found.reason == "no_pairable_units"


def test_attribute_without_residual_variance_has_no_interval() -> None:
    found = attribute_effect(HAS * 1.0, HAS, SOURCE, item=ITEM, rater=RATER)
    assert found.interval_reason == "no_variation"


def _means_of(value: np.ndarray, *of: np.ndarray) -> np.ndarray:
    """Return the mean of each value's cell, a combination of the codes `of`, shape (n,)."""
    code = np.unique(np.column_stack(of), axis=0, return_inverse=True)[1].ravel()
    return np.asarray((np.bincount(code, value) / np.bincount(code))[code])


def test_standard_error_is_that_of_the_mean_squares_of_a_balanced_design() -> None:
    """Sources in sides, crossed with items and raters: the quasi-F of the analysis of variance (Winer 1971)."""
    rng = np.random.default_rng(6)
    item, rater, source = (axis.ravel() for axis in np.indices((40, 12, 12)))
    has = source < 6
    side = has.astype(int)
    value = rng.normal(0, 3, (40, 12))[item, rater] + rng.normal(0, 0.5, 12)[source] + rng.normal(size=len(item))
    value += rng.normal(0, 0.5, (40, 12))[item, source] + rng.normal(0, 0.5, (12, 12))[rater, source]
    value += rng.normal(0, 0.5, (40, 2))[item, side] + rng.normal(0, 0.5, (12, 2))[rater, side]

    def square(deviation: np.ndarray, df: float) -> float:
        return float(deviation @ deviation) / df

    def of_side(*of: np.ndarray) -> np.ndarray:
        """Return the interaction of the factors `of` with the side."""
        cells, means, sides = _means_of(value, side, *of), _means_of(value, *of), _means_of(value, side)
        return np.asarray(cells - means - sides + value.mean())

    def of_source(*of: np.ndarray) -> np.ndarray:
        """Return the interaction of the factors `of` with the sources of a side."""
        return np.asarray(_means_of(value, source, *of) - _means_of(value, side, *of))

    between = square(of_source(), 10)
    with_item = square(of_source(item) - of_source(), 10 * 39)
    with_rater = square(of_source(rater) - of_source(), 10 * 11)
    rest = square(of_source(item, rater) - of_source(item) - of_source(rater) + of_source(), 10 * 39 * 11)
    by_item, by_rater = square(of_side(item), 39), square(of_side(rater), 11)
    three_way = square(of_side(item, rater) - of_side(item) - of_side(rater), 39 * 11)
    known = (between - with_item - with_rater + rest + by_item + by_rater - three_way) * 4 / len(value)
    found = attribute_effect(value, has, source, item=item, rater=rater)
    assert found.standard_error == pytest.approx(known**0.5, rel=0.02)


def test_what_all_sources_share_does_not_change_the_interval() -> None:
    """How high raters rate, and how good items are, cancels between sources that all of them have."""
    rng = np.random.default_rng(7)
    value = rng.normal(size=10)[SOURCE] + rng.normal(size=(6, 2))[RATER, HAS.astype(int)] + rng.normal(size=600)
    shared = 9 * rng.normal(size=10)[ITEM] + 9 * rng.normal(size=6)[RATER]
    plain, moved = (attribute_effect(one, HAS, SOURCE, item=ITEM, rater=RATER) for one in (value, value + shared))
    assert moved.standard_error == pytest.approx(plain.standard_error)
    assert moved.df == pytest.approx(plain.df)


def test_what_all_sources_share_hardly_changes_the_interval_of_a_few_ratings() -> None:
    """Where raters see a few responses each, the means of items, raters and sources are taken out by turns."""
    rng = np.random.default_rng(8)
    kept = rng.random(600) < 0.25
    value = rng.normal(0, 2, 10)[SOURCE] + rng.normal(size=600)
    where = {"item": ITEM[kept], "rater": RATER[kept]}
    found = attribute_effect(value[kept], HAS[kept], SOURCE[kept], **where)
    means = np.array([value[kept & (one == SOURCE)].mean() for one in range(10)])
    between = means[:5].var(ddof=1) / 5 + means[5:].var(ddof=1) / 5
    assert between**0.5 <= (found.standard_error or 0) < 1.1 * between**0.5
