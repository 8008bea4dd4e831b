"""Placement of hidden repeats and special trials among the other trials."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.rater_plan import Showing, has_room_for_repeats, spread, with_repeats
from app.protocol.study_design import Repeats


@given(st.integers(1, 40), st.integers(1, 10), st.integers(1, 10), st.booleans(), st.integers())
def test_repeats_keep_minimum_distance_and_trials_appear_once(
    n_trials: int,
    n: int,
    distance: int,
    swap: bool,  # noqa: FBT001 - drawn by hypothesis
    seed: int,
) -> None:
    repeats = Repeats(n=n, min_distance=distance, swap_sides=swap)
    assume(has_room_for_repeats(n_trials, repeats))
    order = with_repeats(n_trials, repeats, seeded(seed))
    assert [showing.trial for showing in order if showing.repeat == 0] == list(range(n_trials))
    again = [showing for showing in order if showing.repeat]
    assert len({showing.trial for showing in again}) == len(again) == n
    for showing in again:
        assert showing.is_swapped is swap
        assert order.index(showing) - order.index(Showing(showing.trial)) >= distance


def test_order_without_repeats_is_unchanged() -> None:
    assert with_repeats(3, None, seeded(1)) == [Showing(0), Showing(1), Showing(2)]


def test_too_short_list_rejects_repeats() -> None:
    with pytest.raises(ValueError, match="4 trials are too few for 1 repeats at least 5 positions apart"):
        with_repeats(4, Repeats(n=1), seeded(1))


@given(st.integers(0, 60), st.integers(0, 20), st.integers())
def test_special_trials_are_spread_over_whole_list(n_trials: int, n_more: int, seed: int) -> None:
    places = spread(n_trials, n_more, seeded(seed))
    assert len(places) == n_more
    assert places == sorted(places)
    assert all(min(1, n_trials) <= place <= n_trials for place in places)
    if n_more and n_trials >= n_more:
        assert len(set(places)) == n_more
