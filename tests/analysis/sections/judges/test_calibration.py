"""Calibration of judges on ratings, choices and codes: worked examples."""

import json
from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.report.report import Report
from app.results.charts.chart import charts_of
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

PARTS = ("_judged",)
JUDGE = {"rater_kind": "model", "raters": ["judge"]}
TONE = {
    "key": "tone",
    "target": "response",
    "type": "category",
    "text": "Which tone?",
    "codes": {"1": "cold", "0": "warm"},
}
STUDY = protocol(FIVE, {**CHOICE, "tie": True}, TONE)


def _report(rows: list[Row]) -> Report:
    return analyze(frames(STUDY, rows, raters=[{"rater": "judge", "kind": "model"}]), STUDY)


def _row(rater: str, item: int, value: object, question: str = "empathy", **more: Any) -> Row:  # noqa: ANN401
    if probabilities := more.pop("probabilities", None):
        more["probabilities"] = json.dumps(probabilities)
    about = {} if question == "preference" else {"response": f"i{item}:human"}
    return {"rater": rater, "item": f"i{item}", "question": question, "value": value, **about, **more}


def _value(report: Report, statistic: str, question: str = "empathy") -> float | None:
    return only(report, statistic, question=question, scope=JUDGE).estimate


def test_ratings_are_compared_with_a_randomly_drawn_rater() -> None:
    rows: list[Row] = []
    for item in range(4):
        rows += [_row(f"r{k}", item, value) for k, value in enumerate((4, 4, 5, 3))]
        # The rest of the probability, .2, belongs to no allowed answer.
        stated = {"1": 0.0, "2": 0.0, "3": 0.2, "4": 0.4, "5": 0.2}
        rows.append(_row("judge", item, 4, probabilities=stated))
    report = _report(rows)
    assert _value(report, "stated_probability") == pytest.approx(0.5)
    assert _value(report, "agreeing_share") == 0.5
    assert _value(report, "overconfidence") == pytest.approx(0.0)
    assert _value(report, "calibration_error") == pytest.approx(0.0)
    # The judge states exactly what people say: .25 + .0625 + .0625 - 2 (.375) + 1.
    assert _value(report, "brier_score") == pytest.approx(1 - 0.375)
    # One of six pairs of raters agrees.
    assert _value(report, "brier_lowest") == pytest.approx(5 / 6)
    (bin_share,) = find(report, "calibration_bin_share", question="empathy")
    assert (bin_share.scope["bin"], bin_share.n_units, bin_share.n_ratings) == ("50% to 60%", 4, 16)
    (chart,) = [one for one in charts_of(report, STUDY) if one.key.startswith("calibration")]
    assert chart.finding.startswith("judge gives its answers a probability of 50.0% on average; 50.0% of human raters")
    assert chart.table.rows[0][:3] == ("judge", "50% to 60%", "4")
    spec = chart.spec()
    assert spec is not None
    assert spec["data"]["values"][0]["y"] == 0.5


def test_only_the_probability_of_the_answer_given() -> None:
    rows: list[Row] = []
    for item in range(3):
        rows += [_row(f"r{k}", item, value) for k, value in enumerate((4, 4))]
        rows.append(_row("judge", item, 4, probabilities={"4": 0.7 + item / 10}))
    report = _report(rows)
    assert _value(report, "overconfidence") == pytest.approx(-0.2)
    missing = only(report, "brier_score", question="empathy", scope=JUDGE)
    assert (missing.reason, "do not identify the probabilities" in missing.note) == ("no_pairable_units", True)


def test_choices_are_compared_by_response() -> None:
    rows: list[Row] = []
    for item in range(2):
        pair = {"left_response": f"i{item}:model", "right_response": f"i{item}:human"}
        said = ("human", "human", "tie", "model")
        rows += [_row(f"r{k}", item, value, "preference", **pair) for k, value in enumerate(said)]
        stated = {f"i{item}:model": 0.1, f"i{item}:human": 0.6, "tie": 0.3}
        rows.append(_row("judge", item, "human", "preference", probabilities=stated, **pair))
    report = _report(rows)
    assert _value(report, "stated_probability", "preference") == pytest.approx(0.6)
    assert _value(report, "agreeing_share", "preference") == 0.5
    expected = 0.1**2 + 0.6**2 + 0.3**2 - 2 * (0.1 * 0.25 + 0.6 * 0.5 + 0.3 * 0.25) + 1
    assert _value(report, "brier_score", "preference") == pytest.approx(expected)


def test_codes_are_named_by_their_keys() -> None:
    rows: list[Row] = []
    for item in range(2):
        rows += [_row(f"r{k}", item, code, "tone") for k, code in enumerate(("1", "1", "0"))]
        rows.append(_row("judge", item, "1", "tone", probabilities={"1": 0.9, "0": 0.1}))
    report = _report(rows)
    assert _value(report, "stated_probability", "tone") == pytest.approx(0.9)
    assert _value(report, "agreeing_share", "tone") == pytest.approx(2 / 3)


def test_judge_without_probabilities_has_no_calibration() -> None:
    rows = [_row(rater, item, 4) for item in range(3) for rater in ("r0", "judge")]
    rows.append(_row("judge", 3, 4, probabilities={"4": 0.5}))
    assert not find(_report(rows), "overconfidence")
