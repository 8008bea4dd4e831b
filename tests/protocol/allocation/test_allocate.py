"""Allocation to cells: balanced, capped, seeded."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from app.protocol.allocation.allocate import allocation_order, blocked, seats_of_cells
from app.protocol.allocation.randomization import seeded
from app.protocol.cells import cells
from app.protocol.conditions import Factor

LABEL = Factor.model_validate({"kind": "shown_label"})
PROFILE = Factor.model_validate({"kind": "profile"})
FACTORS = {"label": LABEL, "profile": PROFILE}
CELLS = cells(FACTORS)


def spread_of(counts: list[int]) -> int:
    return max(counts) - min(counts)


@given(st.integers(0, 100), st.integers(0, 1000))
def test_cells_differ_by_at_most_one_after_each_rater(n: int, seed: int) -> None:
    order = allocation_order(n, CELLS, FACTORS, seed)
    assert len(order) == n
    assert spread_of([order.count(cell) for cell in CELLS]) <= 1
    assert order == allocation_order(n + 5, CELLS, FACTORS, seed)[:n]


def test_weights_hold_after_each_full_round() -> None:
    factors = {
        "label": Factor.model_validate({"kind": "shown_label", "levels": ["none", "true"], "weights": {"none": 3}})
    }
    order = allocation_order(40, cells(factors), factors, seed=1)
    assert [order[:n].count(cells(factors)[0]) for n in (4, 8, 40)] == [3, 6, 30]


def test_different_seeds_give_different_orders() -> None:
    orders = {tuple(cell.text for cell in allocation_order(16, CELLS, FACTORS, seed)) for seed in range(20)}
    assert len(orders) > 10


@given(st.integers(0, 10_000), st.floats(0, 0.6))
def test_dropouts_are_replaced_so_finishers_stay_balanced(seed: int, leaving: float) -> None:
    """Each rater takes the first free seat; before the next rater arrives, the oldest active one finishes or leaves."""
    rng = seeded(seed)
    seats = {seat.number: seat.cell for seat in seats_of_cells(0, 128, CELLS, FACTORS, seed=seed)}
    finished: set[int] = set()
    active: list[int] = []
    while len(finished) < 64:
        active.append(next(number for number in seats if number not in finished and number not in active))
        if len(active) == 3:
            number = active.pop(0)
            finished |= {number} if rng.random() >= leaving else set()
    ended = Counter(seats[number] for number in finished)
    assert spread_of([ended[cell] for cell in CELLS]) <= 1 + 3


def test_any_prefix_of_seats_is_balanced_within_one() -> None:
    seats = seats_of_cells(0, 100, CELLS, FACTORS, seed=3)
    for n in range(100):
        taken = Counter(seat.cell for seat in seats[:n])
        assert spread_of([taken[cell] for cell in CELLS]) <= 1


def test_later_seats_continue_the_sequence() -> None:
    together = seats_of_cells(0, 60, CELLS, FACTORS, seed=5)
    assert seats_of_cells(0, 25, CELLS, FACTORS, seed=5) + seats_of_cells(25, 35, CELLS, FACTORS, seed=5) == together
    own = [seat.number_in_cell for seat in together if seat.cell == CELLS[0]]
    assert own == list(range(len(own)))


def test_capped_level_gets_no_further_seats() -> None:
    factors = {"label": Factor.model_validate({"kind": "shown_label", "levels": ["none", "true"], "caps": {"none": 2}})}
    none, true = cells(factors)
    of_cell = Counter(seat.cell for seat in seats_of_cells(0, 40, cells(factors), factors, seed=0))
    assert of_cell == {none: 2, true: 20}
    full = {"label": factors["label"].model_copy(update={"caps": {"none": 2, "true": 9}})}
    assert len(seats_of_cells(0, 40, cells(full), full, seed=0)) == 11
    assert seats_of_cells(40, 40, cells(full), full, seed=0) == []


def test_blocked_factor_shows_levels_in_blocks_in_varying_order() -> None:
    shown = [*cells({"profile": PROFILE})] * 4
    firsts = set()
    for rater_number in range(2):
        order = [shown[place].text for place in blocked(shown, "profile", list(PROFILE.levels), rater_number)]
        assert order == sorted(order, key=lambda text: text != order[0])
        firsts.add(order[0])
    assert firsts == {"profile=hidden", "profile=shown"}
