"""A primary difference analysed again is what the analysis gives for the answers that are left."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app.analysis.data.frames import ARRIVAL_COLUMNS, Frames
from app.analysis.estimate import Estimate
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.robustness import other_ways, robustness_rows, robustness_sentence
from app.analysis.findings.summary import summary_of
from app.analysis.report.computed_report import report_of
from app.analysis.report.labelled import labelled
from app.analysis.report.report import Report
from app.analysis.sections import specifications
from app.analysis.sections.specifications import ALL_CHOICES
from app.results.charts.chart import charts_of
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

PARTS = ("_compared", "_choices", "_of_raters", "sensitivity", "specifications")
STUDY = protocol(FIVE, CHOICE, analysis={"primary": ["empathy", "preference"]})
DRAW = np.random.default_rng(5)
RATERS, ITEMS = [f"r{n}" for n in range(8)], [f"i{n}" for n in range(6)]


def _rows() -> list[Row]:
    found: list[Row] = []
    for n, rater in enumerate(RATERS):
        for place, item in enumerate(ITEMS):
            me = {"rater": rater, "item": item, "position": place + 1}
            for source, lift in (("human", 0), ("model", n % 3)):
                value = int(np.clip(DRAW.integers(1, 4) + lift, 1, 5))
                found.append({**me, "response": f"{item}:{source}", "question": "empathy", "value": value})
            winner = "model" if DRAW.random() < 0.3 + n / 12 else "human"
            found.append({**me, "question": "preference", "value": winner})
    return found


ROWS = _rows()
# the texts of the first two items are the same
TEXTS: list[Row] = [
    {"response": f"{item}:{source}", "item": item, "source": source, "text": f"{source} {ITEMS[max(1, place)]} says"}
    for place, item in enumerate(ITEMS)
    for source in ("human", "model")
]


@cache
def whole() -> Report:
    return report_of(frames(STUDY, ROWS, responses=TEXTS), STUDY, full=False)


def ways(report: Report, question: str) -> dict[str, Estimate]:
    found = (one for one in report.of("rater", question) if one.scope.get("sensitivity", ALL_CHOICES) != ALL_CHOICES)
    return {one.scope["sensitivity"]: one for one in found}


def of(rows: list[Row], question: str) -> Estimate:
    data: Frames = frames(STUDY, rows)
    statistic = "mean_difference" if question == "empathy" else "share_preferred"
    pair = {"source": "model", "reference": "human"}
    estimates = report_of(data, STUDY, full=False, only_primary=True).estimates
    return next(one for one in estimates if (one.measured, one.statistic, one.scope) == (question, statistic, pair))


def numbers(one: Estimate) -> tuple[Any, ...]:
    return one.estimate, one.ci_low, one.ci_high, one.p_value


@pytest.mark.parametrize(("part", "names"), [("rater", RATERS), ("item", ITEMS)])
def test_leave_one_out_is_bounded_by_the_analysis_without_each(part: str, names: list[str]) -> None:
    rest = [of([row for row in ROWS if row[part] != name], "empathy") for name in names]
    found = ways(whole(), "empathy")
    lowest, highest = (choose(rest, key=lambda one: one.estimate or 0.0) for choose in (min, max))
    assert numbers(found[f"{part}_lowest"]) == pytest.approx(numbers(lowest))
    assert numbers(found[f"{part}_highest"]) == pytest.approx(numbers(highest))


def test_choices_without_one_rater_are_those_of_the_others() -> None:
    found = ways(whole(), "preference")["rater_highest"]
    rest = [of([row for row in ROWS if row["rater"] != name], "preference") for name in RATERS]
    assert numbers(found) == pytest.approx(numbers(max(rest, key=lambda one: one.estimate or 0.0)))


def test_first_half_and_texts_that_a_source_has_twice() -> None:
    found = ways(whole(), "empathy")
    half = of([row for row in ROWS if row["position"] <= len(ITEMS) / 2], "empathy")
    assert numbers(found["first_half"]) == pytest.approx(numbers(half))
    once = of([row for row in ROWS if row["item"] != "i1"], "empathy")
    assert numbers(found["without_duplicates"]) == pytest.approx(numbers(once))
    assert found["without_duplicates"].role == "descriptive"


def test_answers_to_the_current_wording_are_told_apart() -> None:
    """They counted together with answers to an earlier wording, without a word."""
    before = RATERS[:5]
    arrivals = pd.DataFrame(
        [(rater, "finished", None, *(("1", "empathy") if rater in before else ("2", None))) for rater in RATERS],
        columns=[*ARRIVAL_COLUMNS],
    )
    report = report_of(replace(frames(STUDY, ROWS), arrivals=arrivals), STUDY, full=False)
    found = ways(report, "empathy")["current_wording"]
    assert numbers(found) == pytest.approx(numbers(of([row for row in ROWS if row["rater"] not in before], "empathy")))
    assert found.note.startswith("without 60 answers to an earlier wording")
    assert "current_wording" not in ways(report, "preference")
    said = (
        "60 of 96 answers to Empathy were given to an earlier wording, under version 1 of the study. "
        "They count together."
    )
    assert said in report.notes
    assert report.as_document()["answers_by_version"] == {"empathy": {"current": 36, "1": 60}}
    shown = labelled(report, STUDY.labels)
    warned = [one for one in summary_of(shown, STUDY).warnings if "current wording" in one]
    assert [one.split(":")[0] for one in warned] == ["Empathy, only answers to the current wording"]
    curves = [one.detail["curve"] for one in report.of("rater", "empathy") if "curve" in one.detail]
    assert any("current_wording" in one["rules"] for one in curves[0])


def test_what_leaves_nothing_out_is_not_told() -> None:
    few = [{**row, "position": None} for row in ROWS if row["rater"] in RATERS[:3] and row["item"] in ITEMS[:3]]
    assert ways(report_of(frames(STUDY, few), STUDY, full=False), "empathy") == {}


def test_sentence_and_table_name_the_analyses_that_change_the_answer() -> None:
    shown = labelled(whole(), STUDY.labels)
    found = other_ways(main_contrasts(shown, STUDY), shown)
    assert {one.contrast.key for one in found} == {"empathy", "preference"}
    rows = robustness_rows(found)
    assert [row[2] for row in rows if row[0] == "Empathy"][:2] == ["as reported", found[0].name]
    same = [replace(one, is_changed=False) for one in found]
    said = f"{len(found)} other analyses of the primary differences"
    assert robustness_sentence(same) == f"None of {said} changes whether the 95% CI includes no difference."
    named = robustness_sentence([replace(same[0], is_changed=True), *same[1:]])
    assert named == (f"1 of {said} changes whether the 95% CI includes no difference: Empathy (Model) {found[0].name}.")
    assert robustness_sentence(same, is_named=False) == f"None of {len(found)} other analyses change the answer."
    assert robustness_sentence([]) == ""


def curve(report: Report, question: str) -> Estimate:
    return next(one for one in report.of("rater", question) if one.scope.get("sensitivity") == ALL_CHOICES)


@pytest.mark.parametrize("question", ["empathy", "preference"])
def test_each_combination_is_the_analysis_of_the_answers_that_are_left(question: str) -> None:
    found = curve(whole(), question)
    analyses = {(one["test"], *one["rules"]): one for one in found.detail["curve"]}
    assert found.estimate == pytest.approx(np.median([one["estimate"] for one in analyses.values()]))
    half = of([row for row in ROWS if row["position"] <= len(ITEMS) / 2], question)
    own = analyses["clustered", "first_half"]
    assert (own["estimate"], own["low"], own["high"]) == pytest.approx((half.estimate, half.ci_low, half.ci_high))
    assert (own["n_ratings"], own["n_raters"]) == (half.n_ratings, half.n_raters)
    # of both departures, the interval would include nearly all values
    assert ("clustered", "without_duplicates", "first_half") not in analyses


def test_mixed_models_and_the_t_test_are_those_of_the_report() -> None:
    analyses = {one["test"]: one for one in curve(whole(), "empathy").detail["curve"] if not one["rules"]}
    pair = {"source": "model", "reference": "human"}
    same = [one for one in whole().of("comparison", "empathy") if one.scope == pair]
    for test, procedure in (("linear", "lmm_satterthwaite"), ("item_means", "t_paired"), ("ordinal", "clmm_laplace")):
        name = "mean_difference_clmm" if test == "ordinal" else "mean_difference"
        one = next(each for each in same if (each.statistic, each.procedure) == (name, procedure))
        own = analyses[test]
        assert (own["estimate"], own["low"], own["high"]) == pytest.approx((one.estimate, one.ci_low, one.ci_high))
    logistic = next(one for one in curve(whole(), "preference").detail["curve"] if one["test"] == "logistic")
    model = next(one for one in whole().of("choice", "preference") if one.statistic == "share_preferred_glmm")
    assert logistic["estimate"] == pytest.approx(model.estimate, abs=0.02)  # that one models the side too


def test_combinations_are_bounded_and_those_with_fewest_departures_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specifications, "MAX_ANALYSES", 6)
    found = curve(report_of(frames(STUDY, ROWS, responses=TEXTS), STUDY, full=False), "empathy")
    assert [len(one["rules"]) for one in found.detail["curve"]] == [0, 0, 0, 0, 1, 1]
    assert found.note.startswith(
        "6 of 16 combinations of choices: those that have an interval, with the fewest departures first"
    )


def test_picture_and_table_have_every_analysis() -> None:
    chart, _ = (one for one in charts_of(whole(), STUDY) if one.key.startswith("specifications"))
    spec = chart.spec()
    assert spec is not None
    points = spec["layer"][0]["data"]["values"]
    assert [one["estimate"] for one in points] == sorted(one["estimate"] for one in points)
    assert len(chart.table.rows) == len(points) == len(curve(whole(), "empathy").detail["curve"])
    assert [one["reported"] for one in points].count(True) == 1
    assert sum("(as reported)" in row[0] for row in chart.table.rows) == 1
    assert f"in {len(points)} analyses, " in chart.finding


def test_believed_source_keeps_responses_taken_for_those_of_a_person() -> None:
    who = {"key": "who", "target": "response", "type": "category", "text": "Who?", "codes": {"p": "", "ai": ""}}
    believed = {"question": "who", "means": {"p": ["human"], "ai": ["model"]}}
    study = protocol(FIVE, who, analysis={"primary": ["empathy"], "believed_source": believed})
    rated = [row for row in ROWS if row["question"] == "empathy"]
    taken = [n % 3 for n in range(len(rated))]
    said = [{**row, "question": "who", "value": "p" if n else "ai"} for row, n in zip(rated, taken, strict=True)]
    report = report_of(frames(study, [*rated, *said]), study, full=False)
    own = ways(report, "empathy")["believed_person"]
    kept = of([row for row, n in zip(rated, taken, strict=True) if n], "empathy")
    assert numbers(own) == pytest.approx(numbers(kept))
