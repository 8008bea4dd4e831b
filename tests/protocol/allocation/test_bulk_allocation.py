"""Assigning all trials at once, as in a plan, follows every rule of the design."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from app.protocol.allocation.bulk_allocation import Dealt, deal, so_many_items, with_raters_per_trial
from app.protocol.allocation.feasibility import feasibility
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import PlannedTrial, planned_trials
from app.protocol.study import Protocol
from tests.kit.protocols import DEBRIEF, LABEL, items, protocol


def _dealt(n_items: int, n_raters: int | None, **parts: Any) -> tuple[Protocol, list[PlannedTrial], list[Dealt]]:  # noqa: ANN401 - parts of study.yaml
    study = protocol(**parts)
    trials = planned_trials(study, items(n_items))
    n = feasibility(study, trials, {}).n_raters if n_raters is None else n_raters
    return study, trials, deal(study, trials, n, seeded(1))


@pytest.mark.parametrize("kind", ["single", "pairs", "set", "dialogue"])
@pytest.mark.parametrize("same_item", [True, False, None])
def test_bulk_allocation_fills_trials_without_repeating_items(
    kind: str,
    same_item: bool | None,  # noqa: FBT001 - a parameter
) -> None:
    design = {"trials": kind, "raters_per_trial": 3, "same_item": same_item}
    _, trials, dealt = _dealt(20, 12, design=design)
    assert len(dealt) == 3 * len(trials)
    assert set(Counter(one.trial for one in dealt).values()) == {3}
    assert len(set(dealt)) == len(dealt)
    loads = Counter(one.rater for one in dealt).values()
    assert max(loads) - min(loads) <= 2
    may_come_again = kind == "single" and same_item is not False
    most = max(Counter((one.rater, trials[one.trial].item.key) for one in dealt).values())
    assert most == 1 or may_come_again


def test_seats_that_no_rater_may_take_stay_unfilled() -> None:
    _, _, dealt = _dealt(10, 4, design={"trials": "pairs", "raters_per_trial": 3, "trials_per_rater": 5})
    assert len(dealt) == 20
    assert set(Counter(one.rater for one in dealt).values()) == {5}


def test_raters_are_spread_evenly_over_between_cells() -> None:
    _, trials, dealt = _dealt(6, 9, conditions={"label": LABEL}, flow=DEBRIEF, design={"raters_per_trial": 2})
    cells = {one.rater: trials[one.trial].cell.text for one in dealt}
    assert sorted(Counter(cells.values()).values()) == [4, 5] or sorted(Counter(cells.values()).values()) == [4, 4]
    assert all(cells[one.rater] == trials[one.trial].cell.text for one in dealt)


def test_unequal_arms_have_raters_by_their_weights() -> None:
    label = {**LABEL, "weights": {LABEL["levels"][0]: 2}}
    _, trials, dealt = _dealt(6, 12, conditions={"label": label}, flow=DEBRIEF, design={"raters_per_trial": 4})
    cells = {one.rater: trials[one.trial].cell.level("label") for one in dealt}
    assert Counter(cells.values())[str(LABEL["levels"][0])] == 8
    assert len(cells) == 12


def test_within_conditions_never_repeat_responses_for_a_rater() -> None:
    within = {"label": {**LABEL, "assign": "within"}}
    design = {"raters_per_trial": 2, "same_item": True}
    _, trials, dealt = _dealt(6, 8, conditions=within, flow=DEBRIEF, design=design)
    assert max(Counter((one.rater, trials[one.trial].responses) for one in dealt).values()) == 1


def test_pools_get_raters_by_need_and_own_items_go_to_owner() -> None:
    study = protocol(design={"pools": {"recipient": {"items": "own", "raters_per_trial": 1}, "crowd": {}}})
    own = [replace(item, attributes={"rater": f"owner{place % 3}"}) for place, item in enumerate(items(9))]
    trials = planned_trials(study, own)
    needed = feasibility(study, trials, {}).n_raters
    dealt = deal(study, trials, needed, seeded(2))
    of_crowd = Counter(one.trial for one in dealt)
    assert set(of_crowd.values()) == {4}
    assert len(dealt) == 4 * len(trials)


def test_group_without_raters_gets_no_seats() -> None:
    _, trials, dealt = _dealt(4, 1, conditions={"label": LABEL}, flow=DEBRIEF, design={"raters_per_trial": 1})
    assert {one.rater for one in dealt} == {0}
    assert len({trials[one.trial].cell for one in dealt}) == 1


def test_extra_items_are_copies_with_new_keys() -> None:
    study = protocol()
    some = items(2)
    more = so_many_items(study, some, 5)
    assert [item.key for item in more] == ["i0", "i1", "i0 2", "i1 2", "i0 3"]
    assert len({one.key for item in more for one in item.responses}) == 10
    assert so_many_items(study, some, 1) == some[:1]
    blank = so_many_items(study, [], 2)
    assert [one.source for one in blank[1].responses] == list(study.sources)
    assert blank[0].key != blank[1].key


def test_raters_per_trial_override_applies_to_every_pool() -> None:
    study = with_raters_per_trial(protocol(design={"pools": {"crowd": {"raters_per_trial": 2}}}), 7)
    assert (study.design.raters_of(None), study.design.raters_of("crowd")) == (7, 7)


def test_pools_keep_their_own_numbers_at_the_number_of_the_study() -> None:
    """A forecast of the study as it is gave two experts per trial the three raters of the design."""
    design = {"raters_per_trial": 3, "pools": {"expert": {"raters_per_trial": 2}, "crowd": {}}}
    study = with_raters_per_trial(protocol(design=design), 3)
    assert (study.design.raters_of("expert"), study.design.raters_of("crowd")) == (2, 3)
