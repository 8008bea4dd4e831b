"""One rater's plan: order, blocks, repeats, pauses."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from app.design.allocation import within_cells
from app.design.cells import Cell, cells
from app.design.order import seeded
from app.design.rater_plan import OwnTrial, pauses, plan_rater
from tests.design.studies import protocol

PLAIN = Cell()


def trials_shown(n: int, rater_number: int = 0, seed: int = 1, **design: object) -> list[int]:
    showings = plan_rater(protocol(design=design), [OwnTrial(PLAIN)] * n, rater_number, seeded(seed))
    return [showing.trial for showing in showings]


@given(st.integers(0, 30), st.integers(0, 20), st.sampled_from(["random", "latin_square", "fixed"]), st.integers())
def test_every_trial_comes_once_in_every_kind_of_order(n: int, rater_number: int, order: str, seed: int) -> None:
    assert sorted(trials_shown(n, rater_number, seed, order=order)) == list(range(n))


def test_a_fixed_order_is_the_studys_and_a_random_one_depends_on_the_seed_alone() -> None:
    assert trials_shown(9, order="fixed") == list(range(9))
    assert trials_shown(9, seed=4) == trials_shown(9, seed=4) != trials_shown(9, seed=5)


def test_in_a_latin_square_each_trial_stands_once_in_each_place_over_a_round_of_raters() -> None:
    orders = [trials_shown(6, rater, order="latin_square") for rater in range(6)]
    assert all(sorted(column) == list(range(6)) for column in zip(*orders, strict=True))


def test_blocks_by_a_column_keep_each_block_together_and_raters_begin_with_different_ones() -> None:
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


def test_a_factor_in_blocks_comes_level_by_level() -> None:
    conditions = {"profile": {"kind": "profile", "assign": "within", "blocks": True}}
    study = protocol(conditions=conditions)
    trials = [OwnTrial(cell) for cell in within_cells(8, cells(study.conditions), 0)]
    shown = [trials[showing.trial].cell for showing in plan_rater(study, trials, 1, seeded(1))]
    assert [cell.text for cell, _ in groupby(shown)] == ["profile=shown", "profile=hidden"]
    mixed = protocol(conditions={"profile": {**conditions["profile"], "blocks": False}})
    shown = [trials[showing.trial].cell for showing in plan_rater(mixed, trials, 1, seeded(1))]
    assert len([cell for cell, _ in groupby(shown)]) > 2


def test_repeats_are_of_the_trials_as_ordered_and_left_out_where_there_is_no_room() -> None:
    study = protocol(design={"repeats": {"n": 2, "min_distance": 3}})
    shown = plan_rater(study, [OwnTrial(PLAIN)] * 6, 0, seeded(2))
    assert [showing.repeat for showing in shown].count(1) == 2
    for place, showing in enumerate(shown):
        if showing.repeat:
            first = next(p for p, other in enumerate(shown) if other.trial == showing.trial)
            assert place - first >= 3
    assert len(plan_rater(study, [OwnTrial(PLAIN)] * 3, 0, seeded(2))) == 3


def test_a_pause_comes_between_blocks_and_never_at_the_end() -> None:
    assert pauses(protocol(design={"blocks": {"size": 2}}), [""] * 6) == [2, 4]
    assert pauses(protocol(design={"blocks": {"column": "topic"}}), ["a", "a", "b", "c"]) == [2, 3]
    assert pauses(protocol(), [""] * 6) == []
