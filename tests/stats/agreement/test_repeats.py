"""Intra-rater agreement: matching of repeats, kappa between the two occasions, interval over raters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.agreement import cohen_kappa, intra_rater_agreement
from app.stats.ratings import Ratings


def ratings(rows: list[tuple[int, int, float]]) -> Ratings:
    unit, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    return Ratings(unit, rater, value.astype(np.float64))


def two_rounds(n_raters: int) -> tuple[Ratings, Ratings]:
    rng = np.random.default_rng(12)
    value = rng.integers(1, 6, (n_raters, 15)).astype(np.float64)
    again = np.clip(value + rng.integers(-1, 2, value.shape), 1, 5)
    rater, unit = (index.ravel() for index in np.indices(value.shape))
    return Ratings(unit, rater, value.ravel()), Ratings(unit[::-1], rater[::-1], again.ravel()[::-1])


def test_repeat_is_matched_to_first_rating_of_unit_and_rater() -> None:
    first = ratings([(0, 0, 1), (0, 1, 4), (1, 0, 2), (1, 1, 5)])
    again = ratings([(1, 0, 2), (0, 1, 3), (7, 0, 1)])
    whole, *each = intra_rater_agreement(first, again)
    assert (whole.percent.estimate, whole.within_one.estimate, whole.percent.n_ratings) == (0.5, 1.0, 4)
    assert [(one.rater, one.percent.estimate) for one in each] == [(0, 1.0), (1, 0.0)]


def test_intra_rater_kappa_is_cohen_kappa_of_both_occasions() -> None:
    first, again = two_rounds(4)
    whole, *each = intra_rater_agreement(first, again, weights="linear")
    order = np.lexsort((again.unit, again.rater))
    occasions = Ratings(
        np.tile(np.arange(60), 2), np.repeat([0, 1], 60), np.concatenate([first.value, again.value[order]])
    )
    assert whole.kappa.estimate == pytest.approx(cohen_kappa(occasions, weights="linear").estimate)
    assert len(each) == 4
    assert whole.kappa.n_raters == 4


def test_intra_rater_interval_is_jackknife_over_raters() -> None:
    first, again = two_rounds(6)
    whole = intra_rater_agreement(first, again)[0].kappa
    without = []
    for rater in range(6):
        rest = [each.select(each.rater != rater) for each in (first, again)]
        estimate = intra_rater_agreement(*rest)[0].kappa.estimate
        assert estimate is not None
        without.append(estimate)
    assert whole.interval is not None
    assert str(whole.interval.method) == "jackknife_raters"
    assert whole.standard_error == pytest.approx(np.std(without) * np.sqrt(5))
    assert whole.df == 5


def test_single_rater_has_no_interval_for_new_raters() -> None:
    whole = intra_rater_agreement(*two_rounds(1))[0].kappa
    assert (whole.interval, whole.interval_reason) == (None, "one_cluster")


def test_identical_repeats_have_no_interval() -> None:
    first, _ = two_rounds(3)
    whole = intra_rater_agreement(first, first)[0].kappa
    assert (whole.estimate, whole.interval_reason) == (1.0, "no_variation")


def test_variation_from_a_single_rater_gives_no_interval() -> None:
    first = ratings([(0, 0, 1), (1, 0, 2), (0, 1, 1), (1, 1, 1)])
    again = ratings([(0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)])
    assert intra_rater_agreement(first, again)[0].kappa.interval_reason == "no_variation"


@given(first=st.from_type(Ratings), again=st.from_type(Ratings))
def test_intra_rater_agreement_reports_result_or_reason(first: Ratings, again: Ratings) -> None:
    whole, *each = intra_rater_agreement(first, again)
    both = set(zip(first.unit, first.rater, strict=True)) & set(zip(again.unit, again.rater, strict=True))
    assert [one.rater for one in each] == sorted({rater for _, rater in both})
    assert (whole.percent.reason == "no_pairable_units") == (not both)
