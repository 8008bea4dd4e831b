"""The forecast on the page Plan: precision and power of the primary contrast, and what would reach the goal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from app.analysis.data.frames import Frames
from app.analysis.planning.declared import SIMULATED
from app.analysis.planning.human_share import HumanShare
from app.analysis.planning.plan import Plan, PlanRow
from app.analysis.planning.scenario import Assumed
from app.analysis.planning.size_parameters import Reach, SizeParameter, binding, reach, width_for_power
from app.protocol.allocation.human_sample import rated_by_people
from app.protocol.allocation.trials import PlannedItem
from app.protocol.primary import TESTS
from app.protocol.primary_default import primary_contrasts
from app.protocol.study import Protocol
from app.rating.seats.trials import list_items
from app.results.charts.plan_charts import curve_spec
from app.results.charts.render import render
from app.results.making.making import LONG_PARTS, Making, Wanted
from app.results.making.task import Task
from app.results.planning.effort import effort
from app.results.planning.judge_savings import Aim, judge_savings, judges_to_plan
from app.results.planning.make_plan import Asked, PlanError, make_plan, rated_questions
from app.results.reports.report_input import read_study
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# The curve's line is fitted through many sizes, so each of them needs fewer simulations than the sizes in the table.
N_SIMULATIONS, N_OF_CURVE = 60, 20
ITEM_TIMES, RATER_TIMES = (0.5, 1, 2, 3), (1, 2, 3)
MIN_ITEMS = 4
# Sizes above this are not simulated: the page would take minutes.
MAX_RATINGS = 30_000
HALF = 0.5
# Tests of the difference that is simulated.
SAME_CONTRAST = ("mean_difference_lmm", "t_paired", "t_unpaired", "share_preferred_glmm")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the lead asks for: the size, the goal, and the assumptions that they state in points.

    `correlation` is that of a model judge with people over items.
    """

    n_items: int
    per_trial: int
    goal_width: float | None
    stated: Mapping[str, float | None]
    correlation: float | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected results at the present size, how far each setting reaches, and a size that reaches the goal.

    `other_test` is the test of the primary contrast if it is another one than that of the statistic. `n_of_curve` is
    the number of simulated studies per point of the curve. `savings` is what a model judge saves.
    """

    statistic: str
    question: str | None
    other_test: str | None
    assumed: Assumed
    now: PlanRow
    goal: float
    reaches: tuple[Reach, ...]
    binds: SizeParameter | None
    solution: PlanRow | None
    curve: dict[str, str]
    savings: HumanShare | None = None
    n_of_curve: int = N_OF_CURVE

    @property
    def is_reached(self) -> bool:
        """Whether the present size reaches the goal."""
        return self.now.width is not None and self.now.width <= self.goal


_STORED = TypeAdapter(Forecast)


def forecast_of(making: Making, study: StudyRow, wish: Wish, *, has_pilot: bool) -> Forecast:
    """The forecast of a stored study, from the variances of its ratings if it has a pilot; waits for the job.

    Raises:
        RefusedError: see `forecast`.
        SideProcessError: it took too much or too long.
    """
    given = {"wish": asdict(wish), "has_pilot": has_pilot}
    part = f"forecast-{hashlib.sha256(json.dumps(given).encode()).hexdigest()}"
    return _STORED.validate_json(making.content(study, Wanted("forecast", part, given, kind=LONG_PARTS)))


def write_forecast(task: Task, wish: dict[str, Any], *, has_pilot: bool) -> None:
    """Write a forecast, in the process of a job."""
    with task.begin() as db:
        protocol = get_protocol(db, task.study.id, task.study.protocol_version)
        items = rated_by_people(protocol, list_items(db, task.study.id))
        pilot = read_study(db, task.study) if has_pilot else None
    task.path.write_bytes(_STORED.dump_json(forecast(protocol, items, Wish(**wish), pilot)))


def forecast(
    protocol: Protocol, items: Sequence[PlannedItem], wish: Wish, pilot: tuple[Frames, Protocol] | None = None
) -> Forecast:
    """Simulate the study at several sizes.

    Raises:
        PlanError: the primary contrast is of a kind that is not simulated, the design gives no estimate, or the study
            is too large to simulate.
    """
    question, statistic, test = _planned(protocol)
    _check_size(effort(protocol, items, wish.n_items, wish.per_trial).n_ratings)
    first = _simulated(
        protocol,
        items,
        Asked((wish.n_items,), (), (wish.per_trial,), question, wish.stated, pilot, N_SIMULATIONS, statistic=statistic),
    )
    now = _row(first, statistic)
    stated = {**asdict(first.assumed.sds), "mean": first.assumed.mean, "difference": first.assumed.difference}
    rows = [
        _row(_at(protocol, items, n_items, per_trial, question, stated, statistic, N_OF_CURVE), statistic)
        for n_items, per_trial in _sizes(protocol, items, wish)
    ]
    goal = wish.goal_width or width_for_power(_difference(now))
    found = (
        reach("items", wish.n_items, [row for row in rows if row.raters_per_trial == wish.per_trial], goal),
        reach("raters_per_trial", wish.per_trial, [row for row in rows if row.n_items == wish.n_items], goal),
    )
    reaches = tuple(one for one in found if one is not None)
    binds = binding(reaches)
    solution = _solution(protocol, items, wish, reaches, binds, question, stated, statistic)
    curve = {theme: render(curve_spec(rows, goal, theme), "svg").decode() for theme in ("light", "dark")}
    other_test = None if test in {statistic, *SAME_CONTRAST} else test
    judges = judges_to_plan(wish.correlation, pilot, question, statistic)
    aim = Aim(statistic, question, wish.n_items, wish.per_trial, goal)
    savings = judge_savings(protocol, items, first.assumed, judges, aim)
    return Forecast(statistic, question, other_test, first.assumed, now, goal, reaches, binds, solution, curve, savings)


def _check_size(n_ratings: int) -> None:
    if n_ratings > MAX_RATINGS:
        raise PlanError(
            f"Precision is simulated for up to {MAX_RATINGS:,} ratings, and this size has {n_ratings:,}. "
            "Enter fewer items or raters per trial."
        )


def _planned(protocol: Protocol) -> tuple[str | None, str, str]:
    """The question, the statistic and the test of the first primary contrast that can be simulated."""
    rated = [question.key for question in rated_questions(protocol)]
    choices = {question.key for question in protocol.choice_questions}
    for contrast in primary_contrasts(protocol):
        if contrast.test in SIMULATED:
            return contrast.question, str(contrast.test), str(contrast.test)
        if TESTS[str(contrast.test)].compares != "sources":
            continue
        if contrast.question in choices:
            return (next(iter(rated), None), "share_preferred", str(contrast.test))
        if contrast.question in rated:
            return (contrast.question, "mean_difference", str(contrast.test))
    raise PlanError(
        "Precision is simulated for choices, for ratings of responses and scores of such ratings, and for contrasts of "
        "conditions, pools, models and people, changes, codes and attributes of items. The primary contrast of this "
        "study is none of these; the effort above holds for it. To see what a design like this can "
        "show, name a question about responses as primary under Design, Analysis."
    )


def _simulated(protocol: Protocol, items: Sequence[PlannedItem], asked: Asked) -> Plan:
    n_items, per_trial = asked.n_items[0], asked.raters_per_trial[0]
    n_raters = max(effort(protocol, items, n_items, per_trial).n_raters, 2)
    return make_plan(protocol, items, replace(asked, n_raters=(n_raters,)))


def _at(
    protocol: Protocol,
    items: Sequence[PlannedItem],
    n_items: int,
    per_trial: int,
    question: str | None,
    stated: Mapping[str, float | None],
    statistic: str,
    n_simulations: int = N_SIMULATIONS,
) -> Plan:
    asked = Asked((n_items,), (), (per_trial,), question, stated, n_simulations=n_simulations, statistic=statistic)
    return _simulated(protocol, items, asked)


def _sizes(protocol: Protocol, items: Sequence[PlannedItem], wish: Wish) -> list[tuple[int, int]]:
    """The sizes of the curve, from fewer to more, as far as they are not too large to simulate."""
    sizes = [
        (max(round(wish.n_items * times), MIN_ITEMS), wish.per_trial * more)
        for more in RATER_TIMES
        for times in ITEM_TIMES
    ]
    small = [size for size in dict.fromkeys(sizes) if effort(protocol, items, *size).n_ratings <= MAX_RATINGS]
    return small or sizes[:2]


def _row(plan: Plan, statistic: str) -> PlanRow:
    row = next((row for row in plan.rows if row.statistic == statistic), None)
    if row is None:
        raise PlanError("The design shows no two sides that this contrast compares.")
    return row


def _difference(row: PlanRow) -> float:
    estimate = row.estimate or 0.0
    return estimate - HALF if row.statistic == "share_preferred" else estimate


def _solution(
    protocol: Protocol,
    items: Sequence[PlannedItem],
    wish: Wish,
    reaches: Sequence[Reach],
    binds: SizeParameter | None,
    question: str | None,
    stated: Mapping[str, float | None],
    statistic: str,
) -> PlanRow | None:
    """The size that reaches the goal by the binding setting alone, simulated to confirm it."""
    chosen = next((one for one in reaches if one.parameter == binds and one.needed is not None), None)
    if chosen is None or chosen.needed is None:
        return None
    n_items, per_trial = (chosen.needed, wish.per_trial) if binds == "items" else (wish.n_items, chosen.needed)
    if effort(protocol, items, n_items, per_trial).n_ratings > MAX_RATINGS:
        return None
    return _row(_at(protocol, items, n_items, per_trial, question, stated, statistic), statistic)
