"""Rater profiles, and the headlines without raters flagged by the protocol's rule."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from app.analysis import analyze
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, find, first, frames, only, protocol, told

PARTS = ("_of_raters", "_compared", "_agreed", "_choices")
NOMINAL = {**FIVE, "key": "kind", "level": "nominal"}


def _rows(n_raters: int = 6, n_items: int = 12, **more: object) -> list[Row]:
    """Return ratings in which the last rater always gives 5 and chooses left; the others follow the item."""
    rng = np.random.default_rng(3)
    rows: list[Row] = []
    for r in range(n_raters):
        for i in range(n_items):
            is_last = r == n_raters - 1
            beside = {"rater": f"r{r}", "item": f"i{i}", "position": i + 1, **more}
            for source in ("human", "model"):
                value = 5 if is_last else int(np.clip(1 + i % 4 + rng.integers(0, 2), 1, 5))
                rows.append({**beside, "response": f"i{i}:{source}", "question": "empathy", "value": value})
            left, right = ("human", "model") if i % 2 else ("model", "human")
            sides = {"left_response": f"i{i}:{left}", "right_response": f"i{i}:{right}"}
            chosen = left if is_last else ("model", "human")[i % 3 == 0]
            rows.append({**beside, **sides, "question": "preference", "value": chosen})
    return rows


def _of(report: Report, statistic: str, question: str | None = "empathy") -> dict[str, float | None]:
    found = find(report, statistic, section="rater", question=question)
    return {estimate.scope["raters"][0]: estimate.estimate for estimate in found if "raters" in estimate.scope}


@pytest.fixture(scope="module")
def report() -> Report:
    study = protocol(FIVE, CHOICE)
    return analyze(frames(study, _rows()), study)


def test_straight_lining_and_side_bias_stand_out(report: Report) -> None:
    assert _of(report, "longest_run")["r5"] == 24
    assert _of(report, "modal_share")["r5"] == 1
    assert _of(report, "answer_entropy")["r5"] == 0
    assert _of(report, "answer_sd")["r5"] == 0
    assert max(_of(report, "longest_run")[f"r{k}"] or 0 for k in range(5)) < 24
    assert _of(report, "first_side_share", "preference")["r5"] == 1
    assert _of(report, "longest_side_run", "preference")["r5"] == 12
    sides = find(report, "first_side_share", section="rater", scope={"raters": ["r5"]})
    assert sides[0].p_value == pytest.approx(2 / 2**12)


def test_isolated_and_lenient_raters_are_identified(report: Report) -> None:
    together = _of(report, "leave_one_out_correlation")
    assert together["r5"] is None
    assert min(together[f"r{k}"] or 0 for k in range(5)) > 0.6
    severity = _of(report, "severity")
    assert min(severity, key=lambda name: severity[name] or 0) == "r5"
    whole = only(report, "leave_one_out_correlation", scope={})
    assert whole.ci_low is not None
    shares = _of(report, "leave_one_out_share", "preference")
    assert min(shares, key=lambda name: shares[name] or 0) == "r5"


def test_runs_are_undefined_without_answer_order() -> None:
    study = protocol(FIVE)
    rows = [{**row, "position": None} for row in _rows() if row["question"] == "empathy"]
    unknown = find(analyze(frames(study, rows), study), "longest_run")
    assert {(estimate.estimate, estimate.reason) for estimate in unknown} == {(None, "no_pairable_units")}
    assert {estimate.note for estimate in unknown} == {"the order of the answers is not known"}


def test_at_most_100_raters_are_reported_individually() -> None:
    study = protocol(FIVE)
    rows = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:human", "question": "empathy", "value": 1 + (r + i) % 5}
        for r in range(103)
        for i in range(5 if r < 102 else 1)
    ]
    report = analyze(frames(study, rows), study)
    assert len(_of(report, "modal_share")) == 100
    assert "3 of 103 raters are not reported individually" in only(report, "leave_one_out_correlation", scope={}).note


def test_repeated_trial_affects_only_intra_rater_agreement() -> None:
    study = protocol(FIVE, CHOICE, NOMINAL)
    rows = [row for row in _rows() if row["rater"] != "r5"]
    again = [
        {**row, "repeat": 1, "left_response": row.get("right_response"), "right_response": row.get("left_response")}
        for row in rows
        if row["item"] in {"i0", "i1", "i2"} and row["rater"] in {"r0", "r1", "r2"}
    ]
    changed = [{**row, "value": 5} if row["rater"] == "r0" and row["question"] == "empathy" else row for row in again]
    with_them, without = (analyze(frames(study, part), study) for part in (rows + changed, rows))
    assert only(with_them, "intra_rater_kappa", question="preference", scope={}).estimate == 1
    agreement = _of(with_them, "intra_rater_agreement")
    assert (agreement["r1"], agreement["r0"], set(agreement)) == (1, 0, {"r0", "r1", "r2"})
    assert not find(without, "intra_rater_agreement")
    kept = [estimate for estimate in with_them.estimates if not estimate.statistic.startswith("intra_rater")]
    assert [told(estimate) for estimate in kept] == [told(estimate) for estimate in without.estimates]


def test_planned_repeats_without_answers_give_a_reason() -> None:
    study = protocol(FIVE, design={"repeats": {"n": 1}, "trials_per_rater": 12})
    report = analyze(frames(study, [row for row in _rows() if row["question"] == "empathy"]), study)
    estimate = only(report, "intra_rater_kappa", scope={})
    assert (estimate.estimate, estimate.reason) == (None, "no_pairable_units")
    assert estimate.note.startswith("nothing was rated twice")


def test_estimates_are_repeated_without_flagged_raters_if_any() -> None:
    study = protocol(
        FIVE,
        CHOICE,
        checks={
            "comprehension": [{"key": "task", "text": "What?", "codes": {"a": "A", "b": "B"}, "correct": "b"}],
        },
    )
    data = frames(study, _rows())
    when = pd.Timestamp("2026-11-21T10:00:00Z")
    failed = [("r5", "look", False), ("r5", "gold-1", False), ("r0", "look", False), ("r0", "task", False)]
    checks = pd.DataFrame([(*row, when) for row in failed], columns=["rater", "check", "is_passed", "happened_at"])
    report = analyze(replace(data, checks=checks), study)
    assert only(report, "flagged_share").note == "r5 (Failed 2 of 2 checks; 24 of 24 ratings are the same)"
    assert only(report, "flagged_share").estimate == pytest.approx(1 / 6)
    assert _of(report, "checks_passed_share", None) == {"r5": 0, "r0": 0}
    fewer = analyze(frames(study, [row for row in _rows() if row["rater"] != "r5"]), study)
    two = {"source": "model", "reference": "human"}
    for statistic, scope in (("krippendorff_alpha_ordinal", {}), ("mean_difference", two), ("share_preferred", two)):
        without = only(report, statistic, section="rater", scope={**scope, "flagged": "left_out"})
        expected = first(fewer, statistic, scope=scope)
        assert (without.estimate, without.ci_low, without.n_raters) == (expected.estimate, expected.ci_low, 5)
    assert not find(fewer, "share_preferred", section="rater")


@pytest.mark.parametrize(
    ("active_ms", "note"),
    [
        (60_000, "no rater is flagged"),
        (None, "no rater is flagged; no times were recorded, so speed was not checked"),
    ],
)
def test_nobody_flagged_is_not_said_of_speed_without_times(active_ms: int | None, note: str) -> None:
    rows = [row for row in _rows(3, 4, active_ms=active_ms) if row["question"] == "empathy"]
    study = protocol(FIVE)
    assert only(analyze(frames(study, rows), study), "flagged_share").note == note


def test_total_time_far_below_others_is_flagged_when_finished() -> None:
    study = protocol(FIVE, checks={"too_fast_sd": 1}, design={"trials_per_rater": 2})
    rows = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:{s}",
            "question": "empathy",
            "value": 3,
            "active_ms": 1000.0 * seconds,
        }
        for r, seconds in enumerate((20, 21, 22, 19, 2, 1))
        for i in range(1 if r == 5 else 2)
        for s in ("human", "model")
    ]
    report = analyze(frames(study, rows), study)
    assert only(report, "flagged_share").note == (
        "r4 (2.0 seconds per trial, less than a third of the median (19.5); Total time more than 1 SD below the mean), "
        "r5 (1.0 seconds per trial, less than a third of the median (19.5))"
    )
    assert _of(report, "median_seconds", None)["r4"] == 2
    assert only(report, "median_seconds", scope={}).estimate == pytest.approx(19.5)


def test_dawid_skene_share_is_reported_for_choices_and_codes() -> None:
    study = protocol(CHOICE, {**NOMINAL, "scale": {0: "no", 1: "yes"}})
    votes = [row for row in _rows() if row["question"] == "preference"]
    codes = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:human", "question": "kind", "value": int(i < 3)}
        for r in range(3)
        for i in range(12)
    ]
    report = analyze(frames(study, votes + codes), study)
    assert only(report, "dawid_skene_share", question="preference").estimate == pytest.approx(8 / 12, abs=1e-6)
    assert only(report, "dawid_skene_share", question="kind").estimate == pytest.approx(0.25)
    assert only(report, "dawid_skene_changed_share", question="kind").estimate == 0
    accuracy = _of(report, "dawid_skene_accuracy", "preference")
    assert accuracy["r0"] == pytest.approx(1)
    assert min(accuracy, key=lambda name: accuracy[name] or 0) == "r5"


def test_judges_are_excluded_from_rater_estimates() -> None:
    study = protocol(FIVE, CHOICE)
    judged = [{**row, "rater": "gpt"} for row in _rows() if row["rater"] == "r1"]
    both = analyze(frames(study, _rows() + judged, raters=[{"rater": "gpt", "kind": "model"}]), study)
    without = analyze(frames(study, _rows()), study)
    assert [told(estimate) for estimate in both.of("rater")] == [told(estimate) for estimate in without.of("rater")]
