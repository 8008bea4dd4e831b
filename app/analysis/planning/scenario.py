"""One scenario of a plan: the study's trials assigned to a number of raters, and simulated results."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.planning.declared import leaving, rows_of, shares_reached, simulation_of, statistic_of
from app.protocol.allocation.bulk_allocation import Dealt, deal, so_many_items, with_raters_per_trial
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import PlannedItem, PlannedTrial, planned_trials
from app.protocol.primary import PrimaryContrast
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.stats.agreement import krippendorff_alpha
from app.stats.multiplicity import adjusted
from app.stats.ratings import Ratings
from app.stats.result import Result
from app.stats.simulated_ratings import Minds, Sds, Shown


@dataclass(frozen=True, slots=True)
class Assumed:
    """Assumptions about raters and items: standard deviations, the reference's mean and the difference, in points.

    `origin` describes where the values come from.
    """

    sds: Sds
    mean: float
    difference: float
    origin: str


@dataclass(frozen=True, slots=True)
class Member:
    """A contrast that is simulated, with its assumptions and the points of its scale.

    `is_shown`: whether the plan has a row for it. `is_in_family`: whether Holm's method adjusts it with the others;
    `is_simulated` is False for a member that planning cannot simulate, which counts as not detected.
    """

    contrast: PrimaryContrast
    assumed: Assumed
    points: tuple[float, ...] | None
    is_shown: bool = False
    is_in_family: bool = True
    is_simulated: bool = True


@dataclass(frozen=True, slots=True)
class Scenario:
    """The size of a study."""

    n_items: int
    n_raters: int
    raters_per_trial: int


class Simulated:
    """A simulated study: trials are assigned once; each call of `results` draws new effects and new noise."""

    def __init__(
        self,
        protocol: Protocol,
        items: Sequence[PlannedItem],
        assumed: Assumed,
        scenario: Scenario,
        question: ScaledQuestion | None,
        seed: int,
        members: Sequence[Member] = (),
        attrition: float = 0.0,
    ) -> None:
        self._assumed, self._n_raters, self._question, self._attrition = assumed, scenario.n_raters, question, attrition
        self._sources = tuple(protocol.sources)
        self._reference = self._code(protocol.reference)
        # Agreement is that on one source: over both it would be inflated by their difference.
        self._source = next((code for code in range(len(self._sources)) if code != self._reference), 0)
        size = (scenario.n_items, scenario.n_raters, scenario.raters_per_trial)
        of_size = with_raters_per_trial(protocol, scenario.raters_per_trial)
        trials = planned_trials(of_size, so_many_items(protocol, items, scenario.n_items))
        dealt = deal(of_size, trials, scenario.n_raters, seeded(seed, *size))
        self._rng = np.random.default_rng([seed, *size])
        self.n_seats = len(dealt)
        self.n_unfilled = sum(seats.n for trial in trials for seats in trial.seats) - len(dealt)
        repeats = protocol.design.repeats
        loads = np.bincount([one.rater for one in dealt], minlength=1)
        self.most_trials = int(loads.max()) + (repeats.n if repeats else 0)
        self._lay_out(trials, dealt)
        self._members = []
        for one in members if dealt else ():
            of, contrast = one.assumed, one.contrast
            rows = rows_of(protocol, contrast, trials, dealt) if one.is_simulated else []
            if rows or not one.is_simulated:
                how = {"mean": of.mean, "difference": of.difference, "attrition": attrition}
                drawn = simulation_of(protocol, contrast, rows, of.sds, points=one.points, **how) if rows else None
                self._members.append((one, drawn))

    def _code(self, source: str | None) -> int:
        return self._sources.index(source) if source in self._sources else -1

    def _lay_out(self, trials: Sequence[PlannedTrial], dealt: Sequence[Dealt]) -> None:
        """Store every response that a rater sees, and the pairs of source and reference, as arrays."""
        items = _numbered(trial.item.key for trial in trials)
        responses = _numbered(one.key for trial in trials for one in trial.responses)
        self._n_items, self._n_responses = len(items), len(responses)
        seen: dict[tuple[int, int, int, int], float] = {}
        for one, reached in zip(dealt, shares_reached(dealt), strict=True):
            trial = trials[one.trial]
            for each in trial.responses:
                row = (items[trial.item.key], responses[each.key], self._code(each.source), one.rater)
                seen.setdefault(row, reached)
        self._shown, self._reached = _shown([*seen]), np.array([*seen.values()])

    def results(self, only: str | None = None) -> dict[str, Result]:
        """Simulate one study and return the results, by statistic, that the design and the questions allow.

        P-values of the primary contrasts are adjusted as the report adjusts them. `only` names the one statistic to
        compute.
        """
        found: dict[str, Result] = {}
        shown = [one for one in self._members if one[0].is_shown and only in {None, statistic_of(one[0].contrast)}]
        if only is None and self._question is not None and self._question.target == "response" and len(self._reached):
            found[f"krippendorff_alpha_{self._question.level}"] = self._agreement(self._question)
        elif only is None and self._question is None:
            chosen = next((drawn for _, drawn in shown if drawn and drawn.is_of_choices), None)
            if chosen is not None:
                found["krippendorff_alpha_nominal"] = _of_choices(*chosen.choices(self._rng))
        results = {id(one): drawn.result(self._rng) for one, drawn in shown if drawn}
        if any(one.is_in_family for one, _ in shown):
            results = self._adjusted(results)
        return found | {statistic_of(one.contrast): results[id(one)] for one, _ in shown if id(one) in results}

    def influences(self, statistic: str) -> tuple[Floats, Ints, Ints]:
        """Simulate one study: the influence of each answer on the difference of two sources, its item and its rater.

        `statistic` is `mean_difference`, of the question, or `share_preferred`.
        """
        [drawn] = [drawn for one, drawn in self._members if drawn and statistic_of(one.contrast) == statistic][:1]
        return drawn.influences(self._rng)

    def _adjusted(self, results: dict[int, Result]) -> dict[int, Result]:
        """The results with p-values of the family adjusted by Holm's method, its other members drawn apart."""
        family = [(one, drawn) for one, drawn in self._members if one.is_in_family]
        drawn_now = {
            id(one): results.get(id(one)) or (drawn.result(self._rng) if drawn else None) for one, drawn in family
        }
        p_values = [1.0 if result is None else result.p_value for result in drawn_now.values()]
        found = dict(zip(drawn_now, adjusted(p_values, "holm"), strict=True))
        return {key: replace(result, p_value=found.get(key, result.p_value)) for key, result in results.items()}

    def _agreement(self, question: ScaledQuestion) -> Result:
        means = np.array(
            [
                self._assumed.mean + self._assumed.difference * (code != self._reference)
                for code in range(max(len(self._sources), 1))
            ]
        )
        minds = Minds(
            self._assumed.sds,
            means,
            n_items=self._n_items,
            n_responses=self._n_responses,
            n_raters=self._n_raters,
            rng=self._rng,
        )
        shown = self._shown
        value = minds.ratings(shown, np.array(question.values))
        is_in = shown.source == self._source
        if self._attrition:
            is_in &= self._reached <= leaving(self._n_raters, self._attrition, self._rng)[shown.rater]
        rated = Ratings(shown.response[is_in], shown.rater[is_in], value[is_in])
        return krippendorff_alpha(rated, level=question.level, inference="new_units_and_raters")


def _of_choices(won: Floats, shown: Shown) -> Result:
    return krippendorff_alpha(Ratings(shown.item, shown.rater, won), level="nominal", inference="new_units_and_raters")


def _numbered(keys: Iterable[str]) -> dict[str, int]:
    return {key: code for code, key in enumerate(dict.fromkeys(keys))}


def _shown(rows: Sequence[tuple[int, int, int, int]]) -> Shown:
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 4)
    return Shown(*table.T)
