"""The trial plan: every trial in every cell, and which raters its seats are for."""

from collections import Counter

from app.protocol.allocation.trials import TrialSeats, planned_trials
from tests.kit.protocols import DEBRIEF, LABEL, items, protocol


def test_each_item_has_its_trials_once_without_conditions() -> None:
    trials = planned_trials(protocol(), items(3))
    assert [(trial.item.key, len(trial.responses), trial.cell.text) for trial in trials] == [
        ("i0", 2, ""),
        ("i1", 2, ""),
        ("i2", 2, ""),
    ]
    assert {trial.seats for trial in trials} == {(TrialSeats(3),)}


def test_every_trial_exists_in_every_cell() -> None:
    study = protocol(
        conditions={"label": LABEL, "profile": {"kind": "profile", "assign": "within"}},
        flow=DEBRIEF,
        design={"trials": "single"},
    )
    trials = planned_trials(study, items(3))
    assert len(trials) == len(set(trials)) == 3 * 2 * 4
    assert set(Counter(trial.cell for trial in trials).values()) == {6}


def test_layout_condition_shows_single_or_paired_responses() -> None:
    study = protocol(conditions={"screen": {"kind": "layout"}})
    shown = Counter((trial.cell.text, len(trial.responses)) for trial in planned_trials(study, items(3)))
    assert shown == {("screen=single", 1): 6, ("screen=side_by_side", 2): 3}


def test_between_rater_source_shows_only_its_responses() -> None:
    study = protocol(
        conditions={"wrote": {"kind": "source", "levels": ["person", "model"]}}, design={"trials": "single"}
    )
    trials = planned_trials(study, items(4))
    assert len(trials) == 8
    assert all(trial.cell.level("wrote") == response.source for trial in trials for response in trial.responses)


def test_practice_and_gold_items_have_no_seats() -> None:
    study = protocol(
        flow={"practice": {"trials": [{"item": "i0"}]}}, checks={"gold": [{"item": "i2", "expect": {"warm": 3}}]}
    )
    assert [trial.item.key for trial in planned_trials(study, items(4))] == ["i1", "i3"]


def test_only_listed_trials_are_planned() -> None:
    study = protocol(design={"listed": [["i0:model", "i0:person"], ["i1:person"], ["i9:person"]]})
    shown = [tuple(response.key for response in trial.responses) for trial in planned_trials(study, items(3))]
    assert shown == [("i0:model", "i0:person"), ("i1:person",)]


def test_pools_have_seats_on_their_items() -> None:
    study = protocol(
        design={
            "pools": {
                "recipient": {"items": "own"},
                "expert": {"items": "pool", "raters_per_trial": 2},
                "crowd": {"raters_per_trial": 5},
            }
        }
    )
    mine, theirs, plain = items(1, attributes={"rater": "r1"}), items(1, attributes={"pool": "expert"}), items(1)
    assert [planned_trials(study, of)[0].seats for of in (mine, theirs, plain)] == [
        (TrialSeats(1, "recipient", "r1"), TrialSeats(5, "crowd")),
        (TrialSeats(2, "expert"), TrialSeats(5, "crowd")),
        (TrialSeats(5, "crowd"),),
    ]


def test_item_without_pool_has_no_trial() -> None:
    study = protocol(design={"pools": {"recipient": {"items": "own"}}})
    assert planned_trials(study, items(2)) == []
