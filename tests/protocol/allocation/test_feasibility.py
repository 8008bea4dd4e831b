"""Feasibility before a study opens: how many raters it needs, and why a design cannot be fulfilled."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocol.allocation.feasibility import Feasibility, feasibility
from app.protocol.allocation.trials import planned_trials
from tests.kit.protocols import DEBRIEF, LABEL, items, protocol


def needs(
    n_items: int,
    named: dict[str, list[str]] | None = None,
    *,
    of_items: dict[str, object] | None = None,
    n_responses: int = 2,
    **parts: Any,  # noqa: ANN401 - parts of study.yaml
) -> Feasibility:
    study = protocol(**parts)
    return feasibility(study, planned_trials(study, items(n_items, n_responses, **(of_items or {}))), named or {})


@given(
    st.integers(1, 12),
    st.integers(1, 4),
    st.integers(1, 6),
    st.one_of(st.none(), st.integers(1, 12)),
    st.sampled_from(["single", "pairs"]),
    st.booleans(),
)
def test_estimated_number_of_raters_fills_every_seat(
    n_items: int,
    n_responses: int,
    k: int,
    length: int | None,
    kind: str,
    same_item: bool,  # noqa: FBT001
) -> None:
    """Assigning seats to raters in turn, item by item, follows every rule, which proves that this number is enough."""
    design = {"trials": kind, "raters_per_trial": k, "trials_per_rater": length, "same_item": same_item}
    study = protocol(design=design)
    trials = planned_trials(study, items(n_items, n_responses))
    outcome = feasibility(study, trials, {})
    if not trials:
        assert outcome.problems == ("no trials can be made from these items and responses.",)
        return
    n = outcome.n_raters
    dealt = [(place % n, trial) for place, trial in enumerate(trial for trial in trials for _ in range(k))]
    assert outcome.n_seats == len(dealt)
    assert max(Counter(dealt).values()) == 1
    assert max(Counter(rater for rater, _ in dealt).values()) <= (length or len(trials))
    if not same_item:
        assert max(Counter((rater, trial.item.key) for rater, trial in dealt).values()) == 1


def test_feasibility_states_its_arithmetic() -> None:
    assert needs(8, design={"trials": "single", "raters_per_trial": 3, "trials_per_rater": 4}).sentences() == (
        "This design needs at least 12 raters, for 48 trials to rate.",
        "12 raters: 16 trials, rated 48 times in total, at most 4 trials per rater.",
    )


def test_welivita_and_pu_design_needs_1000_raters() -> None:
    """2,000 prompts, five sources between raters, ten responses per rater, one rating per response."""
    sources = {"human": {"kind": "human"}, **{f"model{number}": {"kind": "model"} for number in range(4)}}
    wrote = {"kind": "source", "levels": [*sources]}
    study = protocol(
        sources=sources,
        conditions={"wrote": wrote},
        design={"trials": "single", "raters_per_trial": 1, "trials_per_rater": 10, "same_item": False},
    )
    renamed = [
        item.__class__(
            item.key,
            tuple(
                response.__class__(response.response_id, response.key, source)
                for response, source in zip(item.responses, sources, strict=True)
            ),
        )
        for item in items(2000, 5)
    ]
    outcome = feasibility(study, planned_trials(study, renamed), {})
    assert (outcome.n_raters, outcome.n_seats, outcome.problems, outcome.notes) == (1000, 10_000, (), ())
    assert {group.n_raters for group in outcome.groups} == {200}


def test_between_cells_need_own_raters_and_within_cells_share() -> None:
    single = {"trials": "single", "raters_per_trial": 2, "trials_per_rater": 8}
    plain = needs(8, design=single)
    between = needs(8, design=single, conditions={"label": LABEL}, flow=DEBRIEF)
    within = needs(8, design=single, conditions={"p": {"kind": "profile", "assign": "within"}})
    assert (plain.n_raters, between.n_raters, within.n_raters) == (4, 8, 8)
    assert [group.cell.text for group in between.groups] == ["label=true", "label=swapped"]
    assert [group.cell.text for group in within.groups] == [""]


def test_rater_never_sees_same_response_in_two_cells() -> None:
    outcome = needs(2, design={"trials": "single"}, conditions={"p": {"kind": "profile", "assign": "within"}})
    assert outcome.groups[0].n_each == 2 * 2


def test_seats_of_one_item_can_determine_number_of_raters() -> None:
    assert needs(1, design={"trials": "pairs", "raters_per_trial": 3}, n_responses=3).n_raters == 9


def test_exposure_cap_increases_number_of_raters() -> None:
    design = {"trials": "single", "raters_per_trial": 1}
    assert needs(6, design=design, of_items={"has_note": True}).n_raters == 1
    capped = needs(6, design=design, of_items={"has_note": True}, flow={"exposure_cap": 5})
    assert (capped.n_raters, capped.groups[0].n_each) == (3, 5)


EXPERTS = {"trials": "single", "pools": {"expert": {"raters_per_trial": 2, "trials_per_rater": 4}}}


@pytest.mark.parametrize(
    ("parts", "named", "problem"),
    [
        (
            {"design": EXPERTS},
            {"expert": ["e1"]},
            "the pool expert needs 4 raters, and raters.csv names 1 (2 raters for each of 8 trials).",
        ),
        ({"design": {"max_raters": 2}}, {}, "at most 2 raters may take part (Max raters), but 3 are needed."),
        (
            {"design": {"quotas": {"gender": {"woman": 1, "man": 1}}}},
            {},
            "the quotas for Gender admit 2 raters, but 3 are needed.",
        ),
        (
            {"conditions": {"label": {**LABEL, "caps": {"true": 2}}}, "flow": DEBRIEF},
            {},
            "at most 2 raters may have Label: true, but 3 are needed.",
        ),
        ({"design": {"repeats": {"n": 1}}}, {}, "4 trials per rater are too few for 1 repeat at least 5 trials apart."),
        (
            {"design": {"pools": {"recipient": {"items": "own"}}}},
            {},
            "the pool recipient has no trials: no item names a rater in items.csv.",
        ),
        (
            {"design": {"pools": {"expert": {"items": "pool"}, "crowd": {}}, "open_pool": "crowd"}},
            {},
            "the pool expert has no trials: no item has the pool expert.",
        ),
        (
            {
                "conditions": {"wrote": {"kind": "source", "levels": ["person", "model", "other"]}},
                "sources": {s: {"kind": "human"} for s in ("person", "model", "other")},
                "design": {"trials": "single"},
            },
            {},
            "wrote=other has no trials.",
        ),
    ],
)
def test_infeasible_design_states_problem_with_numbers(
    parts: dict[str, Any], named: dict[str, list[str]], problem: str
) -> None:
    outcome = needs(4, named, **parts)
    assert problem in outcome.problems
    assert f"This design cannot be fulfilled: {problem}" in outcome.sentences()


def test_enough_experts_or_open_pool_is_feasible() -> None:
    assert needs(4, {"expert": ["e1", "e2", "e3", "e4"]}, design=EXPERTS).problems == ()
    assert needs(4, {"expert": ["e1"]}, design={**EXPERTS, "open_pool": "expert"}).problems == ()


def test_sufficient_limits_are_feasible() -> None:
    design = {"max_raters": 6, "quotas": {"gender": {"woman": 3, "man": 3}}}
    label = {**LABEL, "caps": {"true": 3}}
    assert needs(4, design=design, conditions={"label": label}, flow=DEBRIEF).problems == ()


def test_recipients_must_be_named_and_rate_own_items() -> None:
    design = {"pools": {"recipient": {"items": "own"}, "crowd": {"raters_per_trial": 2}}, "open_pool": "crowd"}
    outcome = needs(3, {"recipient": ["r1"]}, design=design, of_items={"attributes": {"rater": "r1"}})
    assert outcome.problems == ()
    assert [(group.pool, group.n_raters, group.n_seats) for group in outcome.groups] == [
        ("recipient", 1, 3),
        ("crowd", 2, 6),
    ]
    assert "1 rater of the pool Recipient: 3 trials, rated 3 times in total" in outcome.sentences()[1]
    missing = needs(3, {}, design=design, of_items={"attributes": {"rater": "r1"}})
    assert missing.problems == ("some items belong to raters of the pool recipient who are not in raters.csv: r1.",)


def test_recipient_has_one_trial_per_own_item() -> None:
    study = protocol(design={"pools": {"recipient": {"items": "own"}}})
    whose = [
        replace(item, attributes={"rater": rater})
        for item, rater in zip(items(5), ("a", "a", "a", "b", "b"), strict=True)
    ]
    (group,) = feasibility(study, planned_trials(study, whose), {"recipient": ["a", "b"]}).groups
    assert (group.n_raters, group.n_each, group.n_seats) == (2, 3, 5)


def test_uneven_design_is_noted_without_problem() -> None:
    outcome = needs(
        5,
        design={"trials": "single", "trials_per_rater": 4, "raters_per_trial": 1, "order": "latin_square"},
        conditions={"told": {"kind": "instruction", "assign": "within", "levels": dict.fromkeys("abcde", "Read.")}},
    )
    assert outcome.problems == ()
    assert outcome.notes == (
        "Each rater gets 4 trials, fewer than the 5 conditions that vary within raters.",
        "50 ratings do not divide evenly into 4 per rater; some raters will get fewer.",
        "13 raters are not a multiple of 4 trials, so the last round of the Latin square will be incomplete.",
    )


def test_unreachable_attention_check_is_a_problem() -> None:
    look = {"key": "look", "text": "Choose Never.", "codes": {"a": "Never", "b": "Often"}, "correct": "a"}
    for after, problems in (
        (4, ()),
        (5, ("the attention check look comes after 5 trials, but each rater has 4.",)),
    ):
        found = needs(4, n_responses=1, design={"trials": "single"}, checks={"attention": [{**look, "after": after}]})
        assert found.problems == problems


def test_ranking_of_fewer_than_three_responses_is_infeasible() -> None:
    study = protocol(questions=[{"key": "order", "type": "ranking", "text": "Rank."}], design={"trials": "set"})
    outcome = feasibility(study, planned_trials(study, items(2)), {})
    assert any("a ranking needs at least 3 responses" in problem for problem in outcome.problems)


def test_ranking_needs_three_responses() -> None:
    questions = [{"key": "order", "type": "ranking", "text": "Rank them."}]
    assert "a ranking needs at least 3 responses" in " ".join(needs(2, n_responses=2, questions=questions).problems)
    assert not needs(2, n_responses=3, questions=questions).problems
