"""Which raters' answers count in each scope, and which answers count at all."""

from typing import Any

import pytest

from app.analysis import analyze
from tests.kit.frames import FIVE, find, first, frames, only, protocol, told

HUMAN = {"source": "human"}


def _rating(rater: str, item: str, source: str, value: object, **more: object) -> dict[str, Any]:
    response = f"{item}:{source}"
    return {"rater": rater, "item": item, "response": response, "question": "empathy", "value": value, **more}


def _both(rater: str, item: str, human: int, model: int) -> list[dict[str, Any]]:
    return [_rating(rater, item, "human", human), _rating(rater, item, "model", model)]


ROWS = [
    *_both("ann", "i1", 2, 4),
    *_both("ann", "i2", 3, 5),
    *_both("bob", "i1", 2, 3),
    *_both("bob", "i2", 4, 4),
]


def test_excluded_answers_are_left_out_and_counted_in_the_report() -> None:
    study = protocol()
    excluded = [{**row, "rater": "cat", "value": 1, "exclude": "failed the check"} for row in ROWS]
    with_them, without = (analyze(frames(study, rows), study) for rows in ([*ROWS, *excluded], ROWS))
    assert [told(f) for f in with_them.estimates] == [told(f) for f in without.estimates]
    assert with_them.notes[0] == "Excluded from all estimates: 8 answers (column exclude)."


def test_planned_repeats_are_left_out_of_between_rater_estimates() -> None:
    study = protocol()
    repeats = [{**row, "value": 5, "repeat": 1} for row in ROWS]
    with_them, without = (analyze(frames(study, rows), study) for rows in ([*ROWS, *repeats], ROWS))
    between = [f for f in with_them.estimates if not f.statistic.startswith("intra_rater")]
    assert [told(f) for f in between] == [told(f) for f in without.estimates]


def test_cannot_judge_is_missing() -> None:
    study = protocol({**FIVE, "cannot_judge": True})
    report = analyze(frames(study, [*ROWS, _rating("cat", "i1", "human", "cannot_judge")]), study)
    assert only(report, "mean", scope=HUMAN).n_ratings == 4


def test_model_judge_estimates_are_separate_from_people() -> None:
    study = protocol()
    judged = [{**row, "rater": judge, "value": 1} for judge in ("gpt", "gemini") for row in ROWS[:4]]
    judges = [{"rater": "gpt", "kind": "model"}, {"rater": "gemini", "kind": "model"}]
    with_them = analyze(frames(study, [*ROWS, *judged], raters=judges), study)
    people = [told(f) for f in with_them.estimates if f.scope.get("rater_kind") is None]
    assert people == [told(f) for f in analyze(frames(study, ROWS), study).estimates]
    assert only(with_them, "mean", scope={"rater_kind": "model", **HUMAN}).estimate == 1
    assert only(with_them, "percent_agreement", scope={"rater_kind": "model"}).estimate == 1


def test_responses_of_one_source_are_averaged_within_item() -> None:
    study = protocol()
    responses = [
        {"response": name, "item": item, "source": source}
        for item in ("i1", "i2", "i3")
        for name, source in ((f"{item}:human", "human"), (f"{item}:a", "model"), (f"{item}:b", "model"))
    ]
    rows = [
        {"rater": rater, "item": item, "response": f"{item}:{name}", "question": "empathy", "value": value}
        for rater in ("ann", "bob")
        for item, human in (("i1", 1), ("i2", 2), ("i3", 4))
        for name, value in (("human", human), ("a", 5), ("b", 3))
    ]
    report = analyze(frames(study, rows, responses=responses), study)
    paired = find(report, "mean_difference", unit="item_mean")[0]
    assert paired.estimate == pytest.approx(4 - 7 / 3)
    assert (paired.n_units, paired.n_ratings) == (3, 18)


def test_response_rated_twice_counts_once_for_agreement() -> None:
    study = protocol()
    again = [{**row, "value": 5, "condition": "b"} for row in ROWS if row["rater"] == "ann"]
    once = [{**row, "condition": "a"} for row in ROWS]
    report = analyze(frames(study, [*once, *again]), study)
    estimate = only(report, "percent_agreement", scope={})
    assert estimate.estimate == only(analyze(frames(study, ROWS), study), "percent_agreement", scope={}).estimate
    assert (estimate.n_pairable_units, estimate.n_ratings) == (4, 12)


def test_question_about_item_or_turn_has_no_source() -> None:
    item, turn = ({**FIVE, "key": target, "target": target} for target in ("item", "turn"))
    study = protocol(item, turn)
    rows = [
        {"rater": rater, "item": "i", "question": "turn", "turn": n, "value": value}
        for rater in ("ann", "bob")
        for n, value in enumerate((2, 5, 1, 4, 2), start=1)
    ]
    rows += [{"rater": rater, "item": "i", "question": "item", "value": 3} for rater in ("ann", "bob")]
    report = analyze(frames(study, rows), study)
    turns = first(report, "krippendorff_alpha_ordinal", question="turn")
    assert (turns.estimate, turns.n_units, turns.n_items, turns.scope) == (1.0, 5, 1, {})
    assert only(report, "percent_agreement", question="item").n_units == 1
    assert not find(report, "mean_difference")


def test_report_is_reproducible() -> None:
    study = protocol(FIVE, analysis={"cut": {"empathy": 4}})
    first, second = (analyze(frames(study, ROWS), study) for _ in range(2))
    assert first == second
    assert first.data_hash != analyze(frames(study, ROWS[:-1]), study).data_hash
