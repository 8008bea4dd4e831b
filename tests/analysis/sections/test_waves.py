"""Later waves in a report: change from the first wave by arm, who came back, and bounds where arms differ in that."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app.analysis import analyze
from app.analysis.data.frames import ARRIVAL_COLUMNS, Frames
from app.analysis.document.design_words import consent_sentences, question_table
from app.analysis.findings.participants import participant_tables
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.report.sentences import change_text
from app.stats.attrition import attrition_share, lee_bounds
from app.stats.comparison.change import change_difference
from tests.kit.frames import FIVE, find, frames, protocol

LONELY = {"key": "lonely", "target": "rater", "type": "slider", "text": "How lonely?", "label": "Loneliness"}
STUDY = protocol(
    FIVE,
    LONELY,
    conditions={"arm": {"kind": "instruction", "label": "Arm", "levels": {"a": "A", "b": "B"}}},
    waves=[{"days": 14, "label": "Two weeks later"}, {"days": 60}],
    analysis={"primary": [{"question": "lonely@2", "test": "change_difference", "factor": "arm"}]},
)
N = 20
START = pd.Timestamp("2026-12-01 12:00", tz="UTC")


def first(number: int) -> float:
    return 50 + (number * 7) % 20


def second(arm: str, number: int) -> float:
    return first(number) + (-2.0 if arm == "a" else -9.0) + (number * 3) % 5


def came_back(arm: str, number: int) -> bool:
    return number % (5 if arm == "a" else 3) != 0


@cache
def data() -> Frames:
    rows, arrivals = [], []
    for arm in "ab":
        for number in range(N):
            rater, cell = f"{arm}{number:02}", f"arm={arm}"
            arrivals.append((rater, "finished", cell))
            day = START + pd.Timedelta(days=number % 3)
            at = {"rater": rater, "condition": cell, "rated_at": day}
            rows.append({**at, "item": "i", "response": "i:human", "question": "empathy", "value": 1 + number % 5})
            about = {"rater": rater, "rated_at": day}
            rows.append({**about, "question": "lonely", "value": first(number)})
            if came_back(arm, number):
                later = day + pd.Timedelta(days=15)
                rows.append({"rater": rater, "question": "lonely@2", "value": second(arm, number), "rated_at": later})
    # one more has only just finished, so that wave 2 has not opened for them
    last = START + pd.Timedelta(days=16)
    rows.append({"rater": "new", "question": "lonely", "value": 50, "rated_at": last})
    rated = {"item": "i", "response": "i:human", "question": "empathy", "value": 3, "condition": "arm=a"}
    rows.append({"rater": "new", **rated, "rated_at": last})
    arrivals.append(("new", "finished", "arm=a"))
    table = pd.DataFrame(arrivals, columns=[*ARRIVAL_COLUMNS[:3]], dtype=object)
    return replace(frames(STUDY, rows), arrivals=table)


@cache
def report() -> Report:
    return analyze(data(), STUDY)


def of_arm(arm: str) -> list[int]:
    return [number for number in range(N) if came_back(arm, number)]


def in_wave(statistic: str, wave: int | None = 2) -> list[Any]:
    return [one for one in find(report(), statistic) if one.scope.get("wave") == wave]


def test_primary_contrast_is_the_change_to_the_later_wave_between_arms() -> None:
    (primary,) = [one for one in report().estimates if one.role == "primary"]
    raters = [("a", number) for number in of_arm("a")] + [("b", number) for number in of_arm("b")]
    before = np.array([first(number) for _, number in raters])
    after = np.array([second(*one) for one in raters])
    expected = change_difference(before, after, np.array([arm == "b" for arm, _ in raters]))
    assert primary.question == "lonely@2"
    assert primary.scope == {"before": "lonely", "factor": "arm", "level": "b", "reference_level": "a"}
    assert primary.estimate == pytest.approx(expected.estimate)
    assert (primary.estimate or 0) < -5


def test_change_of_each_arm_is_from_the_first_wave() -> None:
    changes = {one.scope.get("level", ""): one.estimate for one in find(report(), "change", question="lonely@2")}
    for arm in "ab":
        expected = np.mean([second(arm, number) - first(number) for number in of_arm(arm)])
        assert changes[arm] == pytest.approx(expected)


def test_raters_who_did_not_come_back_are_counted_by_arm_once_the_wave_has_opened_for_them() -> None:
    shares = {one.scope.get("condition"): one for one in in_wave("attrition_share")}
    for arm in "ab":
        expected = attrition_share(N - len(of_arm(arm)), N)
        one = shares[f"arm={arm}"]
        assert (one.estimate, one.n_units) == (pytest.approx(expected.estimate), N)
        assert expected.interval is not None
        assert one.ci_high == pytest.approx(expected.interval.high)
    assert in_wave("attrition_share", 3) == []
    assert {one.estimate for one in in_wave("attrition_share", None)} == {0.0}


def test_bounds_of_the_change_are_reported_where_arms_differ_in_who_came_back() -> None:
    score = np.array([second(arm, n) - first(n) if came_back(arm, n) else np.nan for arm in "ab" for n in range(N)])
    expected = lee_bounds(score, np.repeat([False, True], N), (N, N))
    (lower,), (upper,) = find(report(), "lee_lower"), find(report(), "lee_upper")
    assert (lower.question, lower.scope["before"]) == ("lonely@2", "lonely")
    assert lower.estimate == pytest.approx(expected.lower.estimate)
    assert upper.estimate == pytest.approx(expected.upper.estimate)


def test_tables_and_sentences_name_the_wave() -> None:
    found = [*participant_tables(report(), labelled(report(), STUDY.labels), STUDY)]
    tables = {caption: rows for caption, _, rows, _ in found}
    rows = tables["Raters who came back for later waves, by arm"]
    assert [row[:4] for row in rows] == [
        ("Two weeks later", "a", "20", "16"),
        ("Two weeks later", "b", "20", "13"),
    ]
    notes = [note for *_, notes in found for note in notes]
    assert any(note.startswith("Not back, ") and "wave 2" in note for note in notes)
    assert STUDY.labels.question("lonely@2") == "Loneliness (Two weeks later)"


def test_answers_of_a_later_wave_are_no_covariates_of_the_ratings() -> None:
    named = {one.scope.get("covariate") for one in report().estimates}
    assert not {"lonely@2", "lonely@3"} & named
    n_raters = {one.n_raters for one in find(report(), "mean", question="lonely@2") if not one.scope}
    assert n_raters == {len(of_arm("a")) + len(of_arm("b"))}


def test_documents_and_the_answer_say_when_raters_were_asked_again() -> None:
    sentences = [*consent_sentences(STUDY)]
    assert "14 days later, from day 14 on, they answer again: Loneliness." in sentences
    assert [row[0] for row in question_table(STUDY).rows] == ["Empathy", "Loneliness"]
    assert change_text("lonely@2", STUDY) == "Loneliness (Two weeks later)"
