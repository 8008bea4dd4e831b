"""A judge that rated everything beside people who rated a part: the estimates are those of `prediction_powered`."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from app.analysis import analyze
from app.analysis.document.report_context import ReportContext
from app.analysis.document.study_report import study_report
from app.analysis.findings.findings_document import findings_document
from app.analysis.findings.judge_conclusions import HEADER, conclusion_rows, conclusions_by_judge
from app.analysis.findings.main_contrasts import main_contrasts
from app.analysis.findings.robustness import other_ways
from app.analysis.report.labelled import labelled
from app.analysis.report.notes import ALL_RATED as NOTHING_TO_ADD
from app.analysis.report.report import Report
from app.analysis.sections.judges.together import DRAWN, LEFT_OUT, RANDOM, STACKED, TOGETHER
from app.base.documents.blocks import DataTable
from app.results.pages.sections.part_tables import NO_WEIGHT, blocks_of
from app.stats.comparison.prediction_powered import AGAINST, ALL_RATED, NO_OVERLAP, TOO_FEW, prediction_powered
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

PARTS = ("_judged", "_agreed", "_composed", "_compared", "_choices")
N_ITEMS, N_RATED, N_RATERS = 24, 10, 4
JUDGE = {"rater_kind": "model", "raters": ["judge"]}
BOTH = JUDGE | {"source": "model", "reference": "human"}
SOURCES = ("human", "model")
LABELS = protocol(FIVE, CHOICE).labels
BOTH_SCORES = {"question": "both", "source": "model", "reference": "human", "test": "mean_difference"}


def said(i: int, source: str, rater: int) -> int:
    """Return a rating that depends on the response, and a little on the rater."""
    return 2 + (i * (3 if source == "model" else 5) + (source == "model")) % 3 + (i + rater) % 2


def judged(i: int, source: str) -> int:
    return 1 + (i * (3 if source == "model" else 5) + (source == "model")) % 3 + i % 2


def _page(i: int, rater: str, ratings: dict[str, int], chosen: str) -> list[Row]:
    page = {"rater": rater, "item": f"i{i}", "left_response": f"i{i}:human", "right_response": f"i{i}:model"}
    rated = [
        {**page, "response": f"i{i}:{source}", "question": "empathy", "value": value}
        for source, value in ratings.items()
    ]
    return [*rated, {**page, "question": "preference", "value": chosen}]


def rows_of(n_rated: int = N_RATED) -> list[Row]:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        mine = {source: judged(i, source) for source in SOURCES}
        rows += _page(i, "judge", mine, ("human", "model", "tie")[i % 3])
        for k in range(N_RATERS) if i < n_rated else ():
            given = {source: said(i, source, k) for source in SOURCES}
            rows += _page(i, f"r{k}", given, ("human", "model")[(i + k) % 3 == 1])
    return rows


def report(n_rated: int = N_RATED, sample: pd.DataFrame | None = None) -> Report:
    study = protocol(FIVE, CHOICE)
    found = frames(study, rows_of(n_rated), raters=[{"rater": "judge", "kind": "model"}])
    return analyze(replace(found, sample=sample), study)


@pytest.mark.parametrize("n_rated", [N_RATED, N_ITEMS])
def test_it_is_said_if_people_rated_everything_that_judges_rated(n_rated: int) -> None:
    found = report(n_rated=n_rated)
    assert any(note == NOTHING_TO_ADD for note in found.notes) is (n_rated == N_ITEMS)
    assert any(one.statistic.endswith("_ppi") for one in found.estimates) is (n_rated < N_ITEMS)


def test_difference_is_that_of_both_over_all_items() -> None:
    found = report()
    expected = prediction_powered(
        np.array([said(i, source, k) * 1.0 for i in range(N_RATED) for source in SOURCES for k in range(N_RATERS)]),
        unit=np.repeat(np.arange(2 * N_RATED), N_RATERS),
        rater=np.tile(np.arange(N_RATERS), 2 * N_RATED),
        judge=np.array([judged(i, source) * 1.0 for i in range(N_ITEMS) for source in SOURCES]),
        item=np.repeat(np.arange(N_ITEMS), 2),
        sign=np.tile([-1.0, 1.0], N_ITEMS),
        null=0.0,
    )
    both = only(found, "mean_difference_ppi", scope=BOTH)
    assert expected.judge_weight > 0.1
    assert both.estimate == pytest.approx(expected.combined.estimate)
    assert expected.combined.interval is not None
    assert both.estimate == pytest.approx(expected.combined.estimate)
    assert both.ci_low == pytest.approx(expected.combined.interval.low)
    assert both.ci_high == pytest.approx(expected.combined.interval.high)
    assert both.note.endswith(RANDOM)
    assert only(found, "mean_difference_people", scope=BOTH).estimate == pytest.approx(expected.people.estimate)
    assert only(found, "judge_weight", scope=BOTH, question="empathy").estimate == pytest.approx(expected.judge_weight)
    worth = only(found, "effective_n", scope=BOTH, question="empathy")
    assert worth.estimate == pytest.approx(expected.effective_n.estimate)


def test_difference_by_both_is_told_beside_that_of_people() -> None:
    """Other analyses of a primary difference lacked it, though people rated only a sample."""
    study = protocol(FIVE, CHOICE, analysis={"primary": ["empathy", "preference"]})
    found = report()
    shown = labelled(
        analyze(frames(study, rows_of(), raters=[{"rater": "judge", "kind": "model"}]), study), study.labels
    )
    ways = other_ways(main_contrasts(shown, study), shown)
    told = {one.estimate.statistic: one for one in ways if one.name == "people combined with model judge judge"}
    assert {*told} == {"mean_difference_ppi", "share_preferred_ppi"}
    both = only(found, "mean_difference_ppi", scope=BOTH)
    assert (told["mean_difference_ppi"].estimate.ci_low, told["mean_difference_ppi"].is_changed) == (both.ci_low, False)


def test_known_probabilities_count_and_what_was_not_drawn_is_left_out() -> None:
    """People rated items 0 to 9: 0 to 4 of a stratum with probability 1/2, the others with 1/3; item 9 by hand."""
    chance = np.array([1 / 2] * 5 + [1 / 3] * 5 + [1 / 2] * 5 + [1 / 3] * 9)
    is_out = np.isin(np.arange(N_ITEMS), np.arange(9, N_ITEMS))
    sample = pd.DataFrame(
        {"item": [f"i{i}" for i in range(N_ITEMS)], "probability": chance, "stage": 1, "is_out": is_out}
    )
    expected = prediction_powered(
        np.array([said(i, source, k) * 1.0 for i in range(9) for source in SOURCES for k in range(N_RATERS)]),
        unit=np.repeat(np.arange(18), N_RATERS),
        rater=np.tile(np.arange(N_RATERS), 18),
        judge=np.array([judged(i, source) * 1.0 for i in range(N_ITEMS) for source in SOURCES]),
        item=np.repeat(np.arange(N_ITEMS), 2),
        sign=np.tile([-1.0, 1.0], N_ITEMS),
        chance=np.repeat(chance, 2),
        null=0.0,
    )
    found = report(sample=sample)
    both = only(found, "mean_difference_ppi", scope=BOTH)
    left_out = f"Ratings of 1 item are left out, {LEFT_OUT}."
    (block,) = (b for b in blocks_of("judges", found.of("judge"), LABELS) if b.caption == TOGETHER.caption)
    assert {DRAWN, left_out} <= {*block.notes}
    assert RANDOM not in block.notes
    assert both.estimate == pytest.approx(expected.combined.estimate)
    assert both.n_ratings == 9 * 2 * N_RATERS
    assert DRAWN in both.note
    assert "Ratings of 1 item are left out" in both.note
    assert RANDOM not in both.note


def test_items_without_a_probability_are_no_part_of_it() -> None:
    chance = np.where(np.arange(N_ITEMS) < 20, 0.5, np.nan)
    sample = pd.DataFrame(
        {"item": [f"i{i}" for i in range(N_ITEMS)], "probability": chance, "stage": 1, "is_out": False}
    )
    assert only(report(sample=sample), "mean_difference_ppi", scope=BOTH).n_units == 40


def test_means_and_shares_are_of_all_units_too() -> None:
    found = report()
    people = np.mean([said(i, "model", k) for i in range(N_RATED) for k in range(N_RATERS)])
    mean = only(found, "mean_people", scope=JUDGE | {"source": "model"})
    assert mean.estimate == pytest.approx(people)
    assert only(found, "mean_ppi", scope=JUDGE | {"source": "model"}).p_value is None
    share = only(found, "share_preferred_people", scope=BOTH)
    chosen = np.mean([(i + k) % 3 == 1 for i in range(N_RATED) for k in range(N_RATERS)])
    assert share.estimate == pytest.approx(chosen)
    assert only(found, "share_preferred_ppi", scope=BOTH).n_ratings == N_RATED * N_RATERS


def test_composite_is_combined_from_the_showings_of_the_judge_and_the_first_answers_of_people() -> None:
    """The judge rated each response twice, and a person one: scores are of means, and of the first answer."""
    rows: list[Row] = []
    for i in range(N_ITEMS):
        for source in SOURCES:
            page = {"item": f"i{i}", "response": f"i{i}:{source}"}
            for shown in (0, 1):
                for question, more in (("empathy", 0), ("warmth", 1)):
                    value = judged(i, source) + shown * more
                    rows.append({**page, "rater": "judge", "question": question, "value": value, "repeat": shown})
            for k in range(N_RATERS) if i < N_RATED else ():
                for question in ("empathy", "warmth"):
                    given = {**page, "rater": f"r{k}", "question": question}
                    rows.append({**given, "value": said(i, source, k)})
                    if (i, k) == (0, 0):
                        rows.append({**given, "value": 5, "repeat": 1})
    composites = {"both": {"questions": ["empathy", "warmth"]}}
    study = protocol(FIVE, {**FIVE, "key": "warmth"}, analysis={"composites": composites, "primary": [BOTH_SCORES]})
    found = analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}]), study)
    people = np.mean([said(i, "model", k) for i in range(N_RATED) for k in range(N_RATERS)])
    assert only(found, "mean_people", scope=JUDGE | {"source": "model"}, question="both").estimate == pytest.approx(
        people
    )
    alone = only(found, "judge_mean_difference", scope=BOTH, question="both").estimate
    assert alone == pytest.approx(np.mean([judged(i, "model") - judged(i, "human") for i in range(N_ITEMS)]))
    one, other = (
        only(found, "mean_ppi", scope=JUDGE | {"source": "model"}, question=key) for key in ("empathy", "both")
    )
    assert one.estimate == pytest.approx(other.estimate)
    assert [row.label for row in conclusions_by_judge(found, main_contrasts(found, study))] == ["Both"]


def test_several_judges_are_stacked_and_runs_of_one_model_count_once() -> None:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        for source in SOURCES:
            page = {"item": f"i{i}", "response": f"i{i}:{source}", "question": "empathy"}
            values = {"judge": judged(i, source), "other": 1 + (judged(i, source) + i) % 3, "again": 1}
            rows += [{**page, "rater": name, "value": value} for name, value in values.items()]
            rows += [{**page, "rater": f"r{k}", "value": said(i, source, k)} for k in range(N_RATERS) if i < N_RATED]
    study = protocol(FIVE)
    models = {"judge": "m1", "other": "m2", "again": "m1"}
    given = frames(study, rows, raters=[{"rater": name, "kind": "model"} for name in models])
    found = analyze(replace(given, raters=given.raters.assign(model=given.raters["rater"].map(models))), study)
    expected = prediction_powered(
        np.array([said(i, source, k) * 1.0 for i in range(N_RATED) for source in SOURCES for k in range(N_RATERS)]),
        unit=np.repeat(np.arange(2 * N_RATED), N_RATERS),
        rater=np.tile(np.arange(N_RATERS), 2 * N_RATED),
        judge=np.array(
            [
                [judged(i, source) for i in range(N_ITEMS) for source in SOURCES],
                [1 + (judged(i, source) + i) % 3 for i in range(N_ITEMS) for source in SOURCES],
            ]
        ),
        item=np.repeat(np.arange(N_ITEMS), 2),
        sign=np.tile([-1.0, 1.0], N_ITEMS),
        null=0.0,
    )
    both = only(found, "mean_difference_ppi", scope=BOTH | {"raters": ["judge", "other", "again"]})
    assert both.estimate == pytest.approx(expected.combined.estimate)
    assert STACKED in both.note
    assert expected.judge_weight > 0.1
    assert len(find(found, "mean_difference_ppi")) == 4


def test_question_about_items_has_one_mean() -> None:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        raters = {"judge": judged(i, "human"), **{f"r{k}": said(i, "human", k) for k in range(N_RATERS) if i < N_RATED}}
        rows += [
            {"rater": name, "item": f"i{i}", "question": "whole", "value": value} for name, value in raters.items()
        ]
    study = protocol({**FIVE, "key": "whole", "target": "item"})
    found = analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}]), study)
    people = np.mean([said(i, "human", k) for i in range(N_RATED) for k in range(N_RATERS)])
    assert only(found, "mean_people", scope=JUDGE).estimate == pytest.approx(people)
    assert only(found, "judge_weight", scope=JUDGE).estimate != 0


def test_interval_of_a_share_does_not_leave_its_range() -> None:
    rows: list[Row] = []
    for i in range(N_ITEMS):
        mine = {source: judged(i, source) for source in SOURCES}
        rows += _page(i, "judge", mine, "human" if i % 5 == 0 else "model")
        for k in range(N_RATERS) if i < N_RATED else ():
            rows += _page(i, f"r{k}", mine, "human" if i == 0 and k < 2 else "model")
    study = protocol(FIVE, CHOICE)
    found = analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}]), study)
    for name in ("share_preferred_people", "share_preferred_ppi"):
        share = only(found, name, scope=BOTH)
        assert share.ci_high is not None
        assert 0.9 < share.ci_high <= 1


@pytest.mark.parametrize("n_rated", [0, N_ITEMS])
def test_nothing_is_combined_where_people_rated_nothing_or_everything(n_rated: int) -> None:
    found = report(n_rated)
    assert not find(found, "mean_difference_ppi")
    assert not find(found, "share_preferred_ppi")


def test_people_alone_are_told_with_a_note_where_all_items_are_in_the_sample() -> None:
    """Before, nothing was said."""
    sample = pd.DataFrame({"item": [f"i{i}" for i in range(N_ITEMS)], "probability": 1.0, "stage": 1, "is_out": False})
    found = report(N_ITEMS, sample)
    both, people = (only(found, f"mean_difference_{name}", scope=BOTH) for name in ("ppi", "people"))
    assert (both.estimate, both.ci_low, both.ci_high) == (people.estimate, people.ci_low, people.ci_high)
    assert ALL_RATED in both.note


def test_summary_shows_people_judge_and_both() -> None:
    found, study = report(), protocol(FIVE, CHOICE)
    shown = labelled(found, study.labels)
    conclusions = list(conclusions_by_judge(shown, main_contrasts(shown, study)))
    assert len(conclusions) == 2
    for one in conclusions:
        assert all(judged.together for judged in one.judges)
        assert [by for by, *_ in one.rows] == ["People", "judge alone", "People and judge"]
    rows = conclusion_rows(conclusions)
    told = [conclusions[0].people, conclusions[0].judges[0].effect, conclusions[0].judges[0].together]
    assert [row[3] for row in rows[:3]] == told
    assert {row[4] for row in rows} <= {"yes", "no", "–"}
    document, _ = study_report(found, study, [], ReportContext("2026-11-28"))
    tables = [one for one in document.blocks if isinstance(one, DataTable) and one.header == HEADER]
    assert [one.rows for one in tables] == [rows]
    in_file = findings_document(found, study)["judge_conclusions"]
    assert [tuple(one.values()) for one in in_file] == [*rows]


def test_percentage_is_beside_the_difference() -> None:
    found = report()
    people = only(found, "percent_change_people", scope=BOTH)
    mine, theirs = (
        np.mean([said(i, s, k) for i in range(N_RATED) for k in range(N_RATERS)]) for s in ("model", "human")
    )
    assert people.estimate == pytest.approx(100 * (mine / theirs - 1))
    assert only(found, "percent_change_ppi", scope=BOTH).verdict in {"clear", "inconclusive"}


def test_effect_of_a_factor_is_that_of_both_over_all_responses_and_levels() -> None:
    """People saw each response under one label, the judge under both."""
    rows: list[Row] = []
    for i in range(N_ITEMS):
        for source in SOURCES:
            page = {"item": f"i{i}", "response": f"i{i}:{source}", "question": "empathy"}
            for place, shown in enumerate(("as-model", "as-person")):
                at = {**page, "condition": f"label={shown}"}
                rows.append({**at, "rater": "judge", "value": min(judged(i, source) + place, 5)})
                rows += [
                    {**at, "rater": f"r{k}", "value": min(said(i, source, k) + place, 5)}
                    for k in range(2 * place, 2 * place + 2)
                    if i < N_RATED
                ]
    study = protocol(
        FIVE,
        conditions={
            "label": {"kind": "instruction", "levels": {"as-model": "By a model.", "as-person": "By a person."}}
        },
    )
    found = analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}]), study)
    scope = JUDGE | {"factor": "label", "level": "as-person", "reference_level": "as-model"}
    assert only(found, "factor_effect_people", scope=scope).estimate == pytest.approx(
        np.mean([min(said(i, s, k) + 1, 5) for i in range(N_RATED) for s in SOURCES for k in (2, 3)])
        - np.mean([said(i, s, k) for i in range(N_RATED) for s in SOURCES for k in (0, 1)])
    )
    both = only(found, "factor_effect_ppi", scope=scope)
    assert both.n_units == 4 * N_ITEMS
    assert both.verdict is not None


def test_accuracy_is_that_over_all_items_with_a_key() -> None:
    """The judge is right where people are, and on every other item of the rest."""
    asked = {"key": "emotion", "target": "item", "type": "category", "text": "Feels?", "codes": ["sad", "glad"]}
    rows: list[Row] = []
    for i in range(N_ITEMS):
        page = {"item": f"i{i}", "question": "emotion"}
        rows.append({**page, "rater": "judge", "value": "sad" if i % 3 else "glad"})
        rows += [
            {**page, "rater": f"r{k}", "value": "sad" if (i + (k == 0)) % 3 else "glad"} for k in range(4) if i < 12
        ]
    study = protocol({**asked, "correct": "sad"})
    found = analyze(frames(study, rows, raters=[{"rater": "judge", "kind": "model"}]), study)
    people = only(found, "accuracy_people", scope=JUDGE)
    assert people.estimate == pytest.approx(np.mean([(i + (k == 0)) % 3 > 0 for i in range(12) for k in range(4)]))
    both = only(found, "accuracy_ppi", scope=JUDGE)
    assert (both.p_value, both.n_units) == (None, N_ITEMS)


def test_table_says_that_a_judge_without_weight_saves_nothing() -> None:
    estimates, labels = report().of("judge"), protocol(FIVE, CHOICE).labels
    for weight, is_said in ((0.5, False), (0.0, True)):
        some = [replace(one, estimate=weight) if one.statistic == "judge_weight" else one for one in estimates]
        (block,) = (block for block in blocks_of("judges", some, labels) if block.caption == TOGETHER.caption)
        assert (NO_WEIGHT in block.notes) == is_said


def test_judge_that_lacks_answers_or_runs_against_people_is_noted() -> None:
    """Before, no note said that the judge lacked answers, or that it had none to what people rated."""

    def both(kept: Callable[[int], bool], turn: int = 0) -> str:
        rows = [row for row in rows_of() if row["question"] == "empathy"]
        rows = [row for row in rows if row["rater"] != "judge" or kept(int(str(row["item"])[1:]))]
        turned = [
            {**row, "value": turn - int(row["value"])} if turn and row["rater"] == "judge" else row for row in rows
        ]
        study = protocol(FIVE)
        found = analyze(frames(study, turned, raters=[{"rater": "judge", "kind": "model"}]), study)
        return only(found, "mean_difference_ppi", scope=BOTH).note

    assert "The judge has no answer to 8 of 40 units: its mean counts there." in both(lambda i: i % 3 > 0)
    nowhere = both(lambda i: i >= N_RATED)
    assert NO_OVERLAP in nowhere
    assert "saves no human ratings" not in nowhere
    assert AGAINST in both(lambda _: True, turn=6)
    assert AGAINST not in both(lambda _: True)
    assert TOO_FEW in only(report(3), "mean_difference_ppi", scope=BOTH).note
