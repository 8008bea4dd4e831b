"""A judge that was asked again on a later day: what moved by how much, and that nothing else counts it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.data.series import later_runs
from app.analysis.estimate import Scope
from app.analysis.findings.judge_summary import judge_summaries
from app.analysis.report.report import Report
from app.analysis.sections.judges.drift import OVER_TIME
from app.results.pages.sections.part_tables import blocks_of
from tests.kit.frames import CHOICE, FIVE, Row, frames, only, protocol

PARTS = ("_judged", "_agreed", "_compared", "_choices")
STUDY = protocol(FIVE, CHOICE, analysis={"reference": "human"})
N_ITEMS, ANCHORS = 12, 8
BOTH: Scope = {"rater_kind": "model", "raters": ["judge", "judge@2"]}
PAIR: Scope = {"source": "model", "reference": "human"}
# By how much the judge rates each of the anchors' model responses higher the second time.
MOVED = (1, 1, 0, 2, 1, 0, 1, 1)


def rows_of(rater: str, n_items: int, day: str, moved: tuple[int, ...] = (0,) * N_ITEMS) -> list[Row]:
    found: list[Row] = []
    for n in range(n_items):
        item, common = f"i{n:02}", {"rater": rater, "item": f"i{n:02}", "rated_at": f"2026-{day}T10:00:00Z"}
        for source, value in (("human", 2 + n % 2), ("model", 1 + n % 3 + moved[n])):
            found.append({**common, "response": f"{item}:{source}", "question": "empathy", "value": value})
        chosen = "model" if n % 2 or moved[n] > 1 else "human"
        found.append({**common, "question": "preference", "value": chosen})
    return found


def of_two_days(*, versions: tuple[str | None, str | None] = ("m-1", "m-2"), again: bool = True) -> Frames:
    people = [row for rater in ("r1", "r2", "r3") for row in rows_of(rater, N_ITEMS, "11-02")]
    later = rows_of("judge@2", ANCHORS, "12-03", MOVED) if again else []
    raters = [{"rater": name, "kind": "model"} for name in ("judge", "judge@2")[: 1 + again]]
    data = frames(STUDY, [*people, *rows_of("judge", N_ITEMS, "11-03"), *later], raters=raters)
    by_rater = {"judge": versions[0], "judge@2": versions[1]}
    data.raters["series"] = ["judge" if name == "judge@2" else None for name in data.raters["rater"]]
    data.raters["model_version"] = [by_rater.get(name) for name in data.raters["rater"]]
    data.raters["model"] = ["m" if name in by_rater else None for name in data.raters["rater"]]
    return data


@pytest.fixture(scope="module")
def report() -> Report:
    return analyze(of_two_days(), STUDY)


def test_ratings_of_shared_units_moved_by_their_mean_difference_over_items(report: Report) -> None:
    gaps = np.array(MOVED) / 2  # the human responses of an item did not move
    found = only(report, "drift", scope=BOTH)
    half = stats.t.ppf(0.975, ANCHORS - 1) * gaps.std(ddof=1) / np.sqrt(ANCHORS)
    assert found.estimate == pytest.approx(gaps.mean())
    assert found.ci_low == pytest.approx(gaps.mean() - half)
    assert found.ci_high == pytest.approx(gaps.mean() + half)
    assert found.inference == "items"
    assert only(report, "drift", scope={**BOTH, "source": "model"}).estimate == pytest.approx(np.mean(MOVED))
    assert only(report, "drift", scope={**BOTH, "source": "human"}).estimate == 0
    same = only(report, "drift_same", question="empathy", scope=BOTH)
    assert same.estimate == pytest.approx((8 + 2) / 16)


def test_choices_moved_by_the_difference_of_shares(report: Report) -> None:
    assert only(report, "drift_of_share", scope={**BOTH, **PAIR}).estimate == pytest.approx(0.0)
    assert only(report, "drift_same", question="preference", scope=BOTH).estimate == 1
    data = of_two_days()
    at = (data.ratings["rater"] == "judge@2") & (data.ratings["question"] == "preference")
    data.ratings.loc[at, "chosen"] = data.ratings.loc[at, "item"] + ":model"
    moved = analyze(data, STUDY)
    assert only(moved, "drift_of_share", scope={**BOTH, **PAIR}).estimate == pytest.approx(0.5)
    assert only(moved, "drift_same", question="preference", scope=BOTH).estimate == pytest.approx(0.5)


def test_an_answer_is_the_same_if_its_first_showing_is(report: Report) -> None:
    data = of_two_days()
    again = data.ratings[data.ratings["rater"].isin(["judge", "judge@2"])].assign(repeat=1)
    again["number"] = 6 - again["number"]
    shown_twice = replace(data, ratings=pd.concat([data.ratings, again], ignore_index=True))
    found = analyze(shown_twice, STUDY)
    assert only(found, "drift", scope=BOTH).estimate == pytest.approx(0.0)  # both days have the mean 3
    same = only(found, "drift_same", question="empathy", scope=BOTH).estimate
    assert same == only(report, "drift_same", question="empathy", scope=BOTH).estimate


def test_no_other_estimate_counts_the_later_day(report: Report) -> None:
    before = analyze(of_two_days(again=False), STUDY)
    kept = [one for one in report.estimates if one.statistic not in {"drift", "drift_of_share", "drift_same"}]
    assert len(kept) < len(report.estimates)
    assert [(one.statistic, one.scope, one.estimate, one.n_ratings) for one in kept] == [
        (one.statistic, one.scope, one.estimate, one.n_ratings) for one in before.estimates
    ]
    assert [one.name for one in judge_summaries(report)] == ["judge"]


def test_days_and_a_new_version_are_said(report: Report) -> None:
    said = next(note for note in report.notes if note.startswith("judge@2"))
    assert said == (
        "judge@2 is judge asked again on 2026-12-03, after its first answers on 2026-11-03: it counts under "
        "Model judges only, as drift. The model's version changed from m-1 to m-2."
    )
    same = analyze(of_two_days(versions=("m-1", "m-1")), STUDY)
    assert any("Both times the model's version was m-1." in note for note in same.notes)
    unknown = analyze(of_two_days(versions=(None, "m-1")), STUDY)
    assert any("The model's versions are not known." in note for note in unknown.notes)
    captions = [block.caption for block in blocks_of("judges", report.estimates, STUDY.labels)]
    assert OVER_TIME.caption in captions


def test_a_series_is_named_by_its_first_judge_or_by_a_word_of_its_own() -> None:
    raters = pd.DataFrame(
        {
            "rater": ["p", "a", "b", "a2", "x1", "x2", "x3"],
            "kind": ["person", *["model"] * 6],
            "series": ["monthly", None, None, "a", "monthly", "monthly", "monthly"],
        }
    )
    assert later_runs(raters) == {"a2": "a", "x2": "x1", "x3": "x1"}
    assert later_runs(raters.drop(columns="series")) == {}
