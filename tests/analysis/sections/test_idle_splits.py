"""Conditions that can tell nothing about a question, and the raters that are reported one by one."""

from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.data.encoded_study import codes_of
from app.analysis.data.rater_panel import Panel
from app.analysis.estimate import Part
from app.analysis.sections.study_data import StudyData
from app.protocol.study import Protocol
from tests.kit.frames import FIVE, Row, frames, protocol

WRITER = {"kind": "source", "assign": "between", "levels": ["human", "model"]}
TONE = {"kind": "instruction", "assign": "between", "levels": {"plain": "Read.", "warm": "Imagine."}}
MOOD, FELT = ({**FIVE, "key": key, "target": "rater"} for key in ("mood", "felt"))


def study_with(conditions: dict[str, Any], **more: Any) -> Protocol:  # noqa: ANN401 - parts of a protocol
    flow = {"before": [{"questions": ["mood"]}], "after": [{"questions": ["felt"]}]}
    return protocol(FIVE, MOOD, FELT, conditions=conditions, flow=flow, **more)


def rows(*, is_toned: bool) -> list[Row]:
    found: list[Row] = []
    for rater in range(12):
        source, tone = ("human", "model")[rater % 2], ("plain", "warm")[rater // 2 % 2]
        me = {"rater": f"r{rater:02d}", "condition": f"writer={source}" + (f"; tone={tone}" if is_toned else "")}
        found += [{**me, "question": key, "value": 1 + (rater * 3 + len(key)) % 5} for key in ("mood", "felt")]
        found += [
            {**me, "item": f"i{i}", "response": f"i{i}:{source}", "question": "empathy", "value": 1 + (rater + i) % 5}
            for i in range(6)
        ]
    return found


def asked_by(study: Protocol, *, is_toned: bool) -> set[tuple[str | None, str]]:
    """Questions with estimates by condition, and the condition or factor."""
    report = analyze(frames(study, rows(is_toned=is_toned)), study)
    keys: tuple[Part, ...] = ("factor", "condition")
    return {
        (one.question, str(one.scope[key]).partition("=")[0])
        for one in report.estimates
        for key in keys
        if key in one.scope
    }


def test_condition_that_chooses_the_source_does_not_repeat_the_comparison_of_sources() -> None:
    assert asked_by(study_with({"writer": WRITER}), is_toned=False) == {("felt", "writer")}


def test_declared_effect_of_the_source_is_kept() -> None:
    primary = [{"question": "empathy", "test": "factor_effect", "factor": "writer"}]
    study = study_with({"writer": WRITER}, analysis={"primary": primary})
    assert ("empathy", "writer") in asked_by(study, is_toned=False)


def test_other_conditions_are_kept_beside_that_of_the_source() -> None:
    found = asked_by(study_with({"writer": WRITER, "tone": TONE}), is_toned=True)
    assert ("empathy", "tone") in found
    assert ("felt", "tone") in found
    assert "mood" not in {question for question, _ in found}


def test_answers_of_raters_are_not_split_by_themselves() -> None:
    study = study_with({}, analysis={"composites": {"state": ["mood", "felt"]}})
    answers = [{**row, "condition": None} for row in rows(is_toned=False)]
    found = {
        (one.question, name)
        for one in analyze(frames(study, answers), study).estimates
        for name in one.scope.get("subgroup", {})
    }
    of_raters = {"mood", "felt", "state"}
    assert {pair for pair in found if pair[0] in of_raters} == {("mood", "felt"), ("felt", "mood")}
    assert {name for question, name in found if question == "empathy"} > of_raters


def test_flagged_rater_is_reported_whatever_the_number_of_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.analysis.data.rater_panel.MAX_RATERS", 2)
    study = protocol(FIVE)
    given = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:human", "question": "empathy", "value": 1 + (r + i) % 5}
        for r in range(4)
        for i in range(8 - r)
    ]
    data = frames(study, given)
    (question,) = StudyData(codes_of(data, study), study, False, data).numbers

    def named(flagged: list[str]) -> list[str]:
        return [question.codes.raters.ids[code] for code in Panel.of(question, flagged).raters]

    assert named([]) == ["r0", "r1"]
    assert named(["r3"]) == ["r0", "r3"]


def test_effect_of_the_source_on_another_question_is_no_reason_to_repeat_the_comparison() -> None:
    """A table of two means that no rater could give, with a note for each, stood beside the comparison of sources."""
    change = {"changes": [{"before": "mood", "after": "felt"}]}
    change |= {"primary": [{"question": "felt", "test": "change_difference", "factor": "writer"}]}
    assert asked_by(study_with({"writer": WRITER}, analysis=change), is_toned=False) == {("felt", "writer")}


def test_raters_are_not_grouped_by_what_was_measured_again_after_the_trials() -> None:
    def grouped_by(**more: Any) -> set[str]:  # noqa: ANN401 - parts of a protocol
        study = study_with({"tone": TONE}, **more)
        report = analyze(frames(study, rows(is_toned=True)), study)
        scopes = [one.scope for one in report.estimates if one.question == "empathy"]
        return {name for scope in scopes for name in (*scope.get("subgroup", {}), scope.get("covariate", "")) if name}

    assert {"mood", "felt"} <= grouped_by()
    found = grouped_by(analysis={"changes": [{"before": "mood", "after": "felt"}]})
    assert "mood" in found
    assert "felt" not in found
