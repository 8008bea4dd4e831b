"""The random sample of the items that people rate: how many, which, with which probability, and what stays."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.protocol.allocation.feasibility import draw_up
from app.protocol.allocation.human_sample import (
    DRAWS,
    FOLDS,
    IN_SAMPLE,
    PROBABILITY,
    STAGE,
    Chance,
    draw,
    draw_words,
    drawn_again,
    drawn_by_stage,
    folds,
    grow,
    last_stage,
    outside,
    rated_by_people,
    sample_problems,
)
from app.protocol.allocation.trials import PlannedItem
from app.protocol.study import Protocol
from tests.kit.protocols import items, protocol


def sampled(share: float, **more: Any) -> Protocol:  # noqa: ANN401 - fields of the design
    return protocol(design={"human_sample": {"share": share, **more.pop("sample", {})}, **more})


def kept(study: Protocol, every: Sequence[PlannedItem]) -> list[PlannedItem]:
    """Return the items with what was drawn, as after the study was opened."""
    return with_cells(every, draw(study, every))


def with_cells(every: Sequence[PlannedItem], drawn: Mapping[str, Chance]) -> list[PlannedItem]:
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


# Sizes that are as different as they can be without any probability at its limit.
SIZES = {f"i{place}": 1 + place % 3 for place in range(20)}


def in_sample(every: Sequence[PlannedItem]) -> set[str]:
    return {item.key for item in every if item.attributes[IN_SAMPLE] == "true"}


def test_sample_grows_by_larger_items_and_each_is_in_as_often_as_its_probability_says() -> None:
    """300 studies: the standard deviation of a count is below 8.7."""
    counts = dict.fromkeys(SIZES, 0.0)
    for seed in range(300):
        study = sampled(0.2, seed=seed)
        before = kept(study, items(20))
        chances = grow(study, before, SIZES, 6)
        after = with_cells(before, chances)
        assert in_sample(before) < in_sample(after)
        assert 5 <= len(in_sample(after) - in_sample(before)) <= 8
        for key, chance in chances.items():
            assert 0.2 <= chance.probability <= 1
            counts[key] += chance.is_in - chance.probability
    assert all(abs(difference) < 26 for difference in counts.values())


def test_probabilities_are_proportional_to_sizes_and_never_fall() -> None:
    study = sampled(0.2)
    before = kept(study, items(20))
    chances = grow(study, before, SIZES, 6)
    assert sum(chance.probability for chance in chances.values()) == pytest.approx(10)
    fold = folds(study, before)
    for part in range(FOLDS):
        ratios = [chances[key].probability / SIZES[key] for key in SIZES if fold[key] == part]
        free = [
            ratio
            for key, ratio in zip((key for key in SIZES if fold[key] == part), ratios, strict=True)
            if 0.2 < chances[key].probability < 1
        ]
        assert free == pytest.approx([free[0]] * len(free))
    assert {chance.stage for key, chance in chances.items() if key in in_sample(before)} == {1}
    assert {chance.stage for key, chance in chances.items() if key not in in_sample(before)} == {2}
    # what is known of no item counts as much as the mean
    assert grow(study, before, {}, 6) == grow(study, before, dict.fromkeys(SIZES, 2.0), 6)


def test_grown_sample_stays_and_a_larger_share_adds_at_random() -> None:
    study = sampled(0.2)
    before = kept(study, items(20))
    grown = with_cells(before, grow(study, before, SIZES, 6))
    assert (last_stage(items(20)), last_stage(before), last_stage(grown)) == (0, 1, 2)
    assert draw(study, grown) == {}
    assert draw(sampled(0.4), grown) == {}
    assert {item.key for item in rated_by_people(study, grown)} == in_sample(grown)
    more = with_cells(grown, draw(sampled(0.8), grown))
    assert in_sample(grown) < in_sample(more)
    assert last_stage(more) == 3
    assert drawn_by_stage(more)[1] == 4
    assert sum(drawn_by_stage(more).values()) == len(in_sample(more))
    added = draw(study, [*grown, *items(30)[20:]])
    assert {*added} == {item.key for item in items(30)[20:]}
    assert sum(chance.is_in for chance in added.values()) == 2


def test_all_items_can_be_added_and_those_that_never_can_be_drawn_stay_out() -> None:
    study = sampled(0.5)
    before = kept(study, items(10))
    assert len(outside(study, before)) == 5
    every = grow(study, before, {}, 5)
    assert all(chance.is_in and chance.probability == pytest.approx(1) for chance in every.values())
    never = {PROBABILITY: "1", IN_SAMPLE: "false"}
    odd = [*before, replace(items(11)[10], attributes=never)]
    assert len(outside(study, odd)) == 5
    assert not grow(study, odd, {}, 2)["i10"].is_in
    assert odd[-1].attributes.get(STAGE) is None


@pytest.mark.parametrize("seed", range(12))
def test_every_draw_is_repeated_from_the_columns_of_the_items(seed: int) -> None:
    """A stratified sample, a larger share, items added, two stages, items added again, and a larger share at random."""
    every = [replace(item, attributes={"topic": "ab"[place % 2]}) for place, item in enumerate(items(40))]

    def study(share: float) -> Protocol:
        return sampled(share, seed=seed, sample={"stratify": ["topic"]})

    now = kept(study(0.4), kept(study(0.2), every[:20]))
    now = kept(study(0.4), [*now, *every[20:28]])
    for size in (SIZES, {key: 4 - size for key, size in SIZES.items()}):
        before = in_sample(now)
        now = with_cells(now, grow(study(0.4), now, size, 4))
        assert before < in_sample(now) == drawn_again(study(0.4), now)
    now = kept(study(0.4), [*now, *every[28:]])
    now = kept(study(0.9), now)
    assert drawn_again(study(0.9), now) == in_sample(now)
    assert last_stage(now) == 4
    words = f"Drawn again from the seed {seed}, the sample has the same {len(in_sample(now))} items."
    assert draw_words(study(0.9), now) == draw_words(study(0.9), now[::-1]) == words
    assert "does not draw this sample" in draw_words(sampled(0.9, seed=seed + 1), now)


def test_a_sample_that_was_drawn_elsewhere_or_changed_is_not_called_repeatable() -> None:
    study, own = sampled(0.2), {PROBABILITY: "0.2", IN_SAMPLE: "false"}
    elsewhere = [replace(item, attributes=own) for item in items(10)]
    assert draw_words(study, items(10)) == draw_words(study, elsewhere) == ""
    grown = with_cells(elsewhere, grow(study, elsewhere, {}, 3))
    assert grown[0].attributes[DRAWS].startswith("0:0.2|1:")
    assert draw_words(study, grown) == ""
    drawn = kept(study, items(10))
    other = [replace(one, attributes={**one.attributes, IN_SAMPLE: "true"}) for one in drawn]
    assert "in_human_sample is different for i0, i1, i2, i3, i4 and 3 more" in draw_words(study, other)
