"""The declared primary contrast in a planned study: its two sides among what raters see, and its test.

What a design does not say is assumed: half of the items at each level of an attribute of items, and five models, which
answer everything, where models are compared with people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from app.analysis.data.encoded_study import Bools, Floats, Ints
from app.analysis.planning.groups import FISHER_Z, SHARE_OF_KEY, Where, compared_groups
from app.protocol.allocation.bulk_allocation import Dealt
from app.protocol.allocation.trials import PAIR, PlannedTrial
from app.protocol.cells import Cell
from app.protocol.primary import TESTS, PrimaryContrast, is_of_texts
from app.protocol.primary_default import first_question, primary_contrasts
from app.protocol.questions.category import CategoryQuestion
from app.protocol.study import Protocol
from app.protocol.study_parts import swapped_source
from app.stats.clusters import for_new_items
from app.stats.comparison.change import change, change_difference
from app.stats.comparison.describe import mean_difference, share
from app.stats.comparison.pools import group_difference
from app.stats.comparison.t_tests import equivalence, item_mean_difference, non_inferiority
from app.stats.factors import factor_effect, interaction
from app.stats.proportions.share_difference import category_difference
from app.stats.result import Result
from app.stats.simulated_ratings import Minds, Sds, Shown, rounded

N_MODELS = 5
FIRST, OTHER = 1, 0
# tests of a difference in means against a margin
MARGINS = ("equivalence", "non_inferiority")
# each test that is simulated as declared beside the difference of two sources and the share preferred
SIMULATED = (
    *MARGINS,
    *("factor_effect", "interaction", "category_difference", "change", "change_difference"),
    *("pool_difference", "pool_correlation", "pool_change_difference", "pool_empathic_difference"),
    *("pool_accuracy_difference", "pool_category_difference", "pool_preference_difference"),
    *("pool_f1_difference", "pool_span_f1_difference"),
    *("item_attribute_effect", "item_attribute_accuracy", "item_attribute_category", "item_attribute_preference"),
    *("item_attribute_interaction", "text_difference"),
)
# contrasts of the difference of two sources
_INTERACTIONS = ("interaction", "item_attribute_interaction")
# what is drawn where it is neither a point of the question's scale nor an answer that is given or not
_DRAWN = {"pool_span_f1_difference": SHARE_OF_KEY, "pool_empathic_difference": FISHER_Z}


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
    found = next((one for one in contrasts if is_simulated(protocol, one)), None)
    if found is None and contrasts and protocol.analysis.primary:
        raise NotSimulatedError(str(contrasts[0].test))
    return found


def is_simulated(protocol: Protocol, contrast: PrimaryContrast) -> bool:
    """Whether planning simulates the contrast, by its own test or by `statistic_of`."""
    question = first_question(protocol, contrast.question)
    kinds = {("scale", "response"), ("preference", "pair")}
    is_fit = question is not None and (question.measure, question.target) in kinds
    is_declared = contrast.test in SIMULATED and contrast.test not in MARGINS
    return is_declared or (is_of_sources(contrast) and is_fit)


def is_of_sources(contrast: PrimaryContrast) -> bool:
    """Whether planning simulates a difference in means or a share preferred of two sources for the contrast."""
    test = TESTS[str(contrast.test)]
    return test.compares == "sources" and bool({"scale", "preference"} & {*test.measures})


def statistic_of(contrast: PrimaryContrast) -> str:
    """The statistic that stands for the contrast in a plan."""
    if contrast.test in SIMULATED or not is_of_sources(contrast):
        return str(contrast.test)
    return "mean_difference" if "scale" in TESTS[str(contrast.test)].measures else "share_preferred"


def is_of_shares(contrast: PrimaryContrast) -> bool:
    """Whether the contrast has a scale from 0 to 1 and no points.

    Shares of answers (codes, correct answers, choices by attribute or pool), F1, and Fisher's z of empathic accuracy.
    """
    is_of_points = "scale" in TESTS[str(contrast.test)].measures and contrast.test not in _DRAWN
    return not (is_of_points or is_of_sources(contrast) or is_of_texts(contrast))


# What Holm's method adjusts together: every test of the primary contrasts, one per source, level or code.


def family_of(protocol: Protocol) -> list[PrimaryContrast]:
    """The primary contrasts, one for each source, level or code that a contrast leaves open, if they have a p-value."""
    return [
        one
        for contrast in primary_contrasts(protocol)
        if TESTS[str(contrast.test)].compares not in _WITHOUT_TEST
        for one in each_of(protocol, contrast)
    ]


_WITHOUT_TEST = ("agreement", "accuracy", "empathic_accuracy", "spans", "structure")


def each_of(protocol: Protocol, contrast: PrimaryContrast) -> list[PrimaryContrast]:
    """The contrast for each source, level or code that it leaves open; of an attribute of items, its first level."""
    test = TESTS[str(contrast.test)]
    reference = contrast.reference or protocol.reference
    is_of_each_source = test.compares in {"sources", "texts"} or contrast.test in _INTERACTIONS
    open_parts = {
        "source": [key for key in protocol.sources if key != reference] if is_of_each_source else [],
        "level": _levels(protocol, contrast),
        "code": _codes(protocol, contrast) if "code" in test.may else [],
    }
    found = [contrast]
    for part, values in open_parts.items():
        if getattr(contrast, part) is None and values:
            found = [one.model_copy(update={part: value}) for one in found for value in values]
    return found


def _levels(protocol: Protocol, contrast: PrimaryContrast) -> list[str]:
    if contrast.factor is None:
        return []
    if contrast.factor == "shown_label":
        labels = [source.shown_label for source in protocol.sources.values() if source.shown_label]
        return [*dict.fromkeys(labels)][1:]
    factor = protocol.conditions[contrast.factor]
    reference = factor.reference_level or next(iter(factor.levels))
    return [level for level in factor.levels if contrast.test == "change" or level != reference]


def _codes(protocol: Protocol, contrast: PrimaryContrast) -> list[str]:
    question = first_question(protocol, contrast.question)
    return [*question.codes] if isinstance(question, CategoryQuestion) else []


class Row(NamedTuple):
    """What a rater answers once: the item, the unit within it, its source, and who answers in which cell.

    `reached` is the share of their trials that the rater has done with this one; raters who leave miss the last ones.
    """

    item: int
    unit: int
    source: str | None
    rater: int
    cell: Cell
    pool: str | None
    is_model: bool = False
    reached: float = 0.0


def rows_of(
    protocol: Protocol, contrast: PrimaryContrast, trials: Sequence[PlannedTrial], dealt: Sequence[Dealt]
) -> list[Row]:
    """Everything that raters are asked the question about, once each; of a contrast of texts, every response once."""
    if is_of_texts(contrast):
        return _texts(trials)
    items = {key: code for code, key in enumerate(dict.fromkeys(trial.item.key for trial in trials))}
    units: dict[object, int] = {}
    found: dict[Row, float] = {}
    for one, reached in zip(dealt, shares_reached(dealt), strict=True):
        trial = trials[one.trial]
        for unit, source in _answered(protocol, contrast, trial):
            code = units.setdefault(unit, len(units))
            found.setdefault(Row(items[trial.item.key], code, source, one.rater, trial.cell, one.pool), reached)
    rows = [row._replace(reached=reached) for row, reached in found.items()]
    return [*rows, *_models(rows)] if {"rater_kind", "reference_rater_kind"} & contrast.named.keys() else rows


def _texts(trials: Sequence[PlannedTrial]) -> list[Row]:
    """Every response as one that its own text answers."""
    items = {key: code for code, key in enumerate(dict.fromkeys(trial.item.key for trial in trials))}
    shown = {one.key: (items[trial.item.key], one.source) for trial in trials for one in trial.responses}
    cell = trials[0].cell
    return [Row(item, unit, source, item, cell, None) for unit, (item, source) in enumerate(shown.values())]


def shares_reached(dealt: Sequence[Dealt]) -> list[float]:
    """The share of their trials that a rater has done with each one, in the order dealt; the last one has 1."""
    total, done = Counter(one.rater for one in dealt), Counter[int]()
    found = []
    for one in dealt:
        done[one.rater] += 1
        found.append(done[one.rater] / total[one.rater])
    return found


def _answered(
    protocol: Protocol, contrast: PrimaryContrast, trial: PlannedTrial
) -> Sequence[tuple[object, str | None]]:
    """What a trial asks the question about, each with its source; of a choice between two sources, both of them."""
    question = first_question(protocol, contrast.question)
    if question is not None and question.target == "response":
        return [(each.key, each.source) for each in trial.responses]
    if question is None or question.target != "pair":
        return [(trial.item.key, None)]
    pair = frozenset(each.key for each in trial.responses)
    if is_of_sources(contrast):
        shown = [each.source for each in trial.responses]
        return [(pair, source) for source in shown] if sorted(shown) == sorted(_two(protocol, contrast)) else []
    return [(pair, None)] * (len(trial.responses) == PAIR)


def _models(rows: Sequence[Row]) -> Iterator[Row]:
    """What five models answer: all that people do, once."""
    n_people = max((row.rater for row in rows), default=-1) + 1
    units = dict.fromkeys(row._replace(rater=0, pool=None, is_model=True, reached=0.0) for row in rows)
    yield from (row._replace(rater=n_people + model) for row in units for model in range(N_MODELS))


@dataclass(frozen=True, eq=False)
class Sides:
    """The rows of a contrast: 1 on the first side and 0 on the other, shape (n,).

    Of an interaction, 2 is the first source at the reference level, 3 at the level that has the effect, 0 and 1 are the
    other source. `unit` is what both sides answer; the item of `shown` is the item, or what it is a version of.
    `reached` is that of the rows.
    """

    side: Ints
    unit: Ints
    shown: Shown
    reached: Floats

    def taken(self, leaves_at: Floats) -> Sides:
        """Without the rows that raters do not reach who leave after these shares of their trials, shape (raters,)."""
        keep = self.reached <= leaves_at[self.shown.rater]
        return Sides(self.side[keep], self.unit[keep], _where(self.shown, keep), self.reached[keep])


def leaving(n_raters: int, attrition: float, rng: np.random.Generator) -> Floats:
    """After which share of their trials raters leave, shape (n_raters,): 1 if they stay, else anywhere before."""
    found: Floats = np.where(rng.random(n_raters) < attrition, rng.random(n_raters), 1.0)
    return found


def simulation_of(
    protocol: Protocol,
    contrast: PrimaryContrast,
    rows: Sequence[Row],
    sds: Sds,
    *,
    mean: float,
    difference: float,
    points: Sequence[float] | None,
    attrition: float = 0.0,
) -> Simulation:
    """Return what simulates the contrast.

    `mean` and `difference` are points of a scale with these `points`, or shares of answers if it is of shares.
    `attrition` is the share of people who leave before their last trial.
    """
    question = first_question(protocol, contrast.question)
    sides = sides_of(protocol, contrast, rows)
    of_shares = is_of_shares(contrast)
    if is_of_texts(contrast):  # which no rater and no noise changes
        sds = replace(sds, rater=0.0, rater_source=0.0, residual=0.0)
    return Simulation(
        sides,
        str(contrast.test),
        sds,
        mean,
        difference,
        _drawn(contrast, None if of_shares else points),
        of_shares,
        is_of_raters=question is not None and question.target == "rater",
        is_lower_better=contrast.question not in protocol.analysis.composites and getattr(question, "reversed", False),
        margin=margin_of(protocol, contrast),
        attrition=attrition,
        n_codes=len(question.codes) if isinstance(question, CategoryQuestion) else 2,
    )


def _drawn(contrast: PrimaryContrast, points: Sequence[float] | None) -> Floats:
    """The values that a simulated answer can have, in ascending order; of shares, given or not."""
    return _DRAWN.get(str(contrast.test), np.array([0.0, 1.0] if points is None else points))


def margin_of(protocol: Protocol, contrast: PrimaryContrast) -> float | None:
    """The margin of a contrast that is tested against one."""
    return protocol.analysis.margin_of(contrast.question) if contrast.test in MARGINS else None


def sides_of(protocol: Protocol, contrast: PrimaryContrast, rows: Sequence[Row]) -> Sides:
    """The rows that the contrast compares, each on its side."""
    pick = _SIDES[TESTS[str(contrast.test)].compares](protocol, contrast)
    picked = [(row, pick(row)) for row in rows]
    kept = [(row.item, row.unit, row.rater, at) for row, at in picked if at is not None]
    item, unit, rater, side = np.array(kept, dtype=np.int64).reshape(-1, 4).T
    reached = np.array([row.reached for row, at in picked if at is not None])
    is_matched = TESTS[str(contrast.test)].compares == "item_attribute" and protocol.analysis.matched_items is not None
    response = np.unique(unit * (int(side.max(initial=0)) + 1) + side, return_inverse=True)[1].astype(np.int64)
    cluster = item // PAIR if is_matched else item
    return Sides(side, unit, Shown(cluster, response, side, rater), reached)


Pick = Callable[[Row], int | None]


def _two(protocol: Protocol, contrast: PrimaryContrast) -> tuple[str, str]:
    """The source and the reference of a contrast, the first of all where it names none; empty if there is none."""
    reference = contrast.reference or protocol.reference
    source = contrast.source or next((key for key in protocol.sources if key != reference), None)
    return source or "", reference or ""


def _by_source(protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    source, reference = _two(protocol, contrast)

    def pick(row: Row) -> int | None:
        if row.source is None or contrast.pool not in {None, row.pool}:
            return None
        return FIRST if row.source == source else _other(is_reference=row.source == reference)

    return pick


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
            return _of_four(of_source(row), side)
        return side if contrast.source in {None, row.source} else None

    return pick


def _of_four(source: int | None, side: int | None) -> int | None:
    """The side of an interaction, of the source and the level."""
    return None if source is None or side is None else PAIR * source + side


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


def _by_group(protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    """Pick by pool or kind of raters; targets of empathic accuracy, who tell how they felt, are not compared."""
    felt = protocol.analysis.empathic_accuracy if contrast.test == "pool_empathic_difference" else None
    targets = felt.pool if felt else None

    def is_of(row: Row, pool: str | None, kind: str | None) -> bool:
        return row.is_model if kind == "model" else not row.is_model and pool in {None, row.pool}

    def pick(row: Row) -> int | None:
        if targets is not None and row.pool == targets:
            return None
        if is_of(row, contrast.pool, contrast.rater_kind):
            return FIRST
        return OTHER if is_of(row, contrast.reference_pool, contrast.reference_rater_kind) else None

    return pick


def _by_item(protocol: Protocol, contrast: PrimaryContrast) -> Pick:
    """Half of the items at the level, every second one; of models, a pool or a source if the contrast names it."""
    is_of_models = contrast.rater_kind == "model"
    of_source = _by_source(protocol, contrast)

    def pick(row: Row) -> int | None:
        is_mine = row.is_model == is_of_models and contrast.pool in {None, row.pool}
        if contrast.test == "item_attribute_interaction":
            return _of_four(of_source(row), row.item % PAIR) if is_mine else None
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
    "texts": _by_source,
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
    is_lower_better: bool = False
    margin: float | None = None
    attrition: float = 0.0
    n_codes: int = 2

    def result(self, rng: np.random.Generator) -> Result:
        """Draw one study and test it."""
        if self.is_of_choices:
            won, shown = self.choices(rng)
            return share(won, item=shown.item, rater=shown.rater, null=0.5)
        if TESTS[self.test].compares == "texts":
            return self._of_texts(rng)
        sides = self._taken(rng)
        if self.is_of_raters:
            return self._of_raters(sides, rng)
        return self._tested(self._minds(rng).ratings(sides.shown, self.points), sides, rng)

    @property
    def is_of_choices(self) -> bool:
        """Whether raters choose between two sources."""
        return "preference" in TESTS[self.test].measures and not self.is_of_shares

    def choices(self, rng: np.random.Generator) -> tuple[Floats, Shown]:
        """Draw one study of choices: 1 where the first source is chosen, else 0, and where it is shown."""
        sides = self._taken(rng)
        one, other = (_where(sides.shown, sides.side == at) for at in (FIRST, OTHER))
        return self._minds(rng).choices(one, other), one

    def influences(self, rng: np.random.Generator) -> tuple[Floats, Ints, Ints]:
        """Draw one study: the influence of each answer on the difference of two sources, its item and its rater."""
        if self.is_of_choices:
            won, shown = self.choices(rng)
            return (won - won.mean()) / max(len(won), 1), shown.item, shown.rater
        sides = self._taken(rng)
        value, influence = self._minds(rng).ratings(sides.shown, self.points), np.zeros(len(sides.side))
        for at, sign in ((FIRST, 1), (OTHER, -1)):
            here = sides.side == at
            influence[here] = sign * (value[here] - value[here].mean()) / max(int(here.sum()), 1)
        return influence, sides.shown.item, sides.shown.rater

    def _taken(self, rng: np.random.Generator) -> Sides:
        """What raters answer, some of whom leave."""
        if not self.attrition:
            return self.sides
        return self.sides.taken(leaving(_n(self.sides.shown.rater), self.attrition, rng))

    def _minds(self, rng: np.random.Generator) -> Minds:
        shown, means = self.sides.shown, self._means(_n(self.sides.side))
        sizes = {"n_items": _n(shown.item), "n_responses": _n(shown.response), "n_raters": _n(shown.rater)}
        return Minds(self.sds, means, rng=rng, **sizes)

    def _tested(self, value: Floats, sides: Sides, rng: np.random.Generator) -> Result:
        shown, side, first = sides.shown, sides.side, sides.side == FIRST
        if TESTS[self.test].compares == "pools":
            where: Where = {"unit": sides.unit, "item": shown.item, "rater": shown.rater}
            return compared_groups(self.test, value, first, where, n_codes=self.n_codes, rng=rng)
        if self.test in _INTERACTIONS:
            return interaction(value, side >= PAIR, side % PAIR == 1, item=shown.item, rater=shown.rater)
        if TESTS[self.test].compares == "sources" and not self.is_of_shares:
            return self._of_means(value, first, shown)
        if self.test == "category_difference":
            return category_difference(value, first, item=shown.item, rater=shown.rater)
        is_of_items = TESTS[self.test].compares == "item_attribute"
        return factor_effect(value, first, item=shown.item, rater=shown.rater, is_of_items=is_of_items)

    def _of_means(self, value: Floats, first: Bools, shown: Shown) -> Result:
        """The difference in means of two sources, by the declared test if it is a t test or one against a margin."""
        if self.test in {"t_paired", "t_unpaired"}:
            is_paired = self.test == "t_paired"
            return item_mean_difference(value, first, item=shown.item, rater=shown.rater, is_paired=is_paired)
        found = mean_difference(value, first, item=shown.item, rater=shown.rater)
        if self.margin is None:
            return found
        if self.test == "equivalence":
            return equivalence(found, self.margin)
        return non_inferiority(found, self.margin, is_lower_better=self.is_lower_better)

    def _means(self, n: int) -> Floats:
        """The mean quality of each side; of shares, so that the share of all answers is as stated."""
        wanted = np.full(n, self.mean)
        wanted[-1 if n > PAIR else FIRST :] += self.difference
        if not self.is_of_shares or self.test in _DRAWN:
            return wanted
        middle = float(self.points.mean())
        means: Floats = middle + self.sds.whole * ndtri(np.clip(wanted, 0.001, 0.999))
        return means

    def _of_texts(self, rng: np.random.Generator) -> Result:
        """Draw a measure of each text."""
        shown, first = self.sides.shown, self.sides.side == FIRST
        value = self._minds(rng).seen(shown)
        return for_new_items(mean_difference(value, first, item=shown.item, rater=shown.item))

    def _of_raters(self, sides: Sides, rng: np.random.Generator) -> Result:
        """Draw one or two scores of each rater: the level of the rater, and noise. Who leaves has no last score."""
        is_last = sides.reached == 1 if self.attrition else np.ones(len(sides.side), dtype=bool)
        rater, at = np.unique(sides.shown.rater[is_last], return_index=True)
        is_first: Bools = sides.side[is_last][at] == FIRST
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


def _n(code: Ints) -> int:
    """How many codes there are."""
    return int(code.max(initial=-1)) + 1


def _where(shown: Shown, is_in: Bools) -> Shown:
    return Shown(shown.item[is_in], shown.response[is_in], shown.source[is_in], shown.rater[is_in])
