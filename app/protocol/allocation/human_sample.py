"""The random sample of the items that people rate, drawn once and kept with each item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from app.protocol.allocation.randomization import fraction
from app.protocol.allocation.trials import PlannedItem, special_items
from app.protocol.study import Protocol

# Columns of items.csv: the probability of an item to be in the sample, and `true` if it is.
PROBABILITY, IN_SAMPLE = "sampling_probability", "in_human_sample"


@dataclass(frozen=True, slots=True)
class Chance:
    """Whether an item is in the sample, and the probability with which it could be."""

    is_in: bool
    probability: float

    @property
    def cells(self) -> dict[str, str]:
        """The cells of the item in items.csv."""
        return {PROBABILITY: f"{self.probability:.12g}", IN_SAMPLE: "true" if self.is_in else "false"}


def draw(protocol: Protocol, items: Sequence[PlannedItem]) -> dict[str, Chance]:
    """Draw the sample, or what is missing in it; special items are rated in any case.

    Of a stratum with n items, `share` times n are drawn, rounded so that the whole sample has `share` of all items and
    no stratum is empty. Each item of the stratum has the same probability, the number drawn over n. The draw depends on
    nothing but the seed, the items' keys, and the strata. What was drawn before stays: items that were added since are
    strata of their own, and a larger share draws more from the earlier ones.

    Args:
        protocol: the study.
        items: all items.

    Returns:
        The chance of each item where it is new or has changed, by key; empty if the design has no human sample.
    """
    sample = protocol.design.human_sample
    if sample is None:
        return {}
    special = special_items(protocol)
    strata: defaultdict[tuple[str, ...], list[PlannedItem]] = defaultdict(list)
    for item in items:
        if item.key not in special:
            own = tuple(item.attributes.get(name, "") for name in sample.stratify)
            strata[item.attributes.get(PROBABILITY, ""), *own].append(item)
    found: dict[str, Chance] = {}
    for those, n in zip(strata.values(), _numbers([*map(len, strata.values())], sample.share), strict=True):
        before = [item.key for item in those if item.attributes.get(IN_SAMPLE) == "true"]
        others = sorted(
            (item.key for item in those if item.key not in before),
            key=lambda key: fraction(protocol.design.seed, "human sample", key),
        )
        if PROBABILITY not in those[0].attributes or n > len(before):
            taken = {*before, *others[: n - len(before)]}
            found |= {item.key: Chance(item.key in taken, n / len(those)) for item in those}
    return found


def _numbers(sizes: Sequence[int], share: float) -> list[int]:
    """How many items of each stratum are drawn: at least one, by the largest remainders."""
    numbers = [max(1, int(size * share)) for size in sizes]
    left = round(sum(sizes) * share) - sum(numbers)
    by_remainder = sorted(range(len(sizes)), key=lambda k: int(sizes[k] * share) - sizes[k] * share)
    for place in by_remainder[: max(left, 0)]:
        numbers[place] = min(numbers[place] + 1, sizes[place])
    return numbers


def rated_by_people(protocol: Protocol, items: Sequence[PlannedItem]) -> list[PlannedItem]:
    """The items that people rate, in order: all, or those of the sample, with the special items."""
    if protocol.design.human_sample is None:
        return list(items)
    drawn = draw(protocol, items)
    return [
        item
        for item in items
        if (drawn[item.key].is_in if item.key in drawn else item.attributes.get(IN_SAMPLE) != "false")
    ]


def sample_problems(protocol: Protocol, items: Sequence[PlannedItem]) -> list[str]:
    """Why the sample cannot be drawn as declared, as sentences."""
    sample = protocol.design.human_sample
    columns = sample.stratify if sample else ()
    return [
        f"design.human_sample.stratify names the column {name}, in which no item has a value."
        for name in columns
        if items and not any(item.attributes.get(name) for item in items)
    ]
