"""Seeded randomization: balanced sides, evenly spread fractions."""

from hypothesis import given
from hypothesis import strategies as st

from app.protocol.allocation.randomization import fraction, seeded, sides


@given(n=st.integers(0, 20), kept=st.integers(0, 20), swapped=st.integers(0, 20), seed=st.integers())
def test_new_trials_compensate_side_imbalance(n: int, kept: int, swapped: int, seed: int) -> None:
    new = sides(n, kept, swapped, seeded(seed))
    imbalance = abs((swapped + sum(new)) - (kept + n - sum(new)))
    assert len(new) == n
    assert imbalance <= max(1, abs(kept - swapped) - n)


def test_odd_trial_goes_to_either_side() -> None:
    assert {sum(sides(3, 0, 0, seeded(seed))) for seed in range(20)} == {1, 2}


def test_fractions_are_spread_evenly() -> None:
    values = [fraction(3, n) for n in range(2000)]
    assert abs(sum(values) / 2000 - 0.5) < 0.03
    assert min(values) >= 0
    assert max(values) < 1
