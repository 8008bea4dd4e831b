"""Percent, within-one and unanimous agreement against Gwet's handbook, Ayers et al. and hand counts."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from app.stats.agreement import percent_agreement, unanimous_share, within_one_agreement
from app.stats.ratings import Ratings
from app.stats.result import Result
from tests.kit.oracles import Oracle

Make = Callable[[list[tuple[Any, Any, Any]]], Ratings]

Share = Callable[[Ratings], Result]
BY_HAND: dict[Share, Callable[[list[float]], float]] = {
    percent_agreement: lambda values: float(np.mean([a == b for a, b in combinations(values, 2)])),
    within_one_agreement: lambda values: float(np.mean([abs(a - b) <= 1 for a, b in combinations(values, 2)])),
    unanimous_share: lambda values: float(len(set(values)) == 1),
}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("gwet_raw4raters", "pa_unweighted_value"),
        ("kappa_paradox_prevalence", "percent_agreement"),
        ("degenerate_all_one_category", "percent_agreement"),
        ("degenerate_units_with_one_rating", "percent_agreement"),
    ],
)
def test_percent_agreement_matches_irrcac(oracle: Oracle, name: str, key: str) -> None:
    known = oracle(name)
    result = percent_agreement(known["ratings"])
    assert result.estimate == pytest.approx(known["expected"][key], abs=known["tolerance"]["default"])


def test_ayers_2023_choices_are_61_percent_unanimous(ayers: list[dict[str, str]], make_ratings: Make) -> None:
    choices = make_ratings(
        [(row["postID"], slot, row[f"Eval {slot} Preference"].strip()) for row in ayers for slot in (1, 2, 3)]
    )
    assert unanimous_share(choices).estimate == pytest.approx(0.610, abs=0.0005)


@pytest.mark.parametrize("share", BY_HAND)
@given(ratings=st.from_type(Ratings))
def test_agreement_share_matches_pair_counts_by_hand(share: Share, ratings: Ratings) -> None:
    units = [ratings.value[ratings.unit == unit].tolist() for unit in np.unique(ratings.unit)]
    by_hand = [BY_HAND[share](values) for values in units if len(values) > 1]
    result = share(ratings)
    assert result.n_pairable_units == len(by_hand)
    if by_hand:
        assert result.estimate == pytest.approx(np.mean(by_hand), abs=1e-12)
    else:
        assert result.reason == "no_pairable_units"


def test_interval_beyond_0_to_1_is_computed_on_logit_scale() -> None:
    ratings = Ratings(
        np.repeat(np.arange(5), 3), np.tile(np.arange(3), 5), np.array([1, 1, 1, 1, 1, 2, 1, 2, 3] * 2)[:15]
    )
    shares = [1, 1 / 3, 0, 1, 1 / 3]
    mean, reach = np.mean(shares), stats.t.ppf(0.975, 4) * stats.sem(shares)
    assert mean + reach > 1
    slope = 1 / (mean * (1 - mean))
    expected = [special.expit(special.logit(mean) + side * reach * slope) for side in (-1, 1)]
    result = percent_agreement(ratings)
    assert result.interval is not None
    assert str(result.interval.method) == "jackknife_units"
    assert (result.interval.low, result.interval.high) == pytest.approx(tuple(expected))


def test_unanimous_raters_have_full_agreement_without_interval() -> None:
    ratings = Ratings(np.repeat(np.arange(40), 3), np.tile(np.arange(3), 40), np.zeros(120))
    result = percent_agreement(ratings)
    assert (result.estimate, result.interval, result.interval_reason) == (1.0, None, "no_variation")


def test_half_scale_points_are_within_one_point() -> None:
    ratings = Ratings(np.array([0, 0]), np.array([0, 1]), np.array([0.0, 1.0]))
    assert within_one_agreement(ratings).estimate == 1.0
