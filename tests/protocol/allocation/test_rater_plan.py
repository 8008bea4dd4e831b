"""The plan of one rater: order, blocks, repeats, breaks."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.rater_plan import Had, OwnTrial, Place, is_counterbalanced, pauses, plan_rater, rater_order
from app.protocol.cells import Cell, cells
from tests.kit.protocols import protocol

PLAIN = Cell()


def trials_shown(n: int, rater_number: int = 0, seed: int = 1, **design: object) -> list[int]:
    showings = plan_rater(protocol(design=design), [OwnTrial(PLAIN)] * n, rater_number, seeded(seed))
    return [showing.trial for showing in showings]


@given(st.integers(0, 30), st.integers(0, 20), st.sampled_from(["random", "latin_square", "fixed"]), st.integers())
def test_every_order_contains_each_trial_once(n: int, rater_number: int, order: str, seed: int) -> None:
    assert sorted(trials_shown(n, rater_number, seed, order=order)) == list(range(n))


def test_fixed_order_is_constant_and_random_order_is_seeded() -> None:
    assert trials_shown(9, order="fixed") == list(range(9))
    assert trials_shown(9, seed=4) == trials_shown(9, seed=4) != trials_shown(9, seed=5)


def test_latin_square_balances_trial_positions_across_raters() -> None:
    orders = [trials_shown(6, rater, order="latin_square") for rater in range(6)]
    assert all(sorted(column) == list(range(6)) for column in zip(*orders, strict=True))


def test_column_blocks_stay_together_and_rotate_across_raters() -> None:
    study = protocol(design={"blocks": {"column": "topic"}})
    trials = [OwnTrial(PLAIN, block) for block in ("work", "family", "work", "health", "family", "health")]
    firsts = Counter()  # type: Counter[str]
    for rater_number in range(6):
        shown = [
            trials[showing.trial].block for showing in plan_rater(study, trials, rater_number, seeded(rater_number))
        ]
        assert len([block for block, _ in groupby(shown)]) == 3
        firsts[shown[0]] += 1
    assert firsts == {"work": 2, "family": 2, "health": 2}
    assert plan_rater(study, [], 0, seeded(1)) == []


def test_blocked_factor_is_shown_level_by_level() -> None:
    conditions = {"profile": {"kind": "profile", "assign": "within", "blocks": True}}
    study = protocol(conditions=conditions)
    trials = [OwnTrial(cell) for cell in [*cells(study.conditions)] * 4]
    shown = [trials[showing.trial].cell for showing in plan_rater(study, trials, 1, seeded(1))]
    assert [cell.text for cell, _ in groupby(shown)] == ["profile=shown", "profile=hidden"]
    mixed = protocol(conditions={"profile": {**conditions["profile"], "blocks": False}})
    shown = [trials[showing.trial].cell for showing in plan_rater(mixed, trials, 1, seeded(1))]
    assert len([cell for cell, _ in groupby(shown)]) > 2


def test_repeats_keep_distance_and_are_omitted_without_room() -> None:
    study = protocol(design={"repeats": {"n": 2, "min_distance": 3}})
    shown = plan_rater(study, [OwnTrial(PLAIN)] * 6, 0, seeded(2))
    assert [showing.repeat for showing in shown].count(1) == 2
    for place, showing in enumerate(shown):
        if showing.repeat:
            first = next(p for p, other in enumerate(shown) if other.trial == showing.trial)
            assert place - first >= 3
    assert len(plan_rater(study, [OwnTrial(PLAIN)] * 3, 0, seeded(2))) == 3


def test_breaks_come_between_blocks_and_never_at_the_end() -> None:
    assert pauses(protocol(design={"blocks": {"size": 2}}), [""] * 6) == [2, 4]
    assert pauses(protocol(design={"blocks": {"column": "topic"}}), ["a", "a", "b", "c", "c"]) == [2, 3]
    assert pauses(protocol(design={"blocks": {"column": "topic"}}), ["a", None, "a", None, "b", None, "b"]) == [4]
    assert pauses(protocol(), [""] * 6) == []
    assert pauses(protocol(design={"blocks": {"size": 2}}), [""] * 5) == [2], "none before the last trial alone"
    assert pauses(protocol(design={"blocks": {"column": "topic"}}), ["a", "b", "b", "c"]) == [1]


@pytest.mark.parametrize(
    ("design", "is_so"),
    [
        ({}, False),
        ({"order": "fixed"}, False),
        ({"blocks": {"size": 2}}, False),
        ({"order": "latin_square"}, True),
        ({"blocks": {"column": "topic"}}, True),
    ],
)
def test_counterbalanced_designs_number_their_raters(design: dict[str, Any], *, is_so: bool) -> None:
    assert is_counterbalanced(protocol(design=design)) is is_so


def test_repeat_swaps_sides_of_same_responses() -> None:
    shown = places_of(PAIRS, repeats={"n": 4, "min_distance": 3})
    first = {place.trial_id: place for place in shown if not place.repeat}
    again = [place for place in shown if place.repeat]
    assert [place.position for place in shown] == list(range(1, 17))
    assert (len(first), len(again)) == (12, 4)
    assert all(place.response_ids == first[place.trial_id].response_ids[::-1] for place in again)
    assert all(place.position - first[place.trial_id].position >= 3 for place in again)
    assert sum(place.response_ids == PAIRS[trial].response_ids for trial, place in first.items()) == 6


def test_repeat_keeps_sides_when_design_says_so() -> None:
    shown = places_of(PAIRS, repeats={"n": 2, "min_distance": 3, "swap_sides": False})
    first = {place.trial_id: place for place in shown if not place.repeat}
    assert all(place.response_ids == first[place.trial_id].response_ids for place in shown if place.repeat)


def test_returning_rater_gets_only_missing_repeats() -> None:
    study = protocol(design={"repeats": {"n": 3, "min_distance": 2}})
    repeated = [
        sum(place.repeat for place in rater_order(study, "r", PAIRS, seed=7, had=Had(12, n_repeated=n)))
        for n in range(5)
    ]
    assert repeated == [3, 2, 1, 0, 0]


ORDERS = [(7, "r-a"), (7, "r-b"), (8, "r-a")]
PAIRS = [OwnTrial(PLAIN, "", n, f"item-{n}", (2 * n, 2 * n + 1)) for n in range(12)]


def is_swapped(trial: OwnTrial, shown: tuple[int, ...]) -> bool:
    return shown == trial.response_ids[::-1]


def places_of(
    trials: Sequence[OwnTrial], rater: str = "r", seed: int = 7, first: int = 1, **design: object
) -> list[Place]:
    return rater_order(protocol(design=design), rater, trials, seed=seed, had=Had(first - 1))


def a_set(*responses: int) -> OwnTrial:
    return OwnTrial(PLAIN, "", 1, "item", responses)


def test_same_seed_and_rater_give_same_order() -> None:
    assert places_of(PAIRS, "r-a") == places_of(PAIRS[::-1], "r-a")


def test_different_rater_or_seed_gives_different_order() -> None:
    orders = [tuple(place.trial_id for place in places_of(PAIRS, rater, seed)) for seed, rater in ORDERS]
    assert len(set(orders)) == len(ORDERS)


def test_published_seed_reproduces_order() -> None:
    first = places_of(PAIRS, "r-a")[:3]
    assert [(place.trial_id, place.response_ids) for place in first] == [(11, (22, 23)), (2, (5, 4)), (1, (3, 2))]


@given(seed=st.integers(0, 2**31), n=st.integers(0, 30))
def test_half_of_a_raters_pairs_are_swapped(seed: int, n: int) -> None:
    by_id = {trial.trial_id: trial for trial in (PAIRS * 3)[:n]}
    places = places_of(list(by_id.values()), seed=seed)
    n_swapped = sum(is_swapped(by_id[place.trial_id], place.response_ids) for place in places)
    assert abs(2 * n_swapped - len(places)) <= 1


def test_positions_continue_after_first_list() -> None:
    assert [place.position for place in places_of(PAIRS[:3], first=5)] == [5, 6, 7]


def test_sets_are_shuffled_and_single_responses_stay_single() -> None:
    shown = {places_of([a_set(1, 2, 3)], f"r-{n}")[0].response_ids for n in range(40)}
    assert len(shown) == 6
    assert places_of([a_set(5)])[0].response_ids == (5,)
    assert places_of([a_set()])[0].response_ids == ()
