"""Latin squares that are balanced for carry-over."""

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.protocol.allocation.allocate import balanced_order, balanced_square

orders = st.integers(1, 12)


@given(orders)
def test_balanced_square_balances_carry_over(n: int) -> None:
    square = balanced_square(n)
    follows = Counter(pair for row in square for pair in pairwise(row))
    assert set(follows) == {(a, b) for a in range(n) for b in range(n) if a != b}
    assert len(set(follows.values())) <= 1
    assert all(len(set(Counter(column).values())) == 1 for column in zip(*square, strict=True))


def test_balanced_square_of_four_matches_williams() -> None:
    """Williams 1949, Aust J Sci Res A 2:149: the first row of order four is 0, 1, n-1, 2."""
    assert balanced_square(4)[0] == (0, 1, 3, 2)


@given(st.integers(1, 9), st.integers(0, 100))
def test_raters_cycle_through_rows(n: int, rater_number: int) -> None:
    n_rows = len(balanced_square(n))
    assert balanced_order(n, rater_number) == balanced_order(n, rater_number + n_rows)
