"""Attrition by arm in a report: who left, the test, Lee's bounds, and the flow of participants."""

from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd
import pytest

from app.analysis import analyze
from app.analysis.data.frames import ARRIVAL_COLUMNS, Frames
from app.analysis.data.report_filters import Filters
from app.analysis.findings.objections import objections_of
from app.analysis.findings.participants import flow_sentences, participant_tables
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.stored_report import read_report, report_text
from app.results.charts.flow import flow_finding, flow_spec, flow_table
from tests.kit.frames import FIVE, find, frames, only, protocol

TOLD = {"told": {"kind": "instruction", "label": "Told", "levels": {"a": "A", "b": "B"}}}
STUDY = protocol(FIVE, conditions=TOLD)
# raters by arm and state: 10 of a, of whom 9 finished, 12 of b, of whom 6 did, and others without an arm
ENDS = {
    ("a", "finished"): 9,
    ("a", "withdrawn"): 1,
    ("b", "finished"): 6,
    ("b", "expired"): 5,
    ("b", "failed_checks"): 1,
}
BEYOND: list[tuple[Any, ...]] = [("b0", "active", "told=b"), ("x", "screened_out", None), (None, "refused", None)]


@cache
def data() -> Frames:
    every = [(arm, state) for (arm, state), n in ENDS.items() for _ in range(n)]
    rows, arrivals = [], [*BEYOND]
    for number, (arm, state) in enumerate(every):
        rater = f"{arm}{number + 1:02}"
        arrivals.append((rater, state, f"told={arm}"))
        for i in range(4 if state == "finished" else 1):
            at = {"rater": rater, "item": f"i{i}", "response": f"i{i}:human", "condition": f"told={arm}"}
            rows.append({**at, "question": "empathy", "value": 1 + (number * (i + 1)) % 5})
    rows[-1]["exclude"] = "rater excluded: bot"
    told = pd.DataFrame(arrivals, columns=[*ARRIVAL_COLUMNS[:3]], dtype=object)
    return replace(frames(STUDY, rows, raters=[{"rater": "b0"}, {"rater": "x"}]), arrivals=told)


@cache
def report() -> Report:
    return analyze(data(), STUDY)


def test_flow_counts_everyone_once() -> None:
    flow = report().sample.flow
    assert flow is not None
    assert flow.before == {"screened_out": 1, "refused": 1}
    assert (flow.n_arrived, flow.n_assigned) == (25, 23)
    a, b = flow.arms
    assert (a.name, a.n_assigned, a.n_finished, a.n_left, a.n_analyzed, a.n_partial) == ("told=a", 10, 9, 1, 10, 1)
    assert (b.n_assigned, b.n_ended, b.n_analyzed, b.n_partial, b.excluded) == (13, 12, 11, 5, {"bot": 1})
    text = " ".join(flow_sentences(flow, STUDY))
    assert "25 arrived, 15 finished, 1 did not consent, 1 not eligible, 5 left, 1 withdrew" in text
    assert "by condition: a 9 of 10, b 6 of 13" in text
    assert read_report(report_text(report())).sample.flow == flow


def test_attrition_is_compared_among_those_whose_end_is_known() -> None:
    whole, a, b = find(report(), "attrition_share")
    assert (whole.estimate, a.estimate, b.estimate) == pytest.approx((7 / 22, 0.1, 0.5))
    gap = only(report(), "attrition_difference")
    assert gap.scope == {"factor": "told", "level": "b", "reference_level": "a"}
    assert gap.estimate == pytest.approx(0.4)
    assert (gap.n_units, gap.role, gap.p_adjusted) == (22, "descriptive", None)


def test_bounds_are_of_the_means_of_raters_who_finished() -> None:
    finished = {rater for rater, state, _ in data().arrivals.itertuples(index=False) if state == "finished"}  # type: ignore[union-attr]
    rated = data().ratings[data().ratings["rater"].isin(finished)]
    mean = rated.groupby("rater")["number"].mean()
    a, b = (sorted(mean[mean.index.str.startswith(arm)]) for arm in "ab")
    # nine tenths against half: five of nine are kept
    lower, upper = (only(report(), f"lee_{end}") for end in ("lower", "upper"))
    assert lower.estimate == pytest.approx(sum(b) / 6 - sum(a[-5:]) / 5)
    assert upper.estimate == pytest.approx(sum(b) / 6 - sum(a[:5]) / 5)
    assert (lower.ci_low, lower.ci_high) == (upper.ci_low, upper.ci_high)
    assert "44.4%" in lower.note


def test_tables_name_arms_tests_and_bounds() -> None:
    shown = labelled(report(), STUDY.labels)
    first, second = participant_tables(report(), shown, STUDY)
    assert first[2][1][:4] == ("b", "13", "6", "6 of 12 (50.0%)")
    assert "Fisher's exact p = .074. No clear difference in attrition." in first[3][0]
    assert second[2][0][:2] == ("Empathy", "Told: b − a")


def test_nothing_is_known_of_a_part_of_the_answers() -> None:
    narrow = analyze(data(), STUDY, filters=Filters(conditions=("told=a",)))
    assert narrow.sample.flow is None
    assert find(narrow, "attrition_share") == find(narrow, "lee_lower") == []


def test_study_without_arms_has_one_column() -> None:
    study = protocol(FIVE)
    alone = analyze(data(), study)
    assert [one.scope for one in find(alone, "attrition_share")] == [{}]
    assert find(alone, "attrition_difference") == []
    flow = alone.sample.flow
    assert flow is not None
    assert [arm.name for arm in flow.arms] == [""]
    assert flow_table([], flow=flow, protocol=study).rows[3][:2] == ("Assigned", "All raters")
    spec = flow_spec([], flow=flow, protocol=study, title="Participants")
    assert spec is not None
    words = [row["text"] for layer in spec["layer"] for row in layer["data"]["values"] if "text" in row]
    assert [word for word in words if "assigned" in word.lower()] == ["Not assigned: 2", "Assigned: 23"]


def test_diagram_has_every_count() -> None:
    flow = report().sample.flow
    assert flow is not None
    spec = flow_spec([], flow=flow, protocol=STUDY, title="Participants")
    assert spec is not None
    words = {row["text"] for layer in spec["layer"] for row in layer["data"]["values"] if "text" in row}
    assert {"Arrived: 25", "Not assigned: 2", "Assigned: 23", "Not finished: 7", "5 left", "Finished: 9"} <= words
    assert "b: 13 assigned, 6 finished, 11 analyzed" in flow_finding([], flow=flow, protocol=STUDY)
    many = replace(flow, arms=flow.arms * 3)
    assert flow_spec([], flow=many, protocol=STUDY, title="Participants") is None


def test_clear_difference_in_attrition_is_an_objection() -> None:
    shown = labelled(report(), STUDY.labels)
    assert "attrition" not in {one.key for one in objections_of(shown, STUDY, [], [])}
    clear = [
        replace(one, verdict="clear") if one.statistic == "attrition_difference" else one for one in shown.estimates
    ]
    found = {one.key: one.says for one in objections_of(replace(shown, estimates=tuple(clear)), STUDY, [], [])}
    assert "Told: b − a: 40.0 (95% CI" in found["attrition"]
