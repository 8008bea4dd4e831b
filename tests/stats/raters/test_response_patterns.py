from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.raters.profiles import habits, longest_run, side_habits


def test_straight_lining_has_zero_entropy_and_one_long_run() -> None:
    line, varied = habits(np.array([3.0, 1, 3, 2, 3, np.nan, 3, 1]), np.array(list("abababab")))
    assert (line.rater, line.n, line.longest_run, line.entropy, line.sd, line.modal_share) == ("a", 4, 4, 0, 0, 1)
    assert (varied.n, varied.longest_run, varied.modal_share) == (3, 1, 2 / 3)
    assert varied.entropy == pytest.approx(0.918296, abs=1e-6)


def test_single_answer_has_no_standard_deviation() -> None:
    (one,) = habits(np.array([2.0]), np.array([7]))
    assert (one.rater, one.sd) == (7, None)


def test_rater_always_choosing_first_side_stands_out() -> None:
    always, turns = side_habits(np.array([1.0, 0, 1, 1, 1, 0, 1, 1, np.nan, 0]), np.tile([1, 2], 5))
    assert (always.n, always.n_first, always.longest_run, always.p_value) == (4, 4, 4, 0.125)
    assert (turns.n, turns.n_first, turns.longest_run, turns.p_value) == (5, 2, 1, 1)


def test_empty_data_have_no_run_and_no_habits() -> None:
    assert longest_run(np.array([])) == 0
    assert habits(np.array([]), np.array([])) == []


@given(st.lists(st.integers(1, 3), min_size=1))
def test_longest_run_matches_loop(values: list[int]) -> None:
    longest = run = 1
    for before, now in pairwise(values):
        run = run + 1 if now == before else 1
        longest = max(longest, run)
    assert longest_run(np.array(values, float)) == longest
