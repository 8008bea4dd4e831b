"""Simulated raters are in no result once a person has answered; before, the report says that all are simulated."""

from dataclasses import replace

import pandas as pd

from app.analysis import analyze
from app.analysis.data.simulated import SIMULATED_ONLY, counted_frames
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.analysis.planning.pilot import assumed_of_pilot
from tests.kit.frames import FIVE, frames, protocol, told

STUDY = protocol(FIVE)
SIMULATED = [{"rater": f"sim{n}", "is_simulated": True} for n in range(3)]


def answers(*raters: str) -> list[dict[str, object]]:
    return [
        {
            "rater": rater,
            "item": f"i{i}",
            "response": f"i{i}:{s}",
            "question": "empathy",
            "value": 1 + (i + len(rater)) % 5,
        }
        for rater in raters
        for i in range(4)
        for s in ("human", "model")
    ]


def test_simulated_raters_leave_every_estimate_once_a_person_has_answered() -> None:
    simulated = answers("sim0", "sim1", "sim2")
    real = answers("anna", "ben")
    both = analyze(frames(STUDY, simulated + real, raters=SIMULATED), STUDY)
    alone = analyze(frames(STUDY, real), STUDY)
    assert not both.is_simulated
    assert "3 simulated raters are left out of all results, because people have rated." in both.notes
    assert both.sample == alone.sample
    assert [{**told(one), "recipe": None} for one in both.estimates] == [
        {**told(one), "recipe": None} for one in alone.estimates
    ]
    assert {"is_simulated is false" in one.recipe["filter"] for one in both.estimates} == {True}
    assert not any("is_simulated" in one.recipe["filter"] for one in alone.estimates)


def test_a_model_judge_or_a_rater_without_answers_does_not_end_the_rehearsal() -> None:
    others = [{"rater": "gpt", "kind": "model"}, {"rater": "anna"}]
    data = frames(STUDY, answers("sim0", "sim1", "sim2", "gpt"), raters=[*SIMULATED, *others])
    assert counted_frames(data) == (data, 0)
    report = analyze(data, STUDY)
    assert report.is_simulated
    assert report.as_document()["is_simulated"] is True


def test_a_person_whose_page_is_still_open_does_not_end_the_rehearsal() -> None:
    opened = [{**answer, "exclude": "not submitted"} for answer in answers("anna")]
    assert analyze(frames(STUDY, answers("sim0", "sim1", "sim2") + opened, raters=SIMULATED), STUDY).is_simulated


def test_checks_of_simulated_raters_are_left_out_with_them() -> None:
    when = pd.Timestamp("2026-11-21T10:00:00Z")
    rows = [("sim0", "look", False, when), ("anna", "look", True, when)]
    checks = pd.DataFrame(rows, columns=["rater", "check", "is_passed", "happened_at"])
    data = replace(frames(STUDY, answers("sim0", "anna"), raters=SIMULATED[:1]), checks=checks)
    counted, n_left_out = counted_frames(data)
    assert n_left_out == 1
    assert counted.checks is not None
    assert [list(table["rater"]) for table in (counted.checks, counted.raters)] == [["anna"], ["anna"]]


def test_pilot_is_of_people_only() -> None:
    rows = [{**row, "value": 1 + hash((row["rater"], row["response"])) % 5} for row in answers("anna", "benn", "cleoo")]
    simulated = [{**row, "value": 5} for row in answers("sim0", "sim1", "sim2")]
    both = frames(STUDY, rows + simulated, raters=SIMULATED)
    question = STUDY.scaled_questions[0]
    assert assumed_of_pilot(both, STUDY, question) == assumed_of_pilot(frames(STUDY, rows), STUDY, question)


def test_report_of_simulated_ratings_begins_with_a_warning() -> None:
    report = analyze(frames(STUDY, answers("sim0", "sim1", "sim2"), raters=SIMULATED), STUDY)
    document, _ = study_report(report, STUDY, (), ReportContext("24 November 2026"))
    assert document.watermark == SIMULATED_ONLY
    assert document.warning.startswith("All ratings are simulated. They rehearse")
    real, _ = study_report(analyze(frames(STUDY, answers("anna", "ben")), STUDY), STUDY, (), ReportContext("now"))
    assert (real.warning, real.watermark) == ("", "")
