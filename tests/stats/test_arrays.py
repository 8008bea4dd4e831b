"""Codes of labels, by whichever way is fast."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.arrays import codes, sorted_unique

NUMBERS = st.lists(st.integers(-2, 12) | st.integers(0, 2**40), max_size=30)


@given(NUMBERS)
def test_codes_follow_order_of_first_appearance(labels: list[int]) -> None:
    number, names = pd.factorize(np.array(labels, dtype=np.int64))
    found, n = codes(np.array(labels, dtype=np.int64))
    assert (found.tolist(), n) == (number.tolist(), len(names))


@pytest.mark.parametrize(
    "labels",
    [[0, 1, 0, 2], [10**9, 10**9, 7, 8 * 10**9], [10**9, 7, 10**9], [], ["b", "a", "b"]],
    ids=["a table", "equal labels together", "neither", "nothing", "texts"],
)
def test_codes_match_pandas_factorize_for_all_label_types(labels: list[object]) -> None:
    number, names = pd.factorize(np.array(labels))
    found, n = codes(np.array(labels))
    assert (found.tolist(), n) == (number.tolist(), len(names))


@given(NUMBERS)
def test_sorted_unique_matches_numpy(numbers: list[int]) -> None:
    array = np.array(numbers, dtype=np.int64)
    np.testing.assert_array_equal(sorted_unique(array), np.unique(array))
