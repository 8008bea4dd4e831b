"""Calibration of planning: what is forecast against what reports say of studies that were simulated apart from it.

python -m benchmarks.planned_contrasts [--runs 200] [--only NAME]. Each study is drawn by the formula in
docs/planning.md, which is written here a second time, and analysed by the report. The table is in docs/validation.md.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy.stats import norm

from app.analysis import analyze_primary
from app.analysis.data.frames import Frames
from app.analysis.planning.declared import N_MODELS
from app.analysis.planning.plan import PlanRow
from app.protocol.allocation.bulk_allocation import Dealt, deal, so_many_items
from app.protocol.allocation.human_sample import rated_by_people
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import PlannedItem, PlannedTrial, planned_trials
from app.protocol.study import Protocol
from app.results.planning.make_plan import Asked, make_plan
from app.stats.simulated_ratings import Sds
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

SDS = Sds(item=0.5, rater=0.5, item_source=0.4, rater_source=0.4, residual=0.8)
OF_SHARES = Sds(item=0.15, rater=0.12, item_source=0.15, rater_source=0.08, residual=0.19)
N_ITEMS, N_RATERS = 24, 30
OF_F1 = Sds(item=0.15, rater=0.12, item_source=0.1, rater_source=0.08, residual=0.19)
OF_Z = Sds(item=0.2, rater=0.2, item_source=0.1, rater_source=0.1, residual=0.3)
CODES, N_MOMENTS = "abcd", 8
FEELING: dict[str, Any] = {
    "key": "feeling",
    "type": "category",
    "target": "item",
    "text": "What do they feel?",
    "codes": list(CODES),
    "correct_column": "key",
}
FELT: dict[str, Any] = {
    "key": "felt",
    "type": "slider",
    "target": "turn",
    "text": "How do they feel now?",
    "min": 0,
    "max": 1000,
}
MODELS = {"rater_kind": "model", "reference_rater_kind": "person"}
HARM: dict[str, Any] = {
    "key": "harm",
    "type": "category",
    "target": "response",
    "text": "Is it right?",
    "codes": ["no", "yes"],
    "correct": "yes",
}
BEFORE, AFTER = ({**FIVE, "key": key, "target": "rater"} for key in ("before", "after"))
INSTRUCTED = {"reading": {"kind": "instruction", "levels": {"plain": "Read.", "imagine": "Imagine."}}}
POOLS = {"pools": {"expert": {"raters_per_trial": 2}, "crowd": {"raters_per_trial": 3}}}
# on which side an answer is: of a trial, its item, a pool and the source of the response
Side = Callable[[PlannedTrial, int, str | None, str], int]


@dataclass(frozen=True)
class Case:
    """A design, the size of its contrast, and the side (1 or 0) of an answer. `attrition`: who leaves early."""

    name: str
    statistic: str
    study: Protocol
    side: Side
    mean: float
    difference: float
    sds: Sds = SDS
    columns: dict[str, Callable[[int], str]] = field(default_factory=dict)
    attrition: float = 0.0

    @property
    def contrast(self) -> dict[str, Any]:
        """The parts of the contrast."""
        return self.study.analysis.primary[0].named

    @property
    def items(self) -> list[PlannedItem]:
        """The items that people rate: all, or those of the sample."""
        return rated_by_people(self.study, so_many_items(self.study, [], N_ITEMS))


def _study(*questions: dict[str, Any], contrast: dict[str, Any], **more: Any) -> Protocol:  # noqa: ANN401
    analysis = {"primary": [contrast], **more.pop("analysis", {})}
    design = {"raters_per_trial": 3, **more.pop("design", {})}
    return protocol(*questions, analysis=analysis, design=design, **more)


CASES = (
    Case(
        "sources, people rate half of the items",
        "mean_difference",
        _study(
            FIVE,
            contrast={"question": "empathy", "test": "mean_difference"},
            design={"human_sample": {"share": 0.5}},
        ),
        lambda _trial, _item, _pool, source: int(source == "model"),
        *(2.8, 0.4),
    ),
    Case(
        "F1 of models and people",
        "pool_f1_difference",
        _study(FEELING, contrast={"question": "feeling", "test": "pool_f1_difference", **MODELS}, sources={}),
        lambda _trial, _item, pool, _source: int(pool == "model"),
        *(0.55, 0.15, OF_F1),
        columns={"key": lambda item: CODES[item % len(CODES)]},
    ),
    Case(
        "empathic accuracy of models and people",
        "pool_empathic_difference",
        _study(
            FELT,
            contrast={"question": "felt", "test": "pool_empathic_difference", **MODELS},
            design={"trials": "dialogue"},
            analysis={"empathic_accuracy": {"felt": "felt"}},
        ),
        lambda _trial, _item, pool, _source: int(pool == "model"),
        *(0.5, 0.3, OF_Z),
        columns={"rater": lambda item: f"t{item}"},
    ),
    Case(
        "non-inferiority of sources",
        "non_inferiority",
        _study(FIVE, contrast={"question": "empathy", "test": "non_inferiority", "margin": 0.45}),
        lambda _trial, _item, _pool, source: int(source == "model"),
        *(2.8, 0.0),
    ),
    Case(
        "between arms",
        "factor_effect",
        _study(
            FIVE, contrast={"question": "empathy", "test": "factor_effect", "factor": "reading"}, conditions=INSTRUCTED
        ),
        lambda trial, _item, _pool, _source: int(trial.cell.level("reading") == "imagine"),
        *(2.8, 0.4),
    ),
    Case(
        "between unequal arms, a third of raters leave",
        "factor_effect",
        _study(
            FIVE,
            contrast={"question": "empathy", "test": "factor_effect", "factor": "reading"},
            conditions={"reading": {**INSTRUCTED["reading"], "weights": {"plain": 3}}},
        ),
        lambda trial, _item, _pool, _source: int(trial.cell.level("reading") == "imagine"),
        *(2.8, 0.7),
        attrition=1 / 3,
    ),
    Case(
        "equivalence of sources",
        "equivalence",
        _study(FIVE, contrast={"question": "empathy", "test": "equivalence", "margin": 0.45}),
        lambda _trial, _item, _pool, source: int(source == "model"),
        *(2.8, 0.0),
    ),
    Case(
        "two sources against a third (Holm)",
        "mean_difference",
        _study(
            FIVE,
            contrast={"question": "empathy", "test": "mean_difference"},
            sources={name: {"kind": "human" if name == "human" else "model"} for name in ("human", "model", "other")},
            design={"trials": "set"},
        ),
        lambda _trial, _item, _pool, source: int(source != "human"),
        *(2.8, 0.4),
    ),
    Case(
        "pools",
        "pool_difference",
        _study(FIVE, contrast={"question": "empathy", "pool": "expert", "reference_pool": "crowd"}, design={**POOLS}),
        lambda _trial, _item, pool, _source: int(pool == "expert"),
        *(2.8, 0.6),
    ),
    Case(
        "correlation of pools",
        "pool_correlation",
        _study(
            FIVE,
            contrast={"question": "empathy", "test": "pool_correlation", "pool": "expert", "reference_pool": "crowd"},
            design={**POOLS},
        ),
        lambda _trial, _item, pool, _source: int(pool == "expert"),
        *(2.8, 0.6),
    ),
    Case(
        "attribute of items",
        "item_attribute_accuracy",
        _study(
            HARM,
            contrast={"question": "harm", "test": "item_attribute_accuracy", "attribute": "version"},
            analysis={"matched_items": "story"},
        ),
        lambda _trial, item, _pool, _source: item % 2,
        *(0.5, 0.2, OF_SHARES),
        columns={"version": lambda item: "ab"[item % 2], "story": lambda item: str(item // 2)},
    ),
    Case(
        "attribute of items by source",
        "item_attribute_interaction",
        _study(
            HARM,
            contrast={"question": "harm", "test": "item_attribute_interaction", "code": "yes", "attribute": "version"},
            analysis={"reference": "human"},
        ),
        lambda _trial, item, _pool, source: int(source == "model" and item % 2),
        *(0.4, 0.3, OF_SHARES),
        columns={"version": lambda item: "ab"[item % 2]},
    ),
    Case(
        "preference",
        "share_preferred",
        _study(CHOICE, contrast={"question": "preference"}, design={"trials": "pairs"}),
        lambda _trial, _item, _pool, _source: 1,
        *(2.8, 0.3),
    ),
    Case(
        "change between arms",
        "change_difference",
        _study(
            *(BEFORE, AFTER, FIVE),
            contrast={"question": "after", "test": "change_difference", "factor": "reading"},
            conditions=INSTRUCTED,
            analysis={"changes": [{"before": "before", "after": "after"}]},
        ),
        lambda trial, _item, _pool, _source: int(trial.cell.level("reading") == "imagine"),
        *(2.5, 0.8),
    ),
    Case(
        "change to a later wave between arms, a fifth do not come back",
        "change_difference",
        _study(
            *(BEFORE, FIVE),
            contrast={"question": "before@2", "test": "change_difference", "factor": "reading"},
            conditions=INSTRUCTED,
            waves=[{"days": 14}],
        ),
        lambda trial, _item, _pool, _source: int(trial.cell.level("reading") == "imagine"),
        *(2.5, 0.9),
        attrition=0.2,
    ),
)


class Drawn:
    """One study by the formula of the documentation."""

    def __init__(self, case: Case, rng: np.random.Generator) -> None:
        self._case, self._rng, self._effects = case, rng, dict[object, float]()
        sds = case.sds
        self._item = max(sds.item**2 - sds.item_source**2 / 4, 0) ** 0.5
        self._rater = max(sds.rater**2 - sds.rater_source**2 / 4, 0) ** 0.5
        of_sides = (sds.item_source**2 + sds.rater_source**2) / 2
        self._whole = (self._item**2 + self._rater**2 + of_sides + sds.residual**2) ** 0.5

    def frames(self) -> Frames:
        study, items = self._case.study, self._case.items
        trials = planned_trials(study, items)
        # as the plan deals them, because the widths depend on who rates what
        dealt = deal(study, trials, N_RATERS, seeded(1, len(items), N_RATERS, study.design.raters_per_trial))
        at = {key: code for code, key in enumerate(dict.fromkeys(trial.item.key for trial in trials))}
        rows: list[Row] = []
        kinds = dict.fromkeys((one.rater for one in dealt), "person")
        if "rater_kind" in self._case.contrast:
            models = [Dealt(n, N_RATERS + model, "model") for n in range(len(trials)) for model in range(N_MODELS)]
            dealt, kinds = [*dealt, *models], kinds | {one.rater: "model" for one in models}
        if self._case.statistic == "pool_empathic_difference":
            rows += self._targets([trial.item.key for trial in trials])
        for one in self._answered(dealt):
            trial = trials[one.trial]
            base: Row = {"rater": f"r{one.rater}", "item": trial.item.key, "condition": trial.cell.text or None}
            item = at[trial.item.key]
            drawn = {"share_preferred": self._choice, "pool_f1_difference": self._feeling}
            of = {**drawn, "pool_empathic_difference": self._felt}.get(self._case.statistic, self._ratings)
            rows += [{**base, **row} for row in of(trial, item, one)]
        if self._case.statistic == "change_difference":
            rows += self._scores({one.rater: trials[one.trial].cell.text for one in dealt})
        pools = {one.rater: one.pool if kinds[one.rater] == "person" else None for one in dealt}
        raters = [{"rater": f"r{rater}", "kind": kinds[rater], "pool": pool} for rater, pool in pools.items()]
        data = frames(study, rows, raters=raters)
        for name, column in self._case.columns.items():
            data.items[name] = [column(at[key]) for key in data.items["item"]]
        return data

    def _answered(self, dealt: Sequence[Dealt]) -> Iterator[Dealt]:
        """What raters answer of their trials: some leave after a share of them, each share as likely."""
        own: dict[int, list[Dealt]] = {}
        for one in dealt:
            own.setdefault(one.rater, []).append(one)
        for trials in own.values():
            share = self._rng.random() if self._rng.random() < self._case.attrition else 1.0
            yield from trials[: int(share * len(trials))]

    def _effect(self, of: object, sd: float) -> float:
        return self._effects.setdefault(of, float(self._rng.normal(0, sd)))

    def _seen(self, item: int, unit: str, rater: int, side: int | str) -> float:
        sds, group = self._case.sds, item // 2 if "story" in self._case.columns else item
        lasting = self._effect(("item", group), self._item) + self._effect((unit, side), sds.item_source / 2**0.5)
        taste = self._effect(("taste", rater, side), sds.rater_source / 2**0.5)
        return lasting + self._effect(("rater", rater), self._rater) + taste + float(self._rng.normal(0, sds.residual))

    def _choice(self, trial: PlannedTrial, item: int, one: Dealt) -> Iterator[Row]:
        keys = [f"{trial.item.key}:{each.source}" for each in trial.responses]
        gains = [self._case.difference * (each.source == "model") for each in trial.responses]
        seen = [self._seen(item, key, one.rater, int(gain > 0)) + gain for key, gain in zip(keys, gains, strict=True)]
        sides = {"left_response": keys[0], "right_response": keys[1]}
        yield {"question": "preference", "value": keys[seen[1] > seen[0]], **sides}

    def _feeling(self, trial: PlannedTrial, item: int, one: Dealt) -> Iterator[Row]:
        """One of four codes: the right one with this probability, which is the F1, else any other."""
        side, key = self._case.side(trial, item, one.pool, ""), item % len(CODES)
        seen = self._seen(item, trial.item.key, one.rater, side)
        is_right = seen > -norm.ppf(self._case.mean + self._case.difference * side) * self._whole
        code = key if is_right else (key + int(self._rng.integers(1, len(CODES)))) % len(CODES)
        yield {"question": "feeling", "value": CODES[code]}

    def _felt(self, trial: PlannedTrial, item: int, one: Dealt) -> Iterator[Row]:
        """Ratings of moments whose correlation with the target's own is that of the Fisher z that is drawn."""
        side = self._case.side(trial, item, one.pool, "")
        z = self._case.mean + self._case.difference * side + self._seen(item, trial.item.key, one.rater, side)
        own, other = _moments(item), self._rng.normal(size=N_MOMENTS)
        other = other - other.mean() - own * (own @ other) / (own @ own)
        r = np.tanh(z)
        sensed = r * own / np.linalg.norm(own) + np.sqrt(1 - r**2) * other / np.linalg.norm(other)
        yield from _turns(sensed)

    def _targets(self, items: Sequence[str]) -> Iterator[Row]:
        for at, item in enumerate(items):
            yield from ({"rater": f"t{at}", "item": item, **row} for row in _turns(_moments(at) / 6))

    def _ratings(self, trial: PlannedTrial, item: int, one: Dealt) -> Iterator[Row]:
        for each in trial.responses:
            side = self._case.side(trial, item, one.pool, each.source)
            level = self._case.mean + self._case.difference * side
            key = f"{trial.item.key}:{each.source}"
            # raters have a taste for each source where sources are compared, by attribute of items too
            taste = each.source if "source" in self._case.name else side
            if self._case.statistic == "item_attribute_interaction":
                taste = f"{each.source}{item % 2}"
            seen = self._seen(item, key, one.rater, taste)
            if self._case.statistic.startswith("item_attribute"):
                is_right = seen > -norm.ppf(level) * self._whole
                yield {"response": key, "question": "harm", "value": ("no", "yes")[int(is_right)]}
            else:
                yield {"response": key, "question": "empathy", "value": self._point(level + seen)}

    def _scores(self, arms: dict[int, str]) -> Iterator[Row]:
        last = self._case.study.analysis.primary[0].question
        for rater, arm in arms.items():
            own = self._case.mean + float(self._rng.normal(0, self._case.sds.rater))
            is_back = self._rng.random() >= self._case.attrition if self._case.attrition else True
            for question in ("before", last)[: 1 + is_back]:
                gain = self._case.difference * (question == last and arm == "reading=imagine")
                value = self._point(own + gain + float(self._rng.normal(0, self._case.sds.residual)))
                yield {"rater": f"r{rater}", "item": None, "condition": arm, "question": question, "value": value}

    def _point(self, level: float) -> float:
        return float(np.clip(np.rint(level), 1, 5))


def _moments(item: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """How a target felt at each moment, with mean 0."""
    felt = np.sin(np.arange(N_MOMENTS) * (1 + item % 3) + item)
    return np.asarray(felt - felt.mean(), dtype=np.float64)


def _turns(felt: np.ndarray[Any, np.dtype[np.float64]]) -> Iterator[Row]:
    for turn, value in enumerate(felt, 1):
        yield {"question": "felt", "turn": turn, "value": float(np.clip(np.rint(500 + 450 * value), 0, 1000))}


@dataclass(frozen=True)
class Calibration:
    """What a plan forecasts for a case, and what the reports of studies that were drawn apart from it give.

    `width_error` is the standard error of the mean width of the reports.
    """

    forecast: PlanRow
    power: float
    power_error: float
    width: float
    width_error: float


def calibration(case: Case, n: int, seed: int = 7) -> Calibration:
    """Forecast a case and analyse n studies, drawn by the formula of the documentation, by the report."""
    stated = {"mean": case.mean, "difference": case.difference, **asdict(case.sds)}
    items = case.items
    asked = Asked((len(items),), (N_RATERS,), stated=stated, n_simulations=n, attrition=case.attrition)
    forecast = next(row for row in make_plan(case.study, items, asked).rows if row.statistic == case.statistic)
    rng = np.random.default_rng(seed)
    found = [analyze_primary(Drawn(case, rng).frames(), case.study).primary[0].estimates[0] for _ in range(n)]
    p_values = [one.p_value if one.p_adjusted is None else one.p_adjusted for one in found]
    power = float(np.mean([p is not None and p < 0.05 for p in p_values]))
    widths = [one.ci_high - one.ci_low for one in found if one.ci_low is not None and one.ci_high is not None]
    errors = (power * (1 - power) / n) ** 0.5, float(np.std(widths) / len(widths) ** 0.5)
    return Calibration(forecast, power, errors[0], float(np.mean(widths)), errors[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--only", default="")
    n, only = parser.parse_args().runs, parser.parse_args().only
    print("| contrast | statistic | power: forecast, reports | width: forecast, reports |\n|---|---|---|---|")
    for case in CASES:
        if only not in case.name:
            continue
        one = calibration(case, n)
        told = f"{one.forecast.power:.3f}, {one.power:.3f} (±{one.power_error:.3f})"
        told += f" | {one.forecast.width:.3f}, {one.width:.3f}"
        print(f"| {case.name} | `{case.statistic}` | {told} |", flush=True)


if __name__ == "__main__":
    main()
