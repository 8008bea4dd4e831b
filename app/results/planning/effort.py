"""What a study costs its raters and its budget: trials, raters, minutes and money, before anything is simulated."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.protocol.allocation.bulk_allocation import so_many_items, with_raters_per_trial
from app.protocol.allocation.feasibility import feasibility
from app.protocol.allocation.requirements import Group
from app.protocol.allocation.trials import PlannedItem, planned_trials
from app.protocol.study import Protocol
from app.studies.editor.sections import value_at, with_value

SizeSetting = Literal["raters_per_trial", "trials_per_rater"]


@dataclass(frozen=True, slots=True)
class Rates:
    """Minutes per trial and for everything else, pay per hour, the platform's fee in percent."""

    minutes_per_trial: float
    other_minutes: float
    pay_per_hour: float
    fee_percent: float

    def hours(self, n_ratings: int, n_raters: int) -> float:
        """The time of all raters together."""
        return (n_ratings * self.minutes_per_trial + n_raters * self.other_minutes) / 60

    def cost(self, n_ratings: int, n_raters: int) -> float:
        """The pay of all raters with the platform's fee."""
        return self.hours(n_ratings, n_raters) * self.pay_per_hour * (1 + self.fee_percent / 100)


@dataclass(frozen=True, slots=True)
class Effort:
    """Trials, ratings and raters of a design, and the most trials of one rater.

    `binds` names what determines the number of raters, as a sentence.
    """

    n_trials: int
    n_ratings: int
    n_raters: int
    most_trials: int
    binds: str

    def minutes(self, rates: Rates) -> float:
        """The longest time of one rater."""
        return self.most_trials * rates.minutes_per_trial + rates.other_minutes if self.most_trials else 0.0

    def hours(self, rates: Rates) -> float:
        """The time of all raters together."""
        return rates.hours(self.n_ratings, self.n_raters)

    def cost(self, rates: Rates) -> float:
        """The pay of all raters with the platform's fee."""
        return rates.cost(self.n_ratings, self.n_raters)


def effort(protocol: Protocol, items: Sequence[PlannedItem], n_items: int, per_trial: int) -> Effort:
    """Compute the effort of a study with this many items and raters per trial."""
    of_size = with_raters_per_trial(protocol, per_trial)
    trials = planned_trials(of_size, so_many_items(protocol, items, n_items))
    needs = feasibility(of_size, trials, {})
    most = max((group.n_each for group in needs.groups), default=0)
    repeats = protocol.design.repeats.n if protocol.design.repeats else 0
    most += (repeats + len(protocol.checks.gold)) if most else 0
    return Effort(len(trials), needs.n_seats, needs.n_raters, most, _binds(of_size, needs.groups))


def _binds(protocol: Protocol, groups: Sequence[Group]) -> str:
    """What decides how many raters are needed: the trials that each takes, or that each response needs several."""
    sentences = []
    for group in groups:
        n_each = group.n_each
        if group.n_raters > math.ceil(group.n_seats / n_each):
            sentences.append("each trial needs different raters, whatever the number of trials per rater")
        elif protocol.design.trials_of(group.pool) == n_each:
            sentences.append(f"each rater takes at most {n_each} trials (trials per rater)")
        else:
            sentences.append(f"each rater can take all {n_each} trials that differ")
    return "; ".join(dict.fromkeys(sentences))


def data_with_size(data: dict[str, Any], setting: SizeSetting, n: int) -> dict[str, Any]:
    """The content of study.yaml with n raters per trial, or at most n trials per rater, in every pool."""
    for name in value_at(data, "design.pools") or {}:
        data = with_value(data, f"design.pools.{name}.{setting}", n)
    return with_value(data, f"design.{setting}", n)
