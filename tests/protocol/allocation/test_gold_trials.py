"""Gold trials are placed among a rater's other trials, one in each equal part of the order, by the seed."""

from app.protocol.allocation.rater_plan import OwnTrial, Place, declared_gold, name_of_gold, with_gold
from app.protocol.cells import Cell
from tests.kit.protocols import protocol

GOLD = [OwnTrial(Cell(), "", number, f"gold-{number}", (number, number + 50)) for number in (101, 102)]


def places(n: int, first: int = 1) -> list[Place]:
    return [Place(number, number + first - 1, (number,)) for number in range(1, n + 1)]


def test_each_gold_trial_is_placed_once_in_its_part() -> None:
    for rater in ("a", "b", "c", "d"):
        mixed = with_gold(places(10), GOLD, seed=3, rater=rater)
        assert [place.position for place in mixed] == list(range(1, 13))
        assert [place.trial_id for place in mixed if place.trial_id < 100] == list(range(1, 11))
        first, second = (number for number, place in enumerate(mixed) if place.trial_id > 100)
        assert first <= 5 < second
        assert mixed[0].trial_id < 100


def test_gold_order_depends_on_seed_and_rater() -> None:
    orders = {rater: with_gold(places(10), GOLD, seed=3, rater=rater) for rater in "abcdefgh"}
    assert orders["a"] == with_gold(places(10), GOLD, seed=3, rater="a")
    assert len({tuple(place.trial_id for place in order) for order in orders.values()}) > 1
    shown = {place.response_ids for order in orders.values() for place in order if place.trial_id == 101}
    assert shown == {(101, 151), (151, 101)}


def test_gold_trials_may_exceed_trials_and_continue_a_list() -> None:
    mixed = with_gold(places(1, first=4), GOLD, seed=3, rater="a")
    assert [place.position for place in mixed] == [4, 5, 6]
    assert with_gold(places(2), [], seed=3, rater="a") == places(2)


def test_gold_trial_is_named_by_item_unless_ambiguous() -> None:
    gold = [
        {"item": "g", "responses": ["g:model"], "expect": {"warm": 1}},
        {"item": "g", "responses": ["g:person"], "expect": {"warm": 3}},
        {"item": "h", "expect": {"warm": 3}},
    ]
    study = protocol(checks={"gold": gold})
    assert [name_of_gold(study, trial) for trial in study.checks.gold] == ["g:g:model", "g:g:person", "h"]
    found = declared_gold(study, "g", ["g:person"])
    assert found is not None
    assert found.expect == {"warm": ("3",)}
    assert declared_gold(study, "i", []) is None
