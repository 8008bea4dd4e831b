"""Planning simulates the study's own design, reproducibly, and states its assumptions."""

import csv
import io
import itertools
import json
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.analysis.planning.pilot import ASSUMED, assumed_of_pilot, assumed_of_scale, with_stated
from app.analysis.planning.plan import FIELDS, Plan, plan, plan_csv, plan_json
from app.analysis.planning.scenario import Assumed, Scenario
from app.results.planning.make_plan import rated_questions
from app.stats.simulated_ratings import Sds
from tests.kit.frames import CHOICE, FIVE, frames, protocol, read_study
from tests.real_data.ayers import write_ayers

SDS = Sds(item=0.5, rater=0.5, item_source=0.4, rater_source=0.3, residual=0.8)
RATERS = Assumed(SDS, mean=2.8, difference=0.4, origin="stated")
SMALL, LARGE = Scenario(20, 8, 3), Scenario(60, 30, 3)


def _plan(*scenarios: Scenario, questions: tuple[dict[str, Any], ...] = (FIVE, CHOICE), **more: Any) -> Plan:  # noqa: ANN401 - parts of study.yaml
    study = protocol(*questions, **more)
    question = next(iter(study.scaled_questions), None)
    return plan(study, [], RATERS, scenarios, question=question, n_simulations=20, seed=3)


def test_scenario_results_are_independent_of_other_scenarios() -> None:
    both, alone = _plan(SMALL, LARGE), _plan(LARGE)
    assert [row.statistic for row in alone.rows] == ["krippendorff_alpha_ordinal", "mean_difference", "share_preferred"]
    assert both.rows[3:] == alone.rows
    small, large = both.rows[1], both.rows[4]
    assert (large.width or 9) < (small.width or 0)
    assert (large.power or 0) > (small.power or 1)
    assert (large.n_seats, large.n_unfilled, large.most_trials) == (180, 0, 6)
    assert large.estimate == pytest.approx(0.4, abs=0.1)


def test_agreement_has_no_power_and_needs_two_raters_per_trial() -> None:
    alpha = _plan(Scenario(12, 6, 1)).rows[0]
    assert (alpha.statistic, alpha.power, alpha.width, alpha.n_without) == (
        "krippendorff_alpha_ordinal",
        None,
        None,
        20,
    )


def test_repeats_need_no_seats_and_limits_leave_seats_unfilled() -> None:
    design = {"trials_per_rater": 5, "repeats": {"n": 2, "min_distance": 1}}
    row = _plan(Scenario(20, 8, 3), design=design).rows[0]
    assert (row.n_seats, row.n_unfilled, row.most_trials) == (40, 20, 7)


def test_choice_only_study_plans_nominal_agreement() -> None:
    found = _plan(SMALL, questions=(CHOICE,))
    assert [row.statistic for row in found.rows] == ["krippendorff_alpha_nominal", "share_preferred"]
    assert found.question is None


def test_single_source_study_plans_agreement_only() -> None:
    one = _plan(SMALL, questions=(FIVE,), sources={"model": {"kind": "model"}})
    assert [row.statistic for row in one.rows] == ["krippendorff_alpha_ordinal"]
    assert (one.source, one.reference) == (None, "model")
    assert not _plan(SMALL, questions=({**FIVE, "target": "response"},), sources={}).rows


def test_three_sources_plan_first_against_reference() -> None:
    sources = {"human": {"kind": "human"}, "first": {"kind": "model"}, "second": {"kind": "model"}}
    found = _plan(SMALL, sources=sources, design={"trials": "pairs", "pairs": "reference"})
    assert (found.source, found.reference) == ("first", "human")
    share = next(row for row in found.rows if row.statistic == "share_preferred")
    assert share.n_seats == 2 * 20 * 3 - share.n_unfilled


def test_plan_files_have_full_precision() -> None:
    found = _plan(Scenario(12, 6, 1), SMALL)
    table = list(csv.DictReader(io.StringIO(plan_csv(found))))
    assert tuple(table[0]) == FIELDS
    assert table[0]["width"] == ""
    assert float(table[1]["width"]) == found.rows[1].width
    document = json.loads(plan_json(found))
    assert document["assumed"]["sds"]["residual"] == 0.8
    assert [row["power"] for row in document["rows"]] == [row.power for row in found.rows]


def test_stated_assumptions_override_defaults() -> None:
    usual = assumed_of_scale(protocol(FIVE).scaled_questions[0])
    assert (usual.mean, usual.difference, usual.origin) == (2.8, 0.4, ASSUMED)
    assert assumed_of_scale(None) == usual
    stated = with_stated(usual, {"difference": 1.0, "rater": 0.9, "item": None})
    assert (stated.mean, stated.sds.rater, stated.sds.item) == (2.5, 0.9, usual.sds.item)
    assert stated.origin.endswith("stated: difference, rater")
    assert with_stated(usual, {"item": None}) is usual
    assert with_stated(usual, {"mean": 2.0, "difference": 1.0}).mean == 2.0


def test_pilot_provides_mean_difference_and_spread(tmp_path: Path, shared: Path) -> None:
    """Ayers et al. (2023), empathy: the published difference of means is 1.51 (3.65 and 2.14)."""
    found_frames, study = read_study(write_ayers(tmp_path, shared))
    empathy = next(question for question in study.scaled_questions if question.key == "empathy")
    found = assumed_of_pilot(found_frames, study, empathy)
    assert found is not None
    assert found.difference == pytest.approx(1.51, abs=0.03)
    assert found.mean == pytest.approx(2.14, abs=0.03)
    assert found.origin == "pilot: 1170 ratings of empathy"
    assert found.sds.item_source > found.sds.item


def test_pilot_of_a_score_uses_its_scores() -> None:
    """Two questions with the same answers: their mean varies as each of them does, and their sum twice as much."""
    composites = {name: {"questions": ["empathy", "warmth"], "score": name} for name in ("mean", "sum")}
    study = protocol(FIVE, {**FIVE, "key": "warmth"}, analysis={"composites": composites})
    rng = np.random.default_rng(5)
    of_item, of_rater = rng.normal(0, 0.8, 20), rng.normal(0, 0.5, 6)
    rows = []
    for item, rater, source in itertools.product(range(20), range(6), (0, 1)):
        seen = 2.7 + of_item[item] + of_rater[rater] + 0.5 * source + rng.normal(0, 0.7)
        row = {"rater": f"r{rater}", "item": f"i{item}", "response": f"i{item}:{('human', 'model')[source]}"}
        rows += [{**row, "question": key, "value": min(max(round(seen), 1), 5)} for key in ("empathy", "warmth")]
    empathy, _, mean, total = rated_questions(study)
    single, of_mean, of_sum = (assumed_of_pilot(frames(study, rows), study, one) for one in (empathy, mean, total))
    assert single is not None
    assert of_mean is not None
    assert of_sum is not None
    assert astuple(of_mean.sds) == pytest.approx(astuple(single.sds), abs=1e-4)
    assert astuple(of_sum.sds) == pytest.approx([2 * sd for sd in astuple(single.sds)], abs=1e-3)
    assert of_mean.origin == "pilot: 240 ratings of mean"


def test_pilot_with_too_little_data_is_ignored() -> None:
    study = protocol(FIVE)
    row = {"rater": "a", "item": "i", "question": "empathy"}
    one = [{**row, "response": "i:human", "value": 3}]
    assert assumed_of_pilot(frames(study, one), study, study.scaled_questions[0]) is None
    two = [*one, {**row, "response": "i:model", "value": 4}]
    assert assumed_of_pilot(frames(study, two), study, study.scaled_questions[0]) is None
