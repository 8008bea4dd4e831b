"""What a model judge saves: the part of the items that people must rate, with it and without it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from app.analysis.data.frames import Frames
from app.analysis.planning.declared import MARGINS
from app.analysis.planning.family import members_of
from app.analysis.planning.human_share import (
    HumanShare,
    JudgeAssumed,
    ShareRow,
    human_share,
    judges_of_pilot,
    stated_judge,
)
from app.analysis.planning.plan import Plan, PlanRow
from app.analysis.planning.scenario import Assumed, Scenario, Simulated
from app.analysis.planning.size_parameters import width_for_power
from app.base.words import and_list, counted
from app.protocol.allocation.human_sample import PROBABILITY
from app.protocol.allocation.trials import PlannedItem
from app.protocol.preregistration import SizePlan
from app.protocol.study import Protocol
from app.results.charts.table import Table
from app.results.planning.effort import Rates, effort
from app.results.planning.make_plan import Asked, rated_questions

# Contrasts that judge and people estimate together.
WITH_JUDGE = ("mean_difference", "share_preferred")
# Components of variance need fewer simulated studies than the width at one size.
N_SIMULATIONS = 20
PARTS = (1, 0.4)
MIN_ITEMS, MIN_RATERS = 4, 2
SEED = 1
HALF = 0.5
PEOPLE_ALONE = "People alone"


def judges_to_plan(
    correlation: float | None, pilot: tuple[Frames, Protocol] | None, question: str | None, statistic: str
) -> list[JudgeAssumed]:
    """The judge of a stated correlation, otherwise those of a pilot."""
    if statistic not in WITH_JUDGE:
        return []
    if correlation is not None:
        return [stated_judge(correlation)]
    return [] if pilot is None else list(judges_of_pilot(*pilot, question, statistic))


@dataclass(frozen=True, slots=True)
class Aim:
    """The width to reach, of which statistic and rating question, and the planned size.

    `statistic` is one of `WITH_JUDGE`. With a human sample, judges rate more than `n_items`, by its share.
    """

    statistic: str
    question: str | None
    n_items: int
    per_trial: int
    width: float


def judge_savings(
    protocol: Protocol, items: Sequence[PlannedItem], assumed: Assumed, judges: Sequence[JudgeAssumed], aim: Aim
) -> HumanShare | None:
    """Simulate the study and compute what people must rate for a width, alone and with each judge.

    Args:
        protocol: the study.
        items: those that people rate.
        assumed: the assumptions about raters and items.
        judges: see `judges_to_plan`.
        aim: what to reach.

    Returns:
        None without judges, and where the sizes are too small for an interval.
    """
    if not judges:
        return None
    sample = protocol.design.human_sample
    n_items = aim.n_items if sample is None else round(aim.n_items * _stands_for(items, sample.share))

    @cache
    def size_of(m: int) -> tuple[int, int]:
        needed = effort(protocol, items, m, aim.per_trial)
        return max(needed.n_raters, MIN_RATERS), needed.n_ratings

    rated = next((one for one in rated_questions(protocol) if one.key == aim.question), None)
    members = members_of(protocol, rated, assumed, None)
    simulated = [
        Simulated(protocol, items, assumed, Scenario(m, size_of(m)[0], aim.per_trial), rated, SEED, members)
        for m in dict.fromkeys(max(round(part * n_items), min(MIN_ITEMS, n_items)) for part in PARTS)
    ]
    return human_share(
        simulated,
        aim.statistic,
        judges,
        n_items=n_items,
        goal=aim.width,
        size_of=size_of,
        n_simulations=N_SIMULATIONS,
    )


def _stands_for(items: Sequence[PlannedItem], share: float) -> float:
    """How many items one of the sample stands for, on average: the inverse of its probability, that of a drawn one."""
    chances = [float(item.attributes.get(PROBABILITY, share)) for item in items]
    return sum(1 / chance for chance in chances) / len(chances) if chances else 1 / share


def difference_of(row: PlanRow) -> float:
    """The expected difference of a planned contrast, for a share preferred that from a half."""
    estimate = row.estimate or 0.0
    return estimate - HALF if row.statistic == "share_preferred" else estimate


def savings_of_plan(
    protocol: Protocol,
    items: Sequence[PlannedItem],
    plan: Plan,
    asked: Asked,
    correlation: float | None,
    width: float | None,
) -> HumanShare | None:
    """What a judge saves at the first size of a plan; without a width, for the planned power; see `judge_savings`.

    None if the plan is of another contrast than those in `WITH_JUDGE`, such as a test against a margin.
    """
    row = next((one for one in plan.rows if one.statistic in WITH_JUDGE), None)
    if row is None or plan.contrast is not None or any(one.statistic in MARGINS for one in plan.rows):
        return None
    judges = judges_to_plan(correlation, asked.pilot, plan.question, row.statistic)
    power = (protocol.preregistration.plan or SizePlan()).power
    goal = width or width_for_power(difference_of(row), power=power, n_tests=plan.n_tests)
    aim = Aim(row.statistic, plan.question, row.n_items, row.raters_per_trial, goal)
    return judge_savings(protocol, items, plan.assumed, judges, aim)


@dataclass(frozen=True, slots=True)
class Prices:
    """What people and the judge cost: the raters' rates, the currency's symbol, and the cost of the judge."""

    rates: Rates
    symbol: str
    of_judge: float

    def of(self, row: ShareRow) -> float:
        """The cost of what people rate."""
        return self.rates.cost(row.n_ratings, row.n_raters)

    def text(self, cost: float) -> str:
        """An amount with its symbol."""
        return f"{self.symbol}{cost:,.0f}"


def needed_table(savings: HumanShare, prices: Prices | None = None) -> Table:
    """What people must rate to reach the goal, alone and with each judge; a judge's row includes its cost."""
    header = ("", "Correlation", "Items that people rate", "Trials to rate", *(("Cost",) if prices else ()))
    rows = [(PEOPLE_ALONE, "–", *_cells(savings.alone, savings, prices))]
    for one in savings.judges:
        correlation = f"{one.judge.correlation:.2f}"
        if one.judge.low is not None and one.judge.high is not None:
            correlation += f" (95% CI {one.judge.low:.2f} to {one.judge.high:.2f})"
        uses = one.judge.saves
        rows.append(
            (f"People and {_name(one.judge)}", correlation, *_cells(one.needed, savings, prices, has_judge=uses))
        )
        if one.cautious is not None:
            lower = ("… if the correlation is at its lower limit", "")
            rows.append((*lower, *_cells(one.cautious, savings, prices, has_judge=True)))
    return Table(header, tuple(rows))


def width_table(savings: HumanShare, prices: Prices | None = None) -> Table:
    """The width for several shares, by people alone and with each judge."""
    names = [f"With {_name(one.judge)}" for one in savings.judges]
    header = ("Items that people rate", "Trials to rate", *(("Cost",) if prices else ()), PEOPLE_ALONE, *names)
    rows = [
        (
            *_cells(row, savings, prices),
            *("–" if width is None else f"{width:.2f}" for width in (row.alone, *row.together)),
        )
        for row in savings.rows
    ]
    return Table(header, tuple(rows))


def savings_sentences(savings: HumanShare, prices: Prices | None = None) -> Iterator[str]:
    """What each judge saves, or that it saves nothing."""
    alone = savings.alone
    if alone is None:
        yield (
            f"No share of the {counted(savings.n_items, 'item')} reaches this width, with a judge or without: "
            "if people rate all of them, a judge adds nothing. Plan more items or raters, or a wider interval."
        )
    for one in savings.judges if alone else ():
        name, needed = _name(one.judge), one.needed
        if not one.judge.saves:
            yield f"{name[0].upper()}{name[1:]} saves nothing: its answers do not go along with those of people."
        elif alone and needed and needed.n_items < alone.n_items:
            yield (
                f"With {name}, people rate {needed.n_items:,} of {counted(savings.n_items, 'item')} instead of "
                f"{alone.n_items:,}. This saves {counted(alone.n_ratings - needed.n_ratings, 'trial')}"
                f"{_saved(alone, needed, prices) if prices else ''}."
            )
        else:
            yield f"{name[0].upper()}{name[1:]} saves nothing here: people have to rate as many items as without it."


def _saved(alone: ShareRow, needed: ShareRow, prices: Prices) -> str:
    saved = prices.of(alone) - prices.of(needed) - prices.of_judge
    return f" and {prices.text(saved)}" if saved > 0 else ", but the judge costs more"


def _name(judge: JudgeAssumed) -> str:
    return and_list(judge.raters) or "the judge"


def _cells(
    row: ShareRow | None, savings: HumanShare, prices: Prices | None, *, has_judge: bool = False
) -> tuple[str, ...]:
    if row is None:
        return ("not reached", "–", *(("–",) if prices else ()))
    cost = (prices.text(prices.of(row) + (prices.of_judge if has_judge else 0)),) if prices else ()
    return (f"{row.n_items:,} ({row.n_items / savings.n_items:.0%})", f"{row.n_ratings:,}", *cost)
