"""The declared primary contrast in a planned study: its two sides among what raters see, and its test.

What a design does not say is assumed: half of the items at each level of an attribute of items, and five models, which
answer everything, where models are compared with people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.protocol.allocation.bulk_allocation import Dealt
from app.protocol.allocation.trials import PAIR, PlannedTrial
from app.protocol.cells import Cell
from app.protocol.primary import TESTS, PrimaryContrast
from app.protocol.primary_default import first_question, primary_contrasts
from app.protocol.study import Protocol
from app.protocol.study_parts import swapped_source
from app.stats.comparison.change import change, change_difference
from app.stats.comparison.pools import group_difference, pool_difference
from app.stats.factors import factor_effect, interaction
from app.stats.proportions.share_difference import category_difference
from app.stats.result import Result
from app.stats.simulated_ratings import Minds, Sds, Shown, rounded

N_MODELS = 5
FIRST, OTHER = 1, 0
# each test that is simulated beside the difference of two sources and the share preferred
SIMULATED = (
    *("factor_effect", "interaction", "category_difference", "change", "change_difference"),
    *("pool_difference", "pool_change_difference"),
    *("pool_accuracy_difference", "pool_category_difference", "pool_preference_difference"),
    *("item_attribute_effect", "item_attribute_accuracy", "item_attribute_category", "item_attribute_preference"),
)


class NotSimulatedError(ValueError):
    """The primary contrast has a test that planning does not simulate; `test` is its key."""

    def __init__(self, test: str) -> None:
        super().__init__(test)
        self.test = test


def planned_contrast(protocol: Protocol, question: str | None = None) -> PrimaryContrast | None:
    """The first primary contrast (of this question) that planning can simulate, one of two sources included.

    None if no primary contrast is about this question.

    Raises:
        NotSimulatedError: there are primary contrasts, and none of them can be simulated.
    """
    contrasts = [one for one in primary_contrasts(protocol) if question in {None, one.question}]
    found = next((one for one in contrasts if one.test in SIMULATED or is_of_sources(one)), None)
    if found is None and contrasts and protocol.analysis.primary:
        raise NotSimulatedError(str(contrasts[0].test))
    return found


def is_of_sources(contrast: PrimaryContrast) -> bool:
    """Whether planning simulates a mean difference or a share preferred for the contrast."""
    return TESTS[str(contrast.test)].compares == "sources" and contrast.test not in SIMULATED


def is_of_shares(contrast: PrimaryContrast) -> bool:
    """Whether the contrast is of answers that are given or not: codes, correct answers and choices."""
    return "scale" not in TESTS[str(contrast.test)].measures


class Row(NamedTuple):
    """What a rater answers once: the item, the unit within it, its source, and who answers in which cell."""

    item: int
    unit: int
    source: str | None
    rater: int
    cell: Cell
    pool: str | None
    is_model: bool = False


def rows_of(
    protocol: Protocol, contrast: PrimaryContrast, trials: Sequence[PlannedTrial], dealt: Sequence[Dealt]
) -> list[Row]:
    """Everything that raters are asked the question about, once each."""
    question = first_question(protocol, contrast.question)
    items = {key: code for code, key in enumerate(dict.fromkeys(trial.item.key for trial in trials))}
    units: dict[object, int] = {}
    found: dict[Row, None] = {}
    for one in dealt:
        trial = trials[one.trial]
        about: list[tuple[object, str | None]] = [(trial.item.key, None)]
        if question is not None and question.target == "response":
            about = [(each.key, each.source) for each in trial.responses]
        elif question is not None and question.target == "pair":
            about = [(frozenset(each.key for each in trial.responses), None)] * (len(trial.responses) == PAIR)
        for unit, source in about:
            code = units.setdefault(unit, len(units))
            found[Row(items[trial.item.key], code, source, one.rater, trial.cell, one.pool)] = None
    rows = [*found]
    return [*rows, *_models(rows)] if {"rater_kind", "reference_rater_kind"} & contrast.named.keys() else rows


def _models(rows: Sequence[Row]) -> Iterator[Row]:
    """What five models answer: all that people do, once."""
    n_people = max((row.rater for row in rows), default=-1) + 1
    units = dict.fromkeys(row._replace(rater=0, pool=None, is_model=True) for row in rows)
    yield from (row._replace(rater=n_people + model) for row in units for model in range(N_MODELS))


@dataclass(frozen=True, eq=False)
class Sides:
    """The rows of a contrast: 1 on the first side and 0 on the other, shape (n,).

    Of an interaction, 2 is the first source at the reference level, 3 at the level that has the effect, 0 and 1 are the
    other source. `unit` is what both sides answer; the item of `shown` is the item, or what it is a version of.
    """

    side: Ints
    unit: Ints
    shown: Shown


def simulation_of(
    protocol: Protocol,
    contrast: PrimaryContrast,
    rows: Sequence[Row],
    sds: Sds,
    *,
    mean: float,
    difference: float,
    points: Sequence[float] | None,
) -> Simulation:
    """Return what simulates the contrast.

    `mean` and `difference` are points of a scale with these `points`, or shares of answers if it is of shares.
    """
    question = first_question(protocol, contrast.question)
    is_of_raters = question is not None and question.target == "rater"
    sides = sides_of(protocol, contrast, rows)
    of_shares = is_of_shares(contrast)
    values = np.array([0.0, 1.0] if of_shares else points)
    return Simulation(sides, str(contrast.test), sds, mean, difference, values, of_shares, is_of_raters)


def sides_of(protocol: Protocol, contrast: PrimaryContrast, rows: Sequence[Row]) -> Sides:
    """The rows that the contrast compares, each on its side."""
    pick = _SIDES[TESTS[str(contrast.test)].compares](protocol, contrast)
    picked = [(row, pick(row)) for row in rows]
    kept = [(row.item, row.unit, row.rater, at) for row, at in picked if at is not None]
    item, unit, rater, side = np.array(kept, dtype=np.int64).reshape(-1, 4).T
    is_matched = TESTS[str(contrast.test)].compares == "item_attribute" and protocol.analysis.matched_items is not None
    response = np.unique(unit * (int(side.max(initial=0)) + 1) + side, return_inverse=True)[1].astype(np.int64)
    cluster = item // PAIR if is_matched else item
    return Sides(side, unit, Shown(cluster, response, side, rater))


Pick = Callable[[Row], int | None]


def _by_source(protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    reference = contrast.reference or protocol.reference
    source = contrast.source or next((key for key in protocol.sources if key != reference), None)
    return lambda row: (
        None if row.source is None else FIRST if row.source == source else _other(is_reference=row.source == reference)
    )


def _other(*, is_reference: bool) -> int | None:
    return OTHER if is_reference else None


def _by_level(protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    """Pick by the level of a factor, or by the label that is shown; within a source if the contrast names one."""
    name = str(contrast.factor)
    if name == "shown_label":
        reference, level = _labels(protocol, contrast)

        def told(row: Row) -> str | None:
            return _label_of(protocol, row)
    else:
        factor = protocol.conditions[name]
        reference = factor.reference_level or next(iter(factor.levels))
        level = contrast.level or next(one for one in factor.levels if one != reference)

        def told(row: Row) -> str | None:
            return row.cell.level(name)

    of_source = _by_source(protocol, contrast)

    def pick(row: Row) -> int | None:
        side = FIRST if (known := told(row)) == level else _other(is_reference=known == reference)
        if contrast.test == "interaction":
            of = of_source(row)
            return None if side is None or of is None else PAIR * of + side
        return side if contrast.source in {None, row.source} else None

    return pick


def _labels(protocol: Protocol, contrast: PrimaryContrast) -> tuple[str, str]:
    """The label that is compared with, and the label whose effect is simulated."""
    shown = [source.shown_label for source in protocol.sources.values() if source.shown_label]
    reference = next(label for label in shown if label != contrast.level)
    return reference, contrast.level or next(label for label in shown if label != reference)


def _label_of(protocol: Protocol, row: Row) -> str | None:
    """The label that a response carries in its cell."""
    for name, factor in protocol.conditions.items():
        level = row.cell.level(name)
        if factor.kind == "shown_label" and row.source is not None and level in {"true", "swapped"}:
            of = row.source if level == "true" else swapped_source(protocol.sources, factor, row.source)
            return protocol.sources[of].shown_label if of else None
    return None


def _by_group(_protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    def is_of(row: Row, pool: str | None, kind: str | None) -> bool:
        return row.is_model if kind == "model" else not row.is_model and pool in {None, row.pool}

    def pick(row: Row) -> int | None:
        if is_of(row, contrast.pool, contrast.rater_kind):
            return FIRST
        return OTHER if is_of(row, contrast.reference_pool, contrast.reference_rater_kind) else None

    return pick


def _by_item(_protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    """Half of the items at the level, every second one; of models, a pool or a source if the contrast names it."""
    is_of_models = contrast.rater_kind == "model"

    def pick(row: Row) -> int | None:
        is_mine = row.is_model == is_of_models and contrast.pool in {None, row.pool}
        is_about = row.source is None or contrast.source in {None, row.source}
        return row.item % PAIR if is_mine and is_about else None

    return pick


def _by_arm(protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    """Pick by arm; a change within arms is that of one arm, or of all raters."""
    if contrast.factor is None:
        return lambda _row: FIRST
    pick = _by_level(protocol, contrast)
    return pick if contrast.test == "change_difference" else lambda row: pick(row) or None


_SIDES: dict[str, Callable[[Protocol, PrimaryContrast], Pick]] = {
    "sources": _by_source,
    "factor": _by_level,
    "pools": _by_group,
    "item_attribute": _by_item,
    "change": _by_arm,
}


# One simulated study.


@dataclass(frozen=True, eq=False)
class Simulation:
    """What is drawn: `mean` of the other side, `difference` of the first, both as shares if `is_of_shares`."""

    sides: Sides
    test: str
    sds: Sds
    mean: float
    difference: float
    points: Floats
    is_of_shares: bool
    is_of_raters: bool

    def result(self, rng: np.random.Generator) -> Result:
        """Draw one study and test it."""
        if self.is_of_raters:
            return self._of_raters(rng)
        shown, side = self.sides.shown, self.sides.side
        means = self._means(int(side.max(initial=0)) + 1)
        sizes = [int(code.max(initial=-1)) + 1 for code in (shown.item, shown.response, shown.rater)]
        minds = Minds(self.sds, means, n_items=sizes[0], n_responses=sizes[1], n_raters=sizes[2], rng=rng)
        value = minds.ratings(shown, self.points)
        return self._tested(value, side)

    def _tested(self, value: Floats, side: Ints) -> Result:
        shown, first = self.sides.shown, side == FIRST
        if TESTS[self.test].compares == "pools":
            return pool_difference(value, first, unit=self.sides.unit, item=shown.item, rater=shown.rater)
        if self.test == "interaction":
            return interaction(value, side >= PAIR, side % PAIR == 1, item=shown.item, rater=shown.rater)
        compare = category_difference if self.test == "category_difference" else factor_effect
        return compare(value, first, item=shown.item, rater=shown.rater)

    def _means(self, n: int) -> Floats:
        """The mean quality of each side; of shares, so that the share of all answers is as stated."""
        wanted = np.full(n, self.mean)
        wanted[-1 if n > PAIR else FIRST :] += self.difference
        if not self.is_of_shares:
            return wanted
        middle = float(self.points.mean())
        means: Floats = middle + self.sds.whole * ndtri(np.clip(wanted, 0.001, 0.999))
        return means

    def _of_raters(self, rng: np.random.Generator) -> Result:
        """Draw one or two scores of each rater: the level of the rater, and noise."""
        rater, at = np.unique(self.sides.shown.rater, return_index=True)
        is_first: Bools = self.sides.side[at] == FIRST
        level = self.mean + rng.normal(0, self.sds.rater, len(rater))
        before, after = (level + rng.normal(0, self.sds.residual, len(rater)) for _ in range(2))
        after = after + self.difference * is_first
        on_scale = partial(rounded, points=self.points)
        if self.test == "pool_difference":
            return group_difference(on_scale(after), is_first, rater=rater)
        if self.test == "pool_change_difference":
            return group_difference(on_scale(after) - on_scale(before), is_first, rater=rater)
        if self.test == "change":
            return change(on_scale(before), on_scale(after))
        return change_difference(on_scale(before), on_scale(after), is_first)
