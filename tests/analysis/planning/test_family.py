"""A plan tests what the study declares: against margins, as a family, with raters who leave."""

from typing import Any

import numpy as np
import pytest

from app.analysis.planning.declared import each_of, family_of, is_simulated
from app.analysis.planning.family import members_of
from app.analysis.planning.scenario import Assumed, Scenario, Simulated
from app.protocol.primary import PrimaryContrast
from app.protocol.study import Protocol
from app.results.planning.make_plan import Asked, make_plan
from app.stats.simulated_ratings import Sds
from tests.kit.frames import CHOICE, FIVE, protocol

SDS = Sds(item=0.3, rater=0.3, item_source=0.2, rater_source=0.2, residual=0.6)
STATED = {"item": 0.3, "rater": 0.3, "item_source": 0.2, "rater_source": 0.2, "residual": 0.6}
WARMTH = {**FIVE, "key": "warmth"}
SLIDER = {"key": "ease", "type": "slider", "target": "response", "text": "Ease?", "min": 0, "max": 100}
HARM = {"key": "harm", "type": "category", "target": "response", "text": "Harm?", "codes": ["no", "yes"]}
INSTRUCTED = {"reading": {"kind": "instruction", "levels": {"plain": "Read.", "imagine": "Imagine.", "list": "List."}}}
THREE = {name: {"kind": "human" if name == "human" else "model"} for name in ("human", "one", "two")}


def _study(primary: list[Any], *questions: dict[str, Any], **more: Any) -> Protocol:  # noqa: ANN401
    return protocol(*(questions or (FIVE, WARMTH, SLIDER, HARM, CHOICE)), analysis={"primary": primary}, **more)


def _simulated(study: Protocol, attrition: float = 0.0) -> Simulated:
    question = study.scaled_questions[0]
    assumed = Assumed(SDS, 2.8, 0.4, "stated")
    members = members_of(study, question, assumed, None)
    return Simulated(study, [], assumed, Scenario(20, 8, 3), question, 3, members, attrition)


@pytest.mark.parametrize("test", ["equivalence", "non_inferiority"])
def test_margin_is_planned_at_no_difference_with_its_own_interval(test: str) -> None:
    """Before, the plan was of the difference in means, and its power that of finding one."""
    power = []
    for margin in (0.1, 2.0):
        study = _study([{"question": "empathy", "test": test, "margin": margin}], FIVE)
        asked = Asked((20,), (10,), stated=STATED, n_simulations=20)
        row = next(row for row in make_plan(study, [], asked).rows if row.statistic == test)
        assert row.estimate == pytest.approx(0, abs=0.15)
        power.append(row.power or 0.0)
    assert power[0] < 0.5
    assert power[1] == 1


def test_lower_is_better_where_the_question_says_so() -> None:
    """A difference of one point up is inferior for a question that is reversed, and not for others."""
    for is_reversed, expected in ((False, 1.0), (True, 0.0)):
        study = _study(
            [{"question": "empathy", "test": "non_inferiority", "margin": 0.4}], {**FIVE, "reversed": is_reversed}
        )
        asked = Asked((20,), (10,), stated={**STATED, "difference": 1.0}, n_simulations=6)
        assert make_plan(study, [], asked).rows[-1].power == expected


def test_family_has_each_source_level_and_code() -> None:
    primary = [
        "empathy",
        {"question": "warmth", "test": "factor_effect", "factor": "reading"},
        {"question": "harm", "test": "category_difference", "source": "one"},
        {"question": "ease", "test": "krippendorff_alpha"},
    ]
    study = _study(primary, sources=THREE, conditions=INSTRUCTED)
    named = [(one.question, one.source, one.level, one.code) for one in family_of(study)]
    assert named == [
        ("empathy", "one", None, None),
        ("empathy", "two", None, None),
        ("warmth", None, "imagine", None),
        ("warmth", None, "list", None),
        ("harm", "one", None, "no"),
        ("harm", "one", None, "yes"),
    ]
    labels = {"human": {"kind": "human", "shown_label": "A"}, "model": {"kind": "model", "shown_label": "B"}}
    told = _study(
        [{"question": "empathy", "factor": "label", "test": "factor_effect"}],
        sources=labels,
        conditions={"label": {"kind": "shown_label", "levels": ["none", "true"]}},
    )
    label = PrimaryContrast(question="empathy", test="factor_effect", factor="shown_label")
    assert [one.level for one in each_of(told, label)] == ["B"]


def test_every_p_value_is_adjusted_with_those_that_planning_cannot_simulate() -> None:
    """A member that is not simulated counts as not detected: the one other p-value is doubled."""
    alone = _simulated(_study(["empathy"])).results("mean_difference")["mean_difference"]
    turns = {"question": "warmth", "test": "turn_slope"}
    both = _study(["empathy"]).model_copy(update={"analysis": _study(["empathy"]).analysis})
    declared = (*both.analysis.primary, PrimaryContrast(**turns))
    both = both.model_copy(update={"analysis": both.analysis.model_copy(update={"primary": declared})})
    assert not is_simulated(both, declared[1])
    found = _simulated(both).results("mean_difference")["mean_difference"]
    assert found.p_value == pytest.approx(min(2 * (alone.p_value or 0), 1))
    assert (found.estimate, found.interval) == (alone.estimate, alone.interval)


def test_other_questions_have_the_same_shares_of_their_scale() -> None:
    primary = ["empathy", "ease", {"question": "warmth", "test": "equivalence", "margin": 0.5}, "harm", "preference"]
    study = _study(primary)
    found = {
        one.contrast.question: one
        for one in members_of(study, study.scaled_questions[0], Assumed(SDS, 2, 0.4, ""), None)
    }
    assert found["ease"].assumed.sds.residual == pytest.approx(15)
    assert (found["ease"].assumed.mean, found["ease"].assumed.difference) == (25, 10)
    assert found["warmth"].assumed.difference == 0
    assert found["harm"].assumed.difference == 0.1
    assert found["preference"].assumed.difference == 0.4
    assert [one.is_shown for one in found.values()] == [True, True, False, False, False]
    asked = Asked((12,), (8,), n_simulations=4)
    plan = make_plan(study, [], asked)
    assert plan.n_tests == 6
    of_shares = _study([{"question": "harm", "test": "category_difference", "code": "yes"}, "preference", "empathy"])
    assumed = members_of(of_shares, None, Assumed(SDS, 0.4, 0.2, ""), of_shares.analysis.primary[0])
    assert [one.assumed.difference for one in assumed] == [0.2, 0.4, 0.4]


def test_who_leaves_misses_the_last_trials() -> None:
    """With everyone leaving somewhere, half of the ratings stay, but for the last one of each rater."""
    counts = []
    for attrition in (0.0, 1.0):
        simulated = _simulated(_study(["empathy"]), attrition)
        counts.append(np.mean([one.n_ratings for _ in range(20) for one in simulated.results().values()]))
    assert 0.35 < counts[1] / counts[0] < 0.55
