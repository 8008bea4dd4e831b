import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.choice import preference_shares as choice
from app.stats.choice.preference_shares import LOST, NEITHER, TIE, WON
from app.stats.proportions import binomial_intervals as binomial
from tests.stats.conftest import Where

OUTCOME = np.array([WON, WON, LOST, TIE, TIE, NEITHER])
WHERE: Where = {"item": np.array([0, 0, 1, 1, 2, 2]), "rater": np.array([0, 1, 0, 1, 0, 1])}


def test_tie_counts_as_half_win_and_neither_is_excluded() -> None:
    result = choice.share_preferred(OUTCOME, **WHERE)
    assert (result.estimate, result.n_ratings) == (3 / 5, 5)


def test_decisive_share_excludes_ties() -> None:
    result = choice.share_decisive(OUTCOME, **WHERE)
    assert (result.estimate, result.n_ratings) == (2 / 3, 3)


def test_tie_and_neither_shares_are_of_all_choices() -> None:
    assert choice.tie_share(OUTCOME, **WHERE).estimate == pytest.approx(2 / 6)
    assert choice.neither_share(OUTCOME, **WHERE).estimate == pytest.approx(1 / 6)
    assert choice.win_share(OUTCOME, **WHERE).estimate == pytest.approx(2 / 6)
    assert choice.lose_share(OUTCOME, **WHERE).estimate == pytest.approx(1 / 6)


def test_unclustered_share_counts_decisive_choices() -> None:
    result = choice.share_decisive_unclustered(OUTCOME, binomial.clopper_pearson)
    assert (result.estimate, result.n_ratings, str(result.method)) == (2 / 3, 3, "clopper_pearson")


def test_ayers_2023_preference_share_is_reproduced(shared: Path) -> None:
    """78.6%; each item has three evaluator slots, each of which counts as its own rater."""
    path = shared / "data" / "ayers2023" / "JAMA.csv"
    if not path.is_file():
        pytest.skip("the ratings of Ayers et al. are not beside this checkout")
    with path.open(encoding="latin-1", newline="") as file:
        chosen = [row[f"Eval {slot} Preference"] for row in csv.DictReader(file) for slot in (1, 2, 3)]
    outcome = np.where(np.array(chosen) == "ChatGPT", WON, LOST)
    result = choice.share_preferred(outcome, item=np.arange(585) // 3, rater=np.arange(585))
    assert result.interval is not None
    assert result.estimate == pytest.approx(0.7863, abs=5e-5)
    wilson = binomial.wilson(460, 585).interval
    assert wilson is not None
    assert result.interval.low < wilson.low  # choices on one item are correlated


def test_first_side_always_chosen_has_no_interval() -> None:
    result = choice.first_side_share(np.array([1, 1, np.nan, 1, 1, 1]), **WHERE)
    assert (result.estimate, result.n_ratings, result.interval_reason) == (1, 5, "no_variation")


@given(outcome=st.lists(st.sampled_from([LOST, WON, TIE, NEITHER]), min_size=6, max_size=6))
def test_swapping_sides_gives_complement(outcome: list[int]) -> None:
    there = choice.share_preferred(np.array(outcome), **WHERE)
    swap = {LOST: WON, WON: LOST, TIE: TIE, NEITHER: NEITHER}
    back = choice.share_preferred(np.array([swap[o] for o in outcome]), **WHERE)
    assert there.reason == back.reason
    if there.estimate is not None and back.estimate is not None:
        assert back.estimate == pytest.approx(1 - there.estimate)
    if there.interval and back.interval:
        assert back.interval.low == pytest.approx(1 - there.interval.high)
        assert back.p_value == pytest.approx(there.p_value)


def test_coherence_counts_choices_that_follow_ratings() -> None:
    gap = np.array([2.0, 1.0, -1.0, 0.0, np.nan, 3.0])
    where: Where = {"item": np.array([0, 0, 1, 1, 2, 2]), "rater": np.array([0, 1, 0, 1, 0, 1])}
    assert choice.coherence(gap, **where).estimate == pytest.approx(3 / 4)
