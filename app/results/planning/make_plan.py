"""Planning a study: compute a plan from the lead's input, and write it to files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.analysis.data.frames import Frames
from app.analysis.document.design_words import test_words
from app.analysis.planning.declared import MARGINS, NotSimulatedError, is_of_shares, is_of_sources, planned_contrast
from app.analysis.planning.family import scale_of
from app.analysis.planning.pilot import (
    assumed_of_pilot,
    assumed_of_scale,
    assumed_of_shares,
    assumed_of_texts,
    with_difference,
    with_stated,
)
from app.analysis.planning.plan import Plan, plan, plan_csv, plan_json
from app.analysis.planning.scenario import Assumed, Scenario
from app.analysis.sections.composites import composite_question
from app.protocol.allocation.bulk_allocation import so_many_items, with_raters_per_trial
from app.protocol.allocation.feasibility import feasibility, why_no_trials
from app.protocol.allocation.trials import PlannedItem, planned_trials
from app.protocol.preregistration import SizePlan
from app.protocol.primary import PrimaryContrast, is_of_texts
from app.protocol.primary_default import primary_contrasts
from app.protocol.questions.registry import ScaledQuestion
from app.protocol.study import Protocol
from app.results.charts.plan_charts import planning_charts
from app.results.making.task import RefusedError

ITEMS_OF_NO_STUDY = 40
NOT_SIMULATED = (
    "Planning does not simulate the primary contrast ({}), and forecasts no other one in its place. It simulates "
    "differences between sources and between their texts, choices, and contrasts of conditions, pools, models and "
    "people, changes, codes and attributes of items. To plan for one of these, name a question that is not primary."
)


class PlanError(RefusedError):
    """The plan cannot be computed; the message gives the lead the reason."""


class QuestionUnknownError(PlanError):
    """The given question cannot be used for planning."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The lead's input; empty lists mean the study's own items, its raters per trial, and the raters that it needs.

    `stated` contains `mean`, `difference`, and standard deviations by the names of `Sds`, all in scale points; None for
    those that are not stated. `pilot` is a study with ratings, as its frames and protocol. `statistic` is the one to
    compute; None for all. `attrition` is the share of raters who leave before their last trial. What is empty or None
    comes from `preregistration.plan` of the study.
    """

    n_items: Sequence[int] = ()
    n_raters: Sequence[int] = ()
    raters_per_trial: Sequence[int] = ()
    question: str | None = None
    stated: Mapping[str, float | None] = field(default_factory=dict)
    pilot: tuple[Frames, Protocol] | None = None
    n_simulations: int = 200
    seed: int = 1
    statistic: str | None = None
    attrition: float | None = None


def make_plan(protocol: Protocol, items: Sequence[PlannedItem], asked: Asked) -> Plan:
    """Compute the expected widths of intervals and the power of a study.

    Raises:
        PlanError: the study cannot be planned, or the pilot has too few ratings.
    """
    try:
        planned = planned_contrast(protocol, asked.question)
    except NotSimulatedError as error:
        raise PlanError(NOT_SIMULATED.format(test_words(error.test))) from None
    contrast = None if planned is None or is_of_sources(planned) else planned
    rated = {one.key for one in rated_questions(protocol)}
    # beside choices, the plan is of the first primary contrast on a scale
    primary = (one.question for one in (planned, *primary_contrasts(protocol)) if one is not None)
    key = next((one for one in primary if one in rated), None) if asked.question is None else None
    question = _question(protocol, asked.question or key) if contrast is None else None
    if contrast is not None and not is_of_shares(contrast):
        question = scale_of(protocol, contrast.question)
    if contrast is None and question is None and not protocol.choice_questions:
        raise PlanError(
            "Planning needs a question about responses of type rating or slider, or one of type choice; "
            f"{protocol.slug} has none."
        )
    own = protocol.preregistration.plan or SizePlan()
    assumed = _assumed(protocol, question, asked, planned, own)
    per_trial = asked.raters_per_trial or (protocol.design.raters_per_trial,)
    scenarios = [
        Scenario(n_items, n_raters, k)
        for n_items in asked.n_items or (len(items) or ITEMS_OF_NO_STUDY,)
        for k in per_trial
        for n_raters in asked.n_raters or _usual_raters(protocol, items, n_items, k, own)
    ]
    found = plan(
        protocol,
        items,
        assumed,
        scenarios,
        question=question,
        n_simulations=asked.n_simulations,
        seed=asked.seed,
        only=asked.statistic,
        contrast=planned,
        attrition=own.attrition if asked.attrition is None else asked.attrition,
    )
    if not found.rows and asked.statistic is None:
        raise PlanError(f"Nothing can be planned. {_why_nothing(protocol, items, question)}")
    return found


def _why_nothing(protocol: Protocol, items: Sequence[PlannedItem], question: ScaledQuestion | None) -> str:
    """The setting because of which the simulated studies yield no estimate."""
    some_items = so_many_items(protocol, items, len(items) or ITEMS_OF_NO_STUDY)
    if not planned_trials(protocol, some_items):
        return why_no_trials(protocol, some_items)
    if question is not None:
        kind = f"design.trials is {protocol.design.trials}" if protocol.design.trials else "The items have none"
        return f"Question {question.key} is about responses, and no trial shows one: {kind}."
    if protocol.reference is None:
        return "analysis.reference is not set, so there is no source to compare the others with."
    setting = "design.listed" if protocol.design.listed else "design.pairs"
    return f"No trial shows a response of {protocol.reference} (analysis.reference) with another source: see {setting}."


def rated_questions(protocol: Protocol) -> list[ScaledQuestion]:
    """The questions that rate responses on a scale, then the scores computed from several of them."""
    rated = [question for question in protocol.scaled_questions if question.target == "response"]
    by_key = {question.key: question for question in rated}
    scores = [
        composite_question(name, composite, [by_key[key] for key in composite.questions])
        for name, composite in protocol.analysis.composites.items()
        if by_key.keys() >= set(composite.questions)
    ]
    return [*rated, *scores]


def _question(protocol: Protocol, key: str | None) -> ScaledQuestion | None:
    rated = rated_questions(protocol)
    if key is None:
        return next(iter(rated), None)
    found = next((question for question in rated if question.key == key), None)
    if found is None:
        names = ", ".join(question.key for question in rated) or "none"
        raise QuestionUnknownError(f"No question {key} rates responses on a scale. These do: {names}.")
    return found


def _assumed(
    protocol: Protocol,
    question: ScaledQuestion | None,
    asked: Asked,
    contrast: PrimaryContrast | None,
    own: SizePlan,
) -> Assumed:
    key = question.key if question else None
    assumed: Assumed | None = assumed_of_scale(question, is_composite=key in protocol.analysis.composites)
    if contrast is not None and is_of_shares(contrast):
        assumed = assumed_of_shares()
    if contrast is not None and is_of_texts(contrast):
        assumed = assumed_of_texts()
    if asked.pilot is not None:
        frames, of_pilot = asked.pilot
        known = next((one for one in rated_questions(of_pilot) if one.key == key), None)
        assumed = assumed_of_pilot(frames, of_pilot, known) if known else None
    if assumed is not None and contrast is not None and contrast.test in MARGINS:
        assumed = with_difference(assumed, 0.0)
    if assumed is None:
        raise PlanError("The pilot has too few ratings of this question to separate items, raters and noise.")
    given = {name: value for name, value in asked.stated.items() if value is not None}
    return with_stated(assumed, {**own.stated, **given})


def _usual_raters(
    protocol: Protocol, items: Sequence[PlannedItem], n_items: int, k: int, own: SizePlan
) -> tuple[int, ...]:
    """The planned number of raters, else what the design needs and twice and four times as many, as many per trial."""
    if own.n_raters is not None:
        return (own.n_raters,)
    of_size = with_raters_per_trial(protocol, k)
    needed = feasibility(of_size, planned_trials(of_size, so_many_items(protocol, items, n_items)), {}).n_raters
    return tuple(max(needed, 2) * times for times in (1, 2, 4))


def write_plan(plan: Plan, out: Path) -> list[Path]:
    """Write plan.json, plan.csv and a Vega-Lite specification per chart; existing files of these names are replaced."""
    texts = {"plan.json": plan_json(plan), "plan.csv": plan_csv(plan)}
    for chart in planning_charts(plan):
        texts[f"charts/{chart.key}.vl.json"] = json.dumps(chart.spec(), ensure_ascii=False, indent=1) + "\n"
    (out / "charts").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (out / name).write_text(text, encoding="utf-8", newline="")
    return [out / name for name in texts]
