"""Planning forecasts the declared primary contrast: its sides follow from the design, its test from the protocol."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from app.analysis.planning.declared import N_MODELS, Simulation, rows_of, sides_of, simulation_of
from app.protocol.allocation.bulk_allocation import deal, so_many_items
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.trials import planned_trials
from app.protocol.primary_default import primary_contrasts
from app.results.planning.make_plan import Asked, PlanError, make_plan
from app.stats.simulated_ratings import Sds
from app.studies.creation.read_new_study import planned_items
from app.studies.folder.study_templates import list_templates
from tests.kit.frames import CHOICE, FIVE, protocol
from tests.kit.templates import template_study

SDS = Sds(item=0.3, rater=0.3, item_source=0.2, rater_source=0.2, residual=0.6)
CODES: dict[str, Any] = {
    "key": "harm",
    "type": "category",
    "target": "response",
    "text": "Harm?",
    "codes": ["no", "yes"],
    "correct": "no",
}
CAUSE: dict[str, Any] = {
    "key": "cause",
    "type": "highlight",
    "target": "item",
    "text": "Mark it.",
    "correct_column": "marked",
}
FELT = {**FIVE, "key": "felt", "target": "turn"}
OF_TARGETS: dict[str, Any] = {
    "analysis": {"empathic_accuracy": {"felt": "felt", "pool": "target"}},
    "design": {"pools": {"target": {"raters_per_trial": 1}, "perceiver": {"raters_per_trial": 3}}},
}
BEFORE, AFTER = ({**FIVE, "key": key, "target": "rater"} for key in ("before", "after"))
POOLS = {"pools": {"expert": {"raters_per_trial": 2}, "crowd": {"raters_per_trial": 3}}}
INSTRUCTED = {"reading": {"kind": "instruction", "levels": {"plain": "Read.", "imagine": "Imagine."}}}
CHANGES = {"changes": [{"before": "before", "after": "after"}]}
LABELS: dict[str, Any] = {
    "flow": {"debrief": {"text": "The labels were swapped."}},
    "sources": {
        "human": {"kind": "human", "shown_label": "By a person"},
        "model": {"kind": "model", "shown_label": "By an AI"},
    },
    "conditions": {"label": {"kind": "shown_label", "levels": ["true", "swapped"], "assign": "within"}},
}
EXPERTS = {"pool": "expert", "reference_pool": "crowd"}
KINDS = {"rater_kind": "model", "reference_rater_kind": "person"}


def _simulation(
    contrast: dict[str, Any],
    *questions: dict[str, Any],
    difference: float = 0.8,
    n_items: int = 24,
    **more: Any,  # noqa: ANN401 - parts of study.yaml
) -> Simulation:
    analysis = {"primary": [contrast], **more.pop("analysis", {})}
    study = protocol(*questions, analysis=analysis, **more)
    trials = planned_trials(study, so_many_items(study, [], n_items))
    dealt = deal(study, trials, 24, seeded(1))
    (declared,) = primary_contrasts(study)
    rows = rows_of(study, declared, trials, dealt)
    return simulation_of(
        study, declared, rows, SDS, mean=0.2 if difference < 0.5 else 2.4, difference=difference, points=range(1, 6)
    )


def _mean(simulation: Simulation, n: int = 12) -> float:
    rng = np.random.default_rng(2)
    found = [simulation.result(rng) for _ in range(n)]
    assert all(one.interval is not None for one in found)
    return float(np.mean([one.estimate for one in found]))


FACTOR = {"question": "empathy", "test": "factor_effect", "factor": "reading"}


@pytest.mark.parametrize(
    ("contrast", "questions", "more"),
    [
        (FACTOR, [FIVE], {"conditions": INSTRUCTED}),
        ({**FACTOR, "source": "model", "level": "imagine"}, [FIVE], {"conditions": INSTRUCTED}),
        ({**FACTOR, "test": "interaction"}, [FIVE], {"conditions": INSTRUCTED}),
        ({**FACTOR, "factor": "shown_label"}, [FIVE], LABELS),
        ({"question": "empathy", **EXPERTS}, [FIVE], {"design": POOLS}),
        ({"question": "empathy", **KINDS}, [FIVE], {}),
        ({"question": "empathy", "test": "item_attribute_effect", "attribute": "kind"}, [FIVE], {}),
        ({"question": "after", "test": "change_difference", "factor": "reading"}, [BEFORE, AFTER, FIVE], INSTRUCTED),
        ({"question": "after", "test": "change"}, [BEFORE, AFTER, FIVE], {}),
        ({"question": "after", "test": "change", "factor": "reading"}, [BEFORE, AFTER, FIVE], INSTRUCTED),
        ({"question": "after", "test": "pool_change_difference", **KINDS}, [BEFORE, AFTER, FIVE], {}),
        ({"question": "after", "test": "pool_difference", **KINDS}, [BEFORE, AFTER, FIVE], {}),
    ],
)
def test_points_are_forecast_for_the_declared_contrast(
    contrast: dict[str, Any], questions: list[dict[str, Any]], more: dict[str, Any]
) -> None:
    if "reading" in more:
        more = {"conditions": more}
    analysis = CHANGES if BEFORE in questions else {}
    assert _mean(_simulation(contrast, *questions, analysis=analysis, **more)) == pytest.approx(0.8, abs=0.2)


@pytest.mark.parametrize(
    ("contrast", "question", "more"),
    [
        ({"question": "harm", "test": "category_difference", "code": "yes"}, CODES, {}),
        ({"question": "harm", **KINDS}, CODES, {}),
        ({"question": "harm", "test": "pool_category_difference", "code": "yes", **EXPERTS}, CODES, {"design": POOLS}),
        ({"question": "harm", "test": "pool_f1_difference", **KINDS}, CODES, {}),
        ({"question": "harm", "test": "item_attribute_accuracy", "attribute": "kind"}, CODES, {}),
        ({"question": "harm", "test": "item_attribute_interaction", "code": "yes", "attribute": "kind"}, CODES, {}),
        (
            {"question": "preference", "test": "item_attribute_preference", "attribute": "kind"},
            CHOICE,
            {"design": {"trials": "pairs"}},
        ),
    ],
)
def test_shares_are_forecast_as_stated(
    contrast: dict[str, Any], question: dict[str, Any], more: dict[str, Any]
) -> None:
    """From 20% to 60% of answers."""
    simulation = _simulation(contrast, question, FIVE, difference=0.4, n_items=40, **more)
    assert simulation.is_of_shares
    assert _mean(simulation, 20) == pytest.approx(0.4, abs=0.07)


@pytest.mark.parametrize("test", ["pool_span_f1_difference", "pool_empathic_difference"])
def test_marked_words_and_empathic_accuracy_are_forecast_as_stated(test: str) -> None:
    """From an F1, or Fisher's z, of .2 to .6; of a pool of targets nobody is a perceiver."""
    question, more = (CAUSE, {}) if test == "pool_span_f1_difference" else (FELT, OF_TARGETS)
    small = Sds(item=0.05, rater=0.05, item_source=0.05, rater_source=0.05, residual=0.1)
    simulation = _simulation(
        {"question": question["key"], "test": test, **KINDS}, question, FIVE, difference=0.4, **more
    )
    assert simulation.is_of_shares
    assert _mean(replace(simulation, sds=small)) == pytest.approx(0.4, abs=0.03)
    n_people = len(np.unique(simulation.sides.shown.rater[simulation.sides.side == 0]))
    assert n_people == (24 if test == "pool_span_f1_difference" else 18)


def test_texts_are_forecast_by_items_alone() -> None:
    """Of 40 items half a standard deviation apart, whose texts correlate with .5: a paired t test of d = .5."""
    contrast = {"question": "words", "test": "text_difference"}
    study = protocol(FIVE, analysis={"primary": [contrast]})
    few, many = (make_plan(study, [], Asked((40,), (n,), n_simulations=400)) for n in (6, 30))
    assert [row.statistic for row in few.rows] == ["text_difference"]
    assert many.rows[0].width == pytest.approx(few.rows[0].width, rel=0.03)
    (row,) = few.rows
    known = TTestPower().power(0.5, nobs=40, alpha=0.05)
    assert row.estimate == pytest.approx(0.5, abs=0.03)
    assert row.power == pytest.approx(known, abs=3 * (known * (1 - known) / 400) ** 0.5)
    family = protocol(FIVE, analysis={"primary": [contrast, "empathy"]})
    assert make_plan(family, [], Asked((40,), (6,), n_simulations=3)).n_tests == 2


def test_correlation_of_pools_follows_from_the_variances() -> None:
    """Of the means of two experts and of three of the crowd; rounding adds 1/12 to the noise of a rating."""
    simulation = _simulation({"question": "empathy", "test": "pool_correlation", **EXPERTS}, FIVE, design=POOLS)
    sds = Sds(item=0.6, rater=0.2, item_source=0.4, rater_source=0.2, residual=0.5)
    shared = sds.item**2 - sds.item_source**2 / 4
    of_rating = sds.rater**2 + sds.rater_source**2 / 4 + sds.residual**2 + 1 / 12
    own = [shared + sds.item_source**2 / 2 + of_rating / n for n in (2, 3)]
    found = _mean(replace(simulation, sds=sds), 40)
    assert found == pytest.approx(shared / (own[0] * own[1]) ** 0.5, abs=0.06)


def test_models_answer_everything_and_items_are_matched_by_two() -> None:
    contrast = {"question": "harm", "test": "item_attribute_accuracy", "attribute": "kind", "rater_kind": "model"}
    simulation = _simulation(contrast, CODES, FIVE, difference=0.4, analysis={"matched_items": "story"})
    shown = simulation.sides.shown
    assert len(np.unique(shown.rater)) == N_MODELS
    assert len(shown.item) == N_MODELS * 24 * 2
    assert len(np.unique(shown.item)) == 12
    for story in range(12):
        assert set(simulation.sides.side[shown.item == story].tolist()) == {0, 1}


def test_reference_label_is_the_other_one_of_the_level() -> None:
    contrast = {**FACTOR, "factor": "shown_label", "level": "By a person"}
    study = protocol(FIVE, analysis={"primary": [contrast]}, **LABELS)
    trials = planned_trials(study, so_many_items(study, [], 8))
    (declared,) = primary_contrasts(study)
    rows = rows_of(study, declared, trials, deal(study, trials, 12, seeded(1)))
    sides = sides_of(study, declared, rows)
    is_person = [
        (row.source == "human") == (row.cell.level("label") == "true") for row in rows
    ]  # the person's label on its own response, or swapped
    assert sides.side.tolist() == [int(one) for one in is_person]


# What a template forecasts first; those of None have no primary contrast that is simulated.
FORECAST = {
    "label-experiment": "factor_effect",
    "perspective-taking": "factor_effect",
    "character-knowledge": "factor_effect",
    "behaviours": "category_difference",
    "theory-of-mind": "pool_accuracy_difference",
    "emotion-recognition": "pool_f1_difference",
    "emotion-cause": "pool_span_f1_difference",
    "empathic-accuracy": "pool_empathic_difference",
    "recipient": "pool_difference",
    "before-after": "change_difference",
    "ab-tie": "share_preferred",
    "refusal-by-turn": "category_difference",
    **dict.fromkeys(("dialogue-trajectory", "conjoint")),
    "ranking": None,
    "bias-audit": "item_attribute_effect",
    "emotion-change": "pool_change_difference",
    "rater-scales": "pool_difference",
    "written-with-ai": "share_preferred",
    "suggestions": "change_difference",
    "reasoning-models": None,
    "case-heard": None,
    "venting": "change_difference",
    "empathic-dyads": None,
    "empathy-scale": "mean_difference",
    "follow-up": "change_difference",
}


@pytest.mark.parametrize("name", [template.name for template in list_templates()])
def test_every_template_forecasts_its_own_primary_contrast_or_says_that_it_does_not(name: str) -> None:
    """Before, `label-experiment` forecast the difference of the sources, and `conjoint` a mean difference."""
    folder = template_study(name)
    asked = Asked(n_items=(12,), n_raters=(12,), n_simulations=2)
    wanted = FORECAST.get(name, "mean_difference")
    if wanted is None:
        with pytest.raises(PlanError):
            make_plan(folder.protocol, planned_items(folder), asked)
        return
    found = make_plan(folder.protocol, planned_items(folder), asked)
    tested = [row.statistic for row in found.rows if not row.statistic.startswith("krippendorff")]
    assert wanted in tested
    primary = [one.question for one in primary_contrasts(folder.protocol)]
    assert found.question in {None, *primary}
    assert (found.contrast is None) == (wanted in {"mean_difference", "share_preferred"})
