"""The random sample of the items that people rate: how many, which, with which probability, and what stays."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from app.protocol.allocation.feasibility import draw_up
from app.protocol.allocation.human_sample import IN_SAMPLE, PROBABILITY, draw, rated_by_people, sample_problems
from tests.kit.protocols import items, protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.protocol.allocation.trials import PlannedItem
    from app.protocol.study import Protocol


def sampled(share: float, **more: Any) -> Protocol:  # noqa: ANN401 - fields of the design
    return protocol(design={"human_sample": {"share": share, **more.pop("sample", {})}, **more})


def kept(study: Protocol, every: Sequence[PlannedItem]) -> list[PlannedItem]:
    """Return the items with what was drawn, as after the study was opened."""
    drawn = draw(study, every)
    return [
        replace(item, attributes={**item.attributes, **drawn[item.key].cells}) if item.key in drawn else item
        for item in every
    ]


def test_without_a_sample_people_rate_everything() -> None:
    assert draw(protocol(), items(4)) == {}
    assert rated_by_people(protocol(), items(4)) == items(4)
    assert sample_problems(protocol(), items(4)) == []


@pytest.mark.parametrize(("n", "share", "n_drawn"), [(10, 0.3, 3), (7, 0.5, 4), (40, 0.01, 1), (3, 0.99, 3)])
def test_share_of_the_items_is_drawn_with_its_probability(n: int, share: float, n_drawn: int) -> None:
    drawn = draw(sampled(share), items(n))
    assert sum(chance.is_in for chance in drawn.values()) == n_drawn
    assert {chance.probability for chance in drawn.values()} == {n_drawn / n}
    assert [item.key for item in rated_by_people(sampled(share), items(n))] == [
        key for key, chance in drawn.items() if chance.is_in
    ]


def test_every_item_is_drawn_as_often_as_its_probability_says() -> None:
    counts: Counter[str] = Counter()
    for seed in range(400):
        drawn = draw(sampled(0.3, seed=seed), items(10))
        counts.update(key for key, chance in drawn.items() if chance.is_in)
    # 400 draws with probability .3: a standard deviation of 9.2
    assert all(80 < counts[item.key] < 160 for item in items(10))
    assert draw(sampled(0.3, seed=7), items(10)) == draw(sampled(0.3, seed=7), items(10)[::-1])


def test_share_is_drawn_from_each_stratum_and_no_stratum_is_empty() -> None:
    topics = ["work"] * 10 + ["home"] * 5 + ["rare"]
    every = [replace(item, attributes={"topic": topic}) for item, topic in zip(items(16), topics, strict=True)]
    study = sampled(0.3, sample={"stratify": ["topic"]})
    drawn = draw(study, every)
    of = Counter(topic for item, topic in zip(every, topics, strict=True) if drawn[item.key].is_in)
    assert of == {"work": 3, "home": 1, "rare": 1}
    assert {drawn[item.key].probability for item in every} == {3 / 10, 1 / 5, 1.0}
    assert sample_problems(study, every) == []


def test_what_was_drawn_stays_when_items_are_added() -> None:
    study = sampled(0.5)
    before = kept(study, items(6))
    after = draw(study, [*before, *items(10)[6:]])
    assert set(after) == {item.key for item in items(10)[6:]}
    assert sum(chance.is_in for chance in after.values()) == 2
    rated = rated_by_people(study, [*before, *items(10)[6:]])
    assert len(rated) == 5
    assert {item.key for item in before if item.attributes[IN_SAMPLE] == "true"} < {item.key for item in rated}


def test_larger_share_adds_to_the_sample_and_a_smaller_one_takes_nothing_away() -> None:
    before = kept(sampled(0.2), items(10))
    larger = kept(sampled(0.6), before)
    first, second = ({item.key for item in some if item.attributes[IN_SAMPLE] == "true"} for some in (before, larger))
    assert (len(first), len(second)) == (2, 6)
    assert first < second
    assert {item.attributes[PROBABILITY] for item in larger} == {"0.6"}
    assert draw(sampled(0.1), larger) == {}
    assert rated_by_people(sampled(0.1), larger) == rated_by_people(sampled(0.6), larger)
    # The same items as if the larger share had been drawn at once.
    assert second == {key for key, chance in draw(sampled(0.6), items(10)).items() if chance.is_in}


def test_practice_and_gold_items_are_rated_in_any_case() -> None:
    study = protocol(
        design={"human_sample": {"share": 0.25}}, checks={"gold": [{"item": "i0", "expect": {"warm": ["1"]}}]}
    )
    assert "i0" not in draw(study, items(9))
    assert [item.key for item in rated_by_people(study, items(9))].count("i0") == 1
    assert len(rated_by_people(study, items(9))) == 3


def test_needs_are_those_of_the_sample_and_a_column_without_values_is_said() -> None:
    needs = draw_up(sampled(0.3, raters_per_trial=2), items(20), {}).needs
    assert needs.n_seats == draw_up(protocol(design={"raters_per_trial": 2}), items(6), {}).needs.n_seats
    (problem,) = draw_up(sampled(0.3, sample={"stratify": ["topic"]}), items(20), {}).needs.problems
    assert problem == "design.human_sample.stratify names the column topic, in which no item has a value."


def test_trials_are_those_of_all_items_whatever_was_drawn() -> None:
    """An item has one response, so that trials show one; those drawn all have two, which alone would make pairs."""
    drawn = draw_up(sampled(0.5), [*items(7), *(replace(item, key="one") for item in items(1, 1))], {})
    assert "one" not in {item.key for item in drawn.items}
    assert {len(trial.responses) for trial in drawn.trials} == {1}
