"""One scenario of a plan: the study's trials assigned to a number of raters, and simulated results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from app.analysis.data.encoded_study import Floats, Ints
from app.analysis.planning.declared import rows_of, simulation_of
from app.protocol.allocation.bulk_allocation import Dealt, deal, so_many_items, with_raters_per_trial
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import PlannedItem, PlannedTrial, planned_trials
from app.protocol.primary import PrimaryContrast
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.questions.scale import Level
from app.protocol.study import Protocol
from app.stats.agreement import krippendorff_alpha
from app.stats.comparison.describe import mean_difference, share
from app.stats.ratings import Ratings
from app.stats.result import Result
from app.stats.simulated_ratings import Minds, Sds, Shown

PAIR = 2


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
        contrast: PrimaryContrast | None = None,
    ) -> None:
        self._protocol, self._assumed, self._n_raters, self._question = protocol, assumed, scenario.n_raters, question
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
        self._contrast = contrast
        if contrast is not None:
            rows = rows_of(protocol, contrast, trials, dealt)
            points = None if question is None else question.values
            mean, difference = assumed.mean, assumed.difference
            self._declared = simulation_of(
                protocol, contrast, rows, assumed.sds, mean=mean, difference=difference, points=points
            )

    def _code(self, source: str | None) -> int:
        return self._sources.index(source) if source in self._sources else -1

    def _lay_out(self, trials: Sequence[PlannedTrial], dealt: Sequence[Dealt]) -> None:
        """Store every response that a rater sees, and the pairs of source and reference, as arrays."""
        items = _numbered(trial.item.key for trial in trials)
        responses = _numbered(one.key for trial in trials for one in trial.responses)
        self._n_items, self._n_responses = len(items), len(responses)
        seen, pairs = [], []
        for one in dealt:
            trial = trials[one.trial]
            row = [
                (items[trial.item.key], responses[each.key], self._code(each.source), one.rater)
                for each in trial.responses
            ]
            seen += row
            if [cell[2] for cell in row] in ([self._source, self._reference], [self._reference, self._source]):
                pairs.append(sorted(row, key=lambda cell: cell[2] == self._reference))
        self._shown = _shown(list(dict.fromkeys(seen)))
        self._one, self._other = _shown([pair[0] for pair in pairs]), _shown([pair[1] for pair in pairs])

    def results(self, only: str | None = None) -> dict[str, Result]:
        """Simulate one study and return the results, by statistic, that the design and the questions allow.

        `only` names the one statistic to compute.
        """
        minds = self._minds()
        ways: dict[str, Callable[[], Result]] = {}
        if self._contrast is not None:
            ways[str(self._contrast.test)] = partial(self._declared.result, self._rng)
        if self._question is not None and self._question.target == "response" and len(self._shown.item):
            ways |= self._of_ratings(minds.ratings(self._shown, np.array(self._question.values)), self._question.level)
        if self._contrast is None and self._protocol.choice_questions and len(self._one.item):
            ways |= self._of_choices(minds.choices(self._one, self._other))
        return {statistic: compute() for statistic, compute in ways.items() if only in {None, statistic}}

    def influences(self, statistic: str) -> tuple[Floats, Ints, Ints]:
        """Simulate one study: the influence of each answer on the difference of two sources, its item and its rater.

        `statistic` is `mean_difference`, of the question, or `share_preferred`.
        """
        minds, shown = self._minds(), self._one if statistic == "share_preferred" else self._shown
        if statistic == "share_preferred" or self._question is None:
            won = minds.choices(self._one, self._other)
            return (won - won.mean()) / max(len(won), 1), shown.item, shown.rater
        value = minds.ratings(shown, np.array(self._question.values))
        influence = np.zeros(len(value))
        for source, sign in ((self._source, 1), (self._reference, -1)):
            here = shown.source == source
            influence[here] = sign * (value[here] - value[here].mean()) / max(int(here.sum()), 1)
        here = np.isin(shown.source, [self._source, self._reference])
        return influence[here], shown.item[here], shown.rater[here]

    def _minds(self) -> Minds:
        """New effects of items, responses and raters."""
        gap = self._assumed.difference
        means = np.array([self._assumed.mean + gap * (code != self._reference) for code in range(len(self._sources))])
        return Minds(
            self._assumed.sds,
            means,
            n_items=self._n_items,
            n_responses=self._n_responses,
            n_raters=self._n_raters,
            rng=self._rng,
        )

    def _of_ratings(self, value: Floats, level: Level) -> dict[str, Callable[[], Result]]:
        shown, is_source = self._shown, self._shown.source == self._source
        rated = Ratings(shown.response[is_source], shown.rater[is_source], value[is_source])
        ways: dict[str, Callable[[], Result]] = {f"krippendorff_alpha_{level}": partial(_agreement, rated, level)}
        here = is_source | (shown.source == self._reference)
        if self._contrast is None and self._reference >= 0 and len(self._sources) > 1:
            ways["mean_difference"] = partial(
                mean_difference, value[here], is_source[here], item=shown.item[here], rater=shown.rater[here]
            )
        return ways

    def _of_choices(self, won: Floats) -> dict[str, Callable[[], Result]]:
        item, rater = self._one.item, self._one.rater
        of_choices: dict[str, Callable[[], Result]] = {
            "share_preferred": partial(share, won, item=item, rater=rater, null=0.5)
        }
        if self._question is not None:
            return of_choices
        return {"krippendorff_alpha_nominal": partial(_agreement, Ratings(item, rater, won), "nominal"), **of_choices}


def _agreement(ratings: Ratings, level: Level) -> Result:
    return krippendorff_alpha(ratings, level=level, inference="new_units_and_raters")


def _numbered(keys: Iterable[str]) -> dict[str, int]:
    return {key: code for code, key in enumerate(dict.fromkeys(keys))}


def _shown(rows: Sequence[tuple[int, int, int, int]]) -> Shown:
    table = np.array(rows, dtype=np.int64).reshape(len(rows), 4)
    return Shown(*table.T)
