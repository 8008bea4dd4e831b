"""The forecast on the page Plan: precision and power of the primary contrast, and what would reach the goal."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from pydantic import TypeAdapter

from app.analysis.data.frames import Frames
from app.analysis.planning.declared import (
    NotSimulatedError,
    is_of_sources,
    is_simulated,
    margin_of,
    planned_contrast,
    statistic_of,
)
from app.analysis.planning.human_share import HumanShare
from app.analysis.planning.plan import Plan, PlanRow
from app.analysis.planning.scenario import Assumed
from app.analysis.planning.size_parameters import (
    Reach,
    SizeParameter,
    binding,
    reach,
    width_for_margin,
    width_for_power,
)
from app.analysis.statistic import declared
from app.analysis.wording.formatting import IN_PERCENT, number
from app.protocol.allocation.human_sample import rated_by_people
from app.protocol.allocation.trials import PlannedItem
from app.protocol.primary import PrimaryContrast
from app.protocol.study import Protocol
from app.rating.seats.trials import list_items
from app.results.charts.plan_charts import curve_spec
from app.results.charts.render import render
from app.results.making.making import LONG_PARTS, Making, Wanted
from app.results.making.task import Task
from app.results.planning.effort import Effort, effort
from app.results.planning.judge_savings import Aim, difference_of, judge_savings, judges_to_plan
from app.results.planning.make_plan import Asked, PlanError, make_plan
from app.results.reports.report_input import read_study
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

# The curve's line is fitted through many sizes, so each of them needs fewer simulations than the sizes in the table.
N_SIMULATIONS, N_OF_CURVE = 60, 20
ITEM_TIMES, RATER_TIMES, MORE_RATERS = (0.5, 1, 2, 3), (1, 2, 3), (1, 2, 4)
MIN_ITEMS = 4
# Sizes above this are not simulated: the page would take minutes.
MAX_RATINGS = 30_000
# Chance makes a simulated interval this much wider than the goal; a wider one does not reach it.
AS_NARROW = 1.1
# Tests of the difference that is simulated.
SAME_CONTRAST = ("mean_difference_lmm", "t_paired", "t_unpaired", "share_preferred_glmm")


@dataclass(frozen=True, slots=True)
class Wish:
    """What the lead asks for: the size, the goal, and the assumptions that they state in points.

    The goal is a width of the interval, else this power. `correlation` is that of a model judge with people over items.
    `attrition` is the share of raters who leave early, `n_raters` how many start; by default as many as the design
    needs.
    """

    n_items: int
    per_trial: int
    goal_width: float | None
    stated: Mapping[str, float | None]
    correlation: float | None = None
    n_raters: int | None = None
    attrition: float = 0.0
    power: float = 0.8


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected results at the present size, how far each setting reaches, and a size that reaches the goal.

    `other_test` is the test of the primary contrast if it is another one than that of the statistic. `n_of_curve` is
    the number of simulated studies per point of the curve. `savings` is what a model judge saves. `margin` is that of a
    test against one, `n_tests` how many p-values are adjusted together.
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
    margin: float | None = None
    n_tests: int = 1

    @property
    def effect(self) -> str:
        """What is detected: a difference in points or percentage points, a share preferred, or a correlation."""
        if self.statistic == "pool_correlation":
            return f"a correlation of {self.now.estimate or 0:.2f}"
        if self.statistic == "share_preferred":
            return f"a share of {number(self.now.estimate or 0, 'share')} in place of an even split"
        return f"a difference of {self.said(self.assumed.difference)}"

    @property
    def expected(self) -> str:
        """The estimate to expect of a difference, which the ends of a scale make smaller; empty for others."""
        if self.statistic in {"share_preferred", "pool_correlation"} or self.now.estimate is None:
            return ""
        return self.said(self.now.estimate)

    def said(self, size: float) -> str:
        """A difference or a width with its unit, if it has one."""
        kind = declared(self.statistic).kind
        if kind in IN_PERCENT:
            return f"{number(size, 'share_points')} percentage points"
        is_of_scale = kind == "points" and self.statistic != "text_difference"
        return f"{size:.2f}{' points' if is_of_scale else ''}"

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
    """Simulate the study at several sizes. What `wish` leaves open is not filled from the plan that the protocol keeps.

    Raises:
        PlanError: the primary contrast is of a kind that is not simulated, the design gives no estimate, or the study
            is too large to simulate.
    """
    words = protocol.preregistration.model_copy(update={"plan": None})
    protocol = protocol.model_copy(update={"preregistration": words})
    contrast = _planned(protocol)
    statistic, margin = statistic_of(contrast), margin_of(protocol, contrast)
    ask = _Asker(protocol, items, statistic, wish)
    _check_size(ask.n_ratings(wish.n_items, wish.per_trial))
    first = ask.plan(wish.n_items, wish.per_trial, stated=wish.stated, pilot=pilot)
    now = ask.row(first)
    stated = {**asdict(first.assumed.sds), "mean": first.assumed.mean, "difference": first.assumed.difference}
    of_curve = partial(ask.plan, stated=stated, n_simulations=N_OF_CURVE)
    rows = [ask.row(of_curve(*size)) for size in ask.sizes()]
    of_raters = [ask.row(of_curve(wish.n_items, wish.per_trial, n)) for n in ask.numbers_of_raters(now)]
    alike = [row for row in rows if is_of_sources(contrast) or row.raters_per_trial == wish.per_trial]
    now = replace(now, estimate=_expected([now, *alike, *of_raters]))
    goal = wish.goal_width or _goal(contrast, now, first, margin, wish.power)
    found = (
        reach("items", wish.n_items, [row for row in rows if row.raters_per_trial == wish.per_trial], goal),
        reach("raters_per_trial", wish.per_trial, [row for row in rows if row.n_items == wish.n_items], goal),
        reach("raters", now.n_raters, of_raters, goal),
    )
    sized = [_confirmed(ask, one, stated, goal) for one in found if one is not None]
    reaches = tuple(one for one, _ in sized)
    binds = binding(reaches)
    solution = next((size for one, size in sized if one.parameter == binds), None)
    curve = {theme: render(curve_spec(rows, goal, theme), "svg").decode() for theme in ("light", "dark")}
    other_test = None if contrast.test in {statistic, *SAME_CONTRAST} else contrast.test
    judges = judges_to_plan(wish.correlation, pilot, first.question, statistic)
    aim = Aim(statistic, first.question, wish.n_items, wish.per_trial, goal)
    return Forecast(
        statistic,
        first.question,
        other_test,
        first.assumed,
        now,
        goal,
        reaches,
        binds,
        solution,
        curve,
        judge_savings(protocol, items, first.assumed, judges, aim),
        margin=margin,
        n_tests=first.n_tests,
    )


def _expected(rows: Sequence[PlanRow]) -> float | None:
    """The mean estimate over sizes that share it, weighted by precision: one small size is too uncertain."""
    weights = {row: row.n_simulations / row.width**2 for row in rows if row.width}
    total = sum((row.estimate or 0) * weight for row, weight in weights.items())
    return total / sum(weights.values()) if weights else rows[0].estimate


def _confirmed(
    ask: "_Asker", one: Reach, stated: Mapping[str, float | None], goal: float
) -> tuple[Reach, PlanRow | None]:
    """How far one setting reaches, and the size that reaches the goal by it.

    A number that is projected from few raters can be too low: if its interval is too wide once it is simulated, it
    takes more than that. If it is too high, the line through the simulated size gives a better one.
    """
    size = ask.solution(one, stated)
    if size is None or size.width is None or one.needed is None or one.needed <= one.now:
        return one, size
    if size.width > AS_NARROW * goal:
        return replace(one, needed=None, most=one.needed), None
    if size.width * AS_NARROW**0.5 < goal:
        left = one.narrowest**2
        fewer = math.ceil(one.needed * (size.width**2 - left) / (goal**2 - left))
        closer = replace(one, needed=max(fewer, one.now + 1))
        found = ask.solution(closer, stated)
        if found is not None and found.width is not None and found.width <= AS_NARROW * goal:
            return closer, found
    return one, size


def _check_size(n_ratings: int) -> None:
    if n_ratings > MAX_RATINGS:
        raise PlanError(
            f"Precision is simulated for up to {MAX_RATINGS:,} ratings, and this size has {n_ratings:,}. "
            "Enter fewer items or raters per trial."
        )


def _planned(protocol: Protocol) -> PrimaryContrast:
    """The first primary contrast that can be simulated."""
    try:
        found = planned_contrast(protocol)
    except NotSimulatedError:
        found = None
    if found is None or not is_simulated(protocol, found):
        raise PlanError(
            "Precision is simulated for choices, for ratings of responses and scores of such ratings, and for "
            "contrasts of conditions, pools, models and people, changes, codes and attributes of items. The primary "
            "contrast of this study is none of these; the effort above holds for it. To see what a design like this "
            "can show, name a question about responses as primary under Design, Analysis."
        )
    return found


def _goal(contrast: PrimaryContrast, now: PlanRow, plan: Plan, margin: float | None, power: float) -> float:
    """The width of the interval with which the primary contrast has this power."""
    if margin is None:
        return width_for_power(difference_of(now), power=power, n_tests=plan.n_tests)
    is_two_sided = contrast.test == "equivalence"
    room = margin - abs(difference_of(now)) if is_two_sided else margin + difference_of(now)
    return width_for_margin(room, is_two_sided=is_two_sided, power=power, n_tests=plan.n_tests)


@dataclass(frozen=True, slots=True)
class _Asker:
    """Plans of one study at several sizes, with one row each."""

    protocol: Protocol
    items: Sequence[PlannedItem]
    statistic: str
    wish: Wish

    def effort(self, n_items: int, per_trial: int) -> Effort:
        return effort(self.protocol, self.items, n_items, per_trial)

    def n_ratings(self, n_items: int, per_trial: int) -> int:
        return self.effort(n_items, per_trial).n_ratings

    def plan(
        self,
        n_items: int,
        per_trial: int,
        n_raters: int | None = None,
        *,
        stated: Mapping[str, float | None],
        n_simulations: int = N_SIMULATIONS,
        pilot: tuple[Frames, Protocol] | None = None,
    ) -> Plan:
        is_now = (n_items, per_trial) == (self.wish.n_items, self.wish.per_trial)
        own = self.wish.n_raters if is_now else None
        asked = Asked(
            (n_items,),
            (n_raters or own or max(self.effort(n_items, per_trial).n_raters, 2),),
            (per_trial,),
            stated=stated,
            pilot=pilot,
            n_simulations=n_simulations,
            statistic=self.statistic,
            attrition=self.wish.attrition,
        )
        return make_plan(self.protocol, self.items, asked)

    def row(self, plan: Plan) -> PlanRow:
        row = next((row for row in plan.rows if row.statistic == self.statistic), None)
        if row is None:
            raise PlanError("The design shows no two sides that this contrast compares.")
        return row

    def sizes(self) -> list[tuple[int, int]]:
        """The sizes of the curve, from fewer to more, as far as they are not too large to simulate."""
        n_items, per_trial = self.wish.n_items, self.wish.per_trial
        sizes = [
            (max(round(n_items * times), MIN_ITEMS), per_trial * more) for more in RATER_TIMES for times in ITEM_TIMES
        ]
        small = [size for size in dict.fromkeys(sizes) if self.n_ratings(*size) <= MAX_RATINGS]
        return small or sizes[:2]

    def numbers_of_raters(self, now: PlanRow) -> list[int]:
        """Numbers of raters who share the ratings of the present size, up to one trial each."""
        most = max(now.n_seats, now.n_raters)
        return [*dict.fromkeys(min(now.n_raters * times, most) for times in MORE_RATERS)]

    def solution(self, chosen: Reach, stated: Mapping[str, float | None]) -> PlanRow | None:
        """The size that reaches the goal by this setting alone, simulated to confirm it."""
        if chosen.needed is None:
            return None
        n_items = chosen.needed if chosen.parameter == "items" else self.wish.n_items
        per_trial = chosen.needed if chosen.parameter == "raters_per_trial" else self.wish.per_trial
        if self.n_ratings(n_items, per_trial) > MAX_RATINGS:
            return None
        n_raters = chosen.needed if chosen.parameter == "raters" else None
        return self.row(self.plan(n_items, per_trial, n_raters, stated=stated))
