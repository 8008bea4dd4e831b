"""Calibration of planning: what is forecast against what reports say of studies that were simulated apart from it.

python -m benchmarks.planned_contrasts [--runs 200]. Each study is drawn by the formula in docs/planning.md, which is
written here a second time, and analysed by the report. The table is in docs/planning.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy.stats import norm

from app.analysis import analyze_primary
from app.analysis.data.frames import Frames
from app.protocol.allocation.bulk_allocation import Dealt, deal, so_many_items
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import PlannedTrial, planned_trials
from app.protocol.study import Protocol
from app.results.planning.make_plan import Asked, make_plan
from app.stats.simulated_ratings import Sds
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

SDS = Sds(item=0.5, rater=0.5, item_source=0.4, rater_source=0.4, residual=0.8)
OF_SHARES = Sds(item=0.15, rater=0.12, item_source=0.15, rater_source=0.08, residual=0.19)
N_ITEMS, N_RATERS = 24, 30
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


def _study(*questions: dict[str, Any], contrast: dict[str, Any], **more: Any) -> Protocol:  # noqa: ANN401
    analysis = {"primary": [contrast], **more.pop("analysis", {})}
    design = {"raters_per_trial": 3, **more.pop("design", {})}
    return protocol(*questions, analysis=analysis, design=design, **more)


CASES = (
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
        study = self._case.study
        trials = planned_trials(study, so_many_items(study, [], N_ITEMS))
        dealt = deal(study, trials, N_RATERS, seeded(1, N_ITEMS, N_RATERS))
        at = {key: code for code, key in enumerate(dict.fromkeys(trial.item.key for trial in trials))}
        rows: list[Row] = []
        for one in self._answered(dealt):
            trial = trials[one.trial]
            base: Row = {"rater": f"r{one.rater}", "item": trial.item.key, "condition": trial.cell.text or None}
            item = at[trial.item.key]
            of = self._choice if self._case.statistic == "share_preferred" else self._ratings
            rows += [{**base, **row} for row in of(trial, item, one)]
        if self._case.statistic == "change_difference":
            rows += self._scores({one.rater: trials[one.trial].cell.text for one in dealt})
        raters = [{"rater": f"r{rater}", "kind": "person", "pool": pool} for rater, pool in self._pools(dealt).items()]
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

    def _pools(self, dealt: Sequence[Dealt]) -> dict[int, str | None]:
        return {one.rater: one.pool for one in dealt}

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
        for rater, arm in arms.items():
            own = self._case.mean + float(self._rng.normal(0, self._case.sds.rater))
            for question in ("before", "after"):
                gain = self._case.difference * (question == "after" and arm == "reading=imagine")
                value = self._point(own + gain + float(self._rng.normal(0, self._case.sds.residual)))
                yield {"rater": f"r{rater}", "item": None, "condition": arm, "question": question, "value": value}

    def _point(self, level: float) -> float:
        return float(np.clip(np.rint(level), 1, 5))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    n = parser.parse_args().runs
    print("| contrast | statistic | power: forecast, reports | width: forecast, reports |\n|---|---|---|---|")
    for case in CASES:
        stated = {"mean": case.mean, "difference": case.difference, **asdict(case.sds)}
        asked = Asked((N_ITEMS,), (N_RATERS,), stated=stated, n_simulations=n, attrition=case.attrition)
        plan = make_plan(case.study, [], asked)
        row = next(one for one in plan.rows if one.statistic == case.statistic)
        rng = np.random.default_rng(7)
        found = [analyze_primary(Drawn(case, rng).frames(), case.study).primary[0].estimates[0] for _ in range(n)]
        p_values = [one.p_value if one.p_adjusted is None else one.p_adjusted for one in found]
        power = np.mean([p is not None and p < 0.05 for p in p_values])
        widths = [one.ci_high - one.ci_low for one in found if one.ci_low is not None and one.ci_high is not None]
        told = f"{row.power:.3f}, {power:.3f} (±{(power * (1 - power) / n) ** 0.5:.3f})"
        told += f" | {row.width:.3f}, {np.mean(widths):.3f}"
        print(f"| {case.name} | `{case.statistic}` | {told} |", flush=True)


if __name__ == "__main__":
    main()
