"""The order of items and sides: from a seed, balanced, and the same on every machine."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.design.order import fraction, rater_order, seeded, sides

ORDERS = [(7, "r-a"), (7, "r-b"), (8, "r-a")]
PAIRS = [(n, f"item-{n}", (2 * n, 2 * n + 1)) for n in range(12)]


def is_swapped(trial: tuple[int, str, tuple[int, ...]], shown: tuple[int, ...]) -> bool:
    return shown == trial[2][::-1]


def test_the_same_seed_and_rater_give_the_same_order() -> None:
    assert rater_order(7, "r-a", PAIRS) == rater_order(7, "r-a", PAIRS[::-1])


def test_another_rater_or_seed_gets_another_order() -> None:
    orders = [tuple(place.trial_id for place in rater_order(seed, rater, PAIRS)) for seed, rater in ORDERS]
    assert len(set(orders)) == len(ORDERS)


def test_an_order_that_was_published_with_its_seed_can_be_made_again() -> None:
    first = rater_order(7, "r-a", PAIRS)[:3]
    assert [(place.trial_id, place.response_ids) for place in first] == [(11, (22, 23)), (2, (5, 4)), (1, (3, 2))]


@given(seed=st.integers(0, 2**31), n=st.integers(0, 30))
def test_half_of_a_raters_pairs_are_swapped(seed: int, n: int) -> None:
    by_id = {trial[0]: trial for trial in (PAIRS * 3)[:n]}
    places = rater_order(seed, "r", list(by_id.values()))
    n_swapped = sum(is_swapped(by_id[place.trial_id], place.response_ids) for place in places)
    assert abs(2 * n_swapped - len(places)) <= 1


@given(n=st.integers(0, 20), kept=st.integers(0, 20), swapped=st.integers(0, 20), seed=st.integers())
def test_more_trials_even_out_what_the_earlier_ones_left(n: int, kept: int, swapped: int, seed: int) -> None:
    new = sides(n, kept, swapped, seeded(seed))
    imbalance = abs((swapped + sum(new)) - (kept + n - sum(new)))
    assert len(new) == n
    assert imbalance <= max(1, abs(kept - swapped) - n)


def test_an_odd_one_out_goes_to_either_side() -> None:
    assert {sum(sides(3, 0, 0, seeded(seed))) for seed in range(20)} == {1, 2}


def test_positions_go_on_where_the_first_list_ended() -> None:
    assert [place.position for place in rater_order(7, "r", PAIRS[:3], first=5)] == [5, 6, 7]


def test_a_set_is_shuffled_and_a_single_response_stands_alone() -> None:
    shown = {rater_order(7, f"r-{n}", [(1, "item", (1, 2, 3))])[0].response_ids for n in range(40)}
    assert len(shown) == 6
    assert rater_order(7, "r", [(1, "item", (5,))])[0].response_ids == (5,)
    assert rater_order(7, "r", [(1, "item", ())])[0].response_ids == ()


def test_fractions_are_spread_evenly() -> None:
    values = [fraction(3, n) for n in range(2000)]
    assert abs(sum(values) / 2000 - 0.5) < 0.03
    assert min(values) >= 0
    assert max(values) < 1
