"""The matrix of rater pairs against Cohen's kappa of each pair."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.stats.agreement import cohen_kappa, percent_agreement, rater_pairs
from app.stats.agreement.cohen import paired_values
from app.stats.agreement.disagreement import Weights
from app.stats.ratings import Ratings

WEIGHTS: list[Weights] = ["none", "linear", "quadratic"]


@given(ratings=st.from_type(Ratings), weights=st.sampled_from(WEIGHTS))
def test_pair_estimates_match_the_pair_analysed_alone(ratings: Ratings, weights: Weights) -> None:
    assume(np.abs(ratings.value).max(initial=0) < 1000)  # squares of others are lost next to 1e300
    found = {(pair.first, pair.second): pair for pair in rater_pairs(ratings, weights=weights)}
    for codes in combinations(ratings.rater_codes.tolist(), 2):
        alone = ratings.of_raters(codes)
        n_units = len(paired_values(alone)[0])
        assert (codes in found) == (n_units >= 2)
        if codes in found:
            pair = found[codes]
            assert pair.n_units == n_units
            assert pair.agreement == pytest.approx(percent_agreement(alone).estimate)
            assert pair.kappa == pytest.approx(cohen_kappa(alone, weights=weights).estimate, abs=1e-8)


def test_pairs_with_too_few_common_units_are_omitted() -> None:
    ratings = Ratings(np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 2]), np.array([1.0, 1, 2, 2, 2]))
    assert [(pair.first, pair.second) for pair in rater_pairs(ratings)] == [(0, 1)]
    assert len(rater_pairs(ratings, fewest_units=1)) == 3


def test_no_ratings_give_no_pairs() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert rater_pairs(Ratings(nothing, nothing, nothing.astype(np.float64))) == ()
