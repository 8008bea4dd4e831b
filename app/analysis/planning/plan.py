"""Forecast how wide a study's intervals will be, and how often it will detect an existing difference."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from app.analysis.planning.declared import is_of_sources
from app.analysis.planning.family import members_of
from app.analysis.planning.human_share import HumanShare
from app.analysis.planning.scenario import Assumed, Scenario, Simulated
from app.analysis.statistic import declared
from app.protocol.allocation.trials import PlannedItem
from app.protocol.primary import PrimaryContrast
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.stats.simulated_ratings import expectation


@dataclass(frozen=True, slots=True)
class PlanRow:
    """The expected results for one statistic in one scenario; FIELDS, in their order, are the columns of the CSV.

    `n_seats` is the number of trials assigned to raters, `n_unfilled` the number that no rater could take,
    `most_trials` the maximum number of trials per rater, including planned repeats. For the other fields see
    `Expectation`.
    """

    statistic: str
    n_items: int
    n_raters: int
    raters_per_trial: int
    n_seats: int
    n_unfilled: int
    most_trials: int
    estimate: float | None
    width: float | None
    width_error: float | None
    power: float | None
    power_error: float | None
    n_simulations: int
    n_without: int


FIELDS = tuple(field.name for field in fields(PlanRow))


@dataclass(frozen=True, slots=True)
class Plan:
    """All scenarios of a study, with everything needed to reproduce them.

    `contrast` are the named parts of the declared contrast that is planned, None for source and reference. `savings` is
    what a model judge saves, if one is planned. `n_tests` is how many tests Holm's method adjusts together, `attrition`
    the share of raters who leave before their last trial.
    """

    study: str
    question: str | None
    source: str | None
    reference: str | None
    seed: int
    assumed: Assumed
    rows: tuple[PlanRow, ...]
    contrast: dict[str, Any] | None = None
    savings: HumanShare | None = None
    n_tests: int = 1
    attrition: float = 0.0

    def as_document(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        return asdict(self)


def plan(  # noqa: PLR0913 - each is a part of a plan
    protocol: Protocol,
    items: Sequence[PlannedItem],
    assumed: Assumed,
    scenarios: Sequence[Scenario],
    *,
    question: ScaledQuestion | None,
    n_simulations: int,
    seed: int,
    only: str | None = None,
    contrast: PrimaryContrast | None = None,
    attrition: float = 0.0,
) -> Plan:
    """Simulate each scenario with the study's own design: its trials, pools, conditions, limits and repeats.

    Args:
        protocol: the study.
        items: the study's items; reused under other names if a scenario has more, invented if there are none.
        assumed: the assumptions about raters and items.
        scenarios: numbers of items, raters and raters per trial.
        question: the rating question whose scale is used; None for choices only.
        n_simulations: how often each scenario is simulated.
        only: the one statistic to compute; None for all.
        seed: the same seed gives the same plan; scenarios do not depend on each other.
        contrast: the declared contrast that is planned; None for means and choices of source and reference.
        attrition: the share of people who leave before their last trial; what they leave stays open.
    """
    reference = protocol.reference
    source = next((name for name in protocol.sources if name != reference), None)
    members = members_of(protocol, question, assumed, contrast)
    rows = [
        row
        for scenario in scenarios
        for row in _rows(
            Simulated(protocol, items, assumed, scenario, question, seed, members, attrition),
            scenario,
            n_simulations,
            only,
        )
    ]
    declared_contrast = None if contrast is None or is_of_sources(contrast) else contrast
    key = question.key if question else declared_contrast.question if declared_contrast else None
    named = declared_contrast.named if declared_contrast else None
    n_tests = max(sum(one.is_in_family for one in members), 1)
    return Plan(
        protocol.slug,
        key,
        source,
        reference,
        seed,
        assumed,
        tuple(rows),
        named,
        n_tests=n_tests,
        attrition=attrition,
    )


def _rows(simulated: Simulated, size: Scenario, n_simulations: int, only: str | None) -> Iterator[PlanRow]:
    """Yield one row per statistic that the design and the questions allow."""
    found = [simulated.results(only) for _ in range(n_simulations)]
    for statistic in found[0]:
        is_tested = not declared(statistic).agreement
        expected = expectation([results[statistic] for results in found], is_tested=is_tested)
        yield PlanRow(
            statistic,
            size.n_items,
            size.n_raters,
            size.raters_per_trial,
            simulated.n_seats,
            simulated.n_unfilled,
            simulated.most_trials,
            expected.estimate,
            expected.width,
            expected.width_error,
            expected.power,
            expected.power_error,
            n_simulations,
            expected.n_without,
        )


def plan_csv(plan: Plan) -> str:
    """Return the plan as CSV (RFC 4180), one row per scenario and statistic, at full precision."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(FIELDS)
    for row in plan.rows:
        cells = asdict(row).values()
        writer.writerow("" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in cells)
    return text.getvalue()


def plan_json(plan: Plan) -> str:
    """Return the plan with all assumptions as JSON, without NaN or Infinity."""
    return json.dumps(plan.as_document(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
