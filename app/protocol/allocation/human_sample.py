"""The random sample of the items that people rate, drawn once and kept with each item; it can grow in stages."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import floor

from app.base.words import and_list, counted
from app.protocol.allocation.randomization import fraction
from app.protocol.allocation.trials import PlannedItem, ordinary_items
from app.protocol.study import Protocol

# Columns of items.csv: the probability of an item to be in the sample, `true` if it is, the stage in which it was drawn
# (of an item that is not in the sample, the last stage that could have drawn it), and the draws that it took part in.
PROBABILITY, IN_SAMPLE, STAGE, DRAWS = (
    "sampling_probability",
    "in_human_sample",
    "sampling_stage",
    "sampling_draws",
)
OF_SAMPLE = (PROBABILITY, IN_SAMPLE, STAGE, DRAWS)
# A draw in `DRAWS`: its number, the item's probability after it, and the stage if it was one of `grow`. Number 0 is a
# draw outside Attune.
DRAW = re.compile(r"(\d{1,9}):(0\.\d+|1|[1-9](?:\.\d+)?e-\d+)(?::([1-9]\d{0,2}))?")
BETWEEN_DRAWS, DRAWN_ELSEWHERE = "|", "0:"
# The parts into which `grow` divides the items, and the steps of its bisection.
FOLDS, N_STEPS = 5, 60
N_NAMED = 5


@dataclass(frozen=True, slots=True)
class Chance:
    """Whether an item is in the sample, the probability with which it could be, and the draws that led there."""

    is_in: bool
    probability: float
    stage: int = 1
    draws: str = ""

    @property
    def cells(self) -> dict[str, str]:
        """The cells of the item in items.csv."""
        is_in = "true" if self.is_in else "false"
        cells = {PROBABILITY: f"{self.probability:.12g}", IN_SAMPLE: is_in, STAGE: str(self.stage)}
        return cells | {DRAWS: self.draws}


def draw(protocol: Protocol, items: Sequence[PlannedItem]) -> dict[str, Chance]:
    """Draw the sample, or what is missing in it; special items are rated in any case.

    Of a stratum with n items, `share` times n are drawn, rounded so that the whole sample has `share` of all items and
    no stratum is empty. Each item of the stratum has the same probability, the number drawn over n. The draw depends on
    nothing but the seed, the items' keys, and the strata. What was drawn before stays: items that were added since are
    strata of their own, and a larger share draws more from the earlier ones (after `grow`, from all of them alike).

    Args:
        protocol: the study.
        items: all items.

    Returns:
        The chance of each item where it is new or has changed, by key; empty if the design has no human sample.
    """
    sample = protocol.design.human_sample
    if sample is None:
        return {}
    ordinary = ordinary_items(protocol, items)
    grown = [item for item in ordinary if PROBABILITY in item.attributes] if last_stage(ordinary) > 1 else []
    strata: defaultdict[tuple[str, ...], list[PlannedItem]] = defaultdict(list)
    for item in ordinary:
        if not grown or PROBABILITY not in item.attributes:
            own = tuple(item.attributes.get(name, "") for name in sample.stratify)
            strata[item.attributes.get(PROBABILITY, ""), *own].append(item)
    n_more = round(sample.share * len(grown)) - sum(map(_is_in, grown))
    found = grow(protocol, grown, {}, n_more) if n_more > 0 else {}
    number = _last_draw([item.attributes.get(DRAWS, "") for item in items] + [one.draws for one in found.values()])
    for those, n in zip(strata.values(), _numbers([*map(len, strata.values())], sample.share), strict=True):
        before = {item.key for item in those if _is_in(item)}
        if PROBABILITY not in those[0].attributes or n > len(before):
            number += 1
            taken = before | _first(protocol.design.seed, {item.key for item in those} - before, n - len(before))
            found |= {
                item.key: Chance(
                    item.key in taken,
                    n / len(those),
                    int(item.attributes.get(STAGE) or 1),
                    _with_draw(item, f"{number}:{n / len(those):.12g}"),
                )
                for item in those
            }
    return found


def _first(seed: int, keys: Iterable[str], n: int) -> set[str]:
    """The first n items in the random order of a seed."""
    return set(sorted(keys, key=lambda key: fraction(seed, "human sample", key))[:n])


def grow(protocol: Protocol, items: Sequence[PlannedItem], size: Mapping[str, float], n: int) -> dict[str, Chance]:
    """Draw about n more items, those of a larger size more often; what is in the sample stays.

    An item whose probability was p is added with probability q = (pi - p) / (1 - p), if it was not drawn yet, so that
    its probability is now p + (1 - p) q = pi. Here pi is c times its size, but at least p and at most 1, with the c of
    each fold by which the fold's sum of pi grows by its part of n. That pi is right if the size of an item does not
    depend on whether it was drawn: sizes come from the other folds (`folds`). The draw is systematic in random order,
    so that each item has exactly its q (Madow 1949).

    Args:
        protocol: the study.
        items: all items; those without a probability are no part of it.
        size: above 0, by key; without any, the mean of the others.
        n: at most the number of items that are not in the sample.

    Returns:
        The new chance of every item, by key.
    """
    known = [item for item in ordinary_items(protocol, items) if PROBABILITY in item.attributes]
    usual = sum(size.values()) / len(size) if size else 1.0
    fold, stage = folds(protocol, known), last_stage(known) + 1
    before = {item.key: float(item.attributes[PROBABILITY]) for item in known}
    now: dict[str, float] = {}
    for part in range(FOLDS):
        here = {item.key: size.get(item.key, usual) for item in known if fold[item.key] == part}
        now |= _raised(here, before, n * len(here) / len(known))
    # the draw takes the probabilities as they are stored, so that it can be repeated
    now = {key: float(f"{chance:.12g}") for key, chance in now.items()}
    taken = _systematic(protocol.design.seed, stage, [item.key for item in outside(protocol, known)], before, now)
    number = _last_draw(item.attributes.get(DRAWS, "") for item in items) + 1
    return {
        item.key: Chance(
            _is_in(item) or item.key in taken,
            now[item.key],
            int(item.attributes.get(STAGE) or 1) if _is_in(item) else stage,
            _with_draw(item, f"{number}:{now[item.key]:.12g}:{stage}"),
        )
        for item in known
    }


def _systematic(
    seed: int, stage: int, keys: Iterable[str], before: Mapping[str, float], now: Mapping[str, float]
) -> set[str]:
    """The items of a systematic sample in the random order of a seed and a stage, each with its (now - p) / (1 - p)."""
    taken, total = set(), fraction(seed, "human sample", stage)
    for key in sorted(keys, key=lambda key: fraction(seed, "human sample", stage, key)):
        after = total + (now[key] - before[key]) / (1 - before[key])
        taken |= {key} if floor(after) > floor(total) else set()
        total = after
    return taken


def _with_draw(item: PlannedItem, draw: str) -> str:
    chance = item.attributes.get(PROBABILITY)
    before = item.attributes.get(DRAWS) or (f"{DRAWN_ELSEWHERE}{chance}" if chance else "")
    return BETWEEN_DRAWS.join(filter(None, [before, draw]))


def _last_draw(draws: Iterable[str]) -> int:
    """The number of the last draw in cells of `DRAWS`; 0 without one."""
    return max((int(number) for cell in draws for number, _, _ in DRAW.findall(cell)), default=0)


def drawn_again(protocol: Protocol, items: Sequence[PlannedItem]) -> set[str]:
    """Draw the sample again, from nothing but the seed, the items' keys and their cells in `DRAWS`.

    Draws are repeated in the order of their numbers. One without a stage takes the first items of all that took part in
    it, as many as their probability says; one with a stage is systematic, as in `grow`.
    """
    draws: defaultdict[int, dict[str, tuple[float, int]]] = defaultdict(dict)
    for item in items:
        for number, chance, stage in DRAW.findall(item.attributes.get(DRAWS, "")):
            draws[int(number)][item.key] = float(chance), int(stage or 0)
    taken: set[str] = set()
    before: defaultdict[str, float] = defaultdict(float)
    for _, those in sorted(draws.items()):
        now = {key: chance for key, (chance, _) in those.items()}
        rest, (chance, stage) = those.keys() - taken, next(iter(those.values()))
        if stage:
            can_be = {key for key in rest if before[key] < 1}
            taken |= _systematic(protocol.design.seed, stage, can_be, before, now)
        else:
            taken |= _first(protocol.design.seed, rest, round(chance * len(those)) - len(those) + len(rest))
        before |= now
    return taken


def draw_words(protocol: Protocol, items: Sequence[PlannedItem]) -> str:
    """Whether the sample is the one that its seed draws, as a sentence; empty if its draws are not all known."""
    known = [item for item in items if PROBABILITY in item.attributes]
    draws = [item.attributes.get(DRAWS, DRAWN_ELSEWHERE) for item in known]
    if not known or any(cell.startswith(DRAWN_ELSEWHERE) for cell in draws):
        return ""
    again = drawn_again(protocol, known)
    wrong = [item.key for item in known if (item.key in again) != _is_in(item)]
    if not wrong:
        same = counted(len(again), "item")
        return f"Drawn again from the seed {protocol.design.seed}, the sample has the same {same}."
    return (
        f"The seed {protocol.design.seed} does not draw this sample: {IN_SAMPLE} is different for "
        f"{and_list(wrong, N_NAMED)}. Somebody changed the seed, {IN_SAMPLE} or {DRAWS} after the draw."
    )


def _raised(size: Mapping[str, float], before: Mapping[str, float], n: float) -> dict[str, float]:
    """Probabilities proportional to size, none smaller than before, none above 1, whose sum is larger by n."""
    goal = sum(before[key] for key in size) + n
    low, high = 0.0, 1 / min(size.values(), default=1.0)
    now: dict[str, float] = {}
    for _ in range(N_STEPS):
        middle = (low + high) / 2
        now = {key: min(max(middle * each, before[key]), 1.0) for key, each in size.items()}
        low, high = (low, middle) if sum(now.values()) > goal else (middle, high)
    return now


def folds(protocol: Protocol, items: Sequence[PlannedItem]) -> dict[str, int]:
    """The fold of each item, of `FOLDS` of equal size; special items have none."""
    keys = [item.key for item in ordinary_items(protocol, items)]
    order = sorted(keys, key=lambda key: fraction(protocol.design.seed, "folds of the human sample", key))
    return {key: place % FOLDS for place, key in enumerate(order)}


def last_stage(items: Sequence[PlannedItem]) -> int:
    """The last stage in which items were drawn; 0 if none were."""
    return max((int(item.attributes.get(STAGE) or 1) for item in items if PROBABILITY in item.attributes), default=0)


def drawn_by_stage(items: Sequence[PlannedItem]) -> dict[int, int]:
    """How many items of the sample were drawn in each stage, in order."""
    n = Counter(int(item.attributes.get(STAGE) or 1) for item in items if _is_in(item))
    return dict(sorted(n.items()))


def outside(protocol: Protocol, items: Sequence[PlannedItem]) -> list[PlannedItem]:
    """The items that `grow` can add."""
    known = [item for item in ordinary_items(protocol, items) if PROBABILITY in item.attributes and not _is_in(item)]
    return [item for item in known if float(item.attributes[PROBABILITY]) < 1]


def _is_in(item: PlannedItem) -> bool:
    return item.attributes.get(IN_SAMPLE) == "true"


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
