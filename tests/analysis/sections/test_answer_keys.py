"""Answers against an answer key: F1 and confusion as scikit-learn, accuracy by item, and unusable keys."""

from typing import Any

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.protocol.primary import PrimaryContrast
from app.protocol.study import Protocol
from tests.kit.frames import FIVE, Row, find, frames, only, protocol
from tests.kit.told import told

CODES = ("joy", "fear", "anger")
EMOTION: dict[str, Any] = {
    "key": "emotion",
    "type": "category",
    "target": "item",
    "text": "Which emotion?",
    "codes": list(CODES),
    "correct_column": "right",
}


def _study(right: list[str | None], **question: object) -> tuple[Protocol, Frames, list[Row]]:
    """Return a study in which six raters name the emotion of each item; two in three are correct."""
    study = protocol({**EMOTION, **question}, FIVE, sources={"human": {"kind": "human"}})
    rng = np.random.default_rng(8)
    rows: list[Row] = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "question": "emotion",
            "value": code if code in CODES and rng.random() < 2 / 3 else str(rng.choice(CODES)),
        }
        for r in range(6)
        for i, code in enumerate(right)
    ]
    rows.append({"rater": "r0", "item": "i0", "response": "i0:human", "question": "empathy", "value": 4})
    data = frames(study, rows)
    data.items["right"] = right
    data.items["mood"] = [("low", "high")[k % 2] for k in range(len(right))]
    return study, data, rows[:-1]


RIGHT: list[str | None] = ["joy", "fear", "anger", "joy", "fear", "joy"]


def test_f1_and_confusion_match_scikit_learn() -> None:
    """sklearn.metrics 1.7: f1_score per label, macro average and confusion_matrix of the same answers."""
    metrics = pytest.importorskip("sklearn.metrics")
    study, data, rows = _study(RIGHT)
    report = analyze(data, study)
    key, given = [RIGHT[int(row["item"][1])] for row in rows], [row["value"] for row in rows]
    assert only(report, "f1_macro").estimate == pytest.approx(metrics.f1_score(key, given, average="macro"))
    each = metrics.f1_score(key, given, average=None, labels=list(CODES))
    assert [f.estimate for f in find(report, "f1")] == pytest.approx(list(each))
    table = metrics.confusion_matrix(key, given, labels=list(CODES), normalize="true")
    found = {(f.scope["correct"], f.scope["category"]): f.estimate for f in find(report, "confusion_share")}
    for row, right in enumerate(CODES):
        assert [found[right, code] for code in CODES] == pytest.approx(list(table[row]))


def test_f1_matches_definition() -> None:
    study, data, rows = _study(RIGHT)
    report = analyze(data, study)
    pairs = [(RIGHT[int(row["item"][1])], row["value"]) for row in rows]
    for f1 in find(report, "f1"):
        code = f1.scope["category"]
        hits = sum(key == given == code for key, given in pairs)
        either = sum((key == code) + (given == code) for key, given in pairs)
        assert f1.estimate == pytest.approx(2 * hits / either)
    assert only(report, "f1_macro").method == "bootstrap_items"


def test_accuracy_is_reported_by_item_and_subgroup() -> None:
    study, data, rows = _study(RIGHT)
    report = analyze(data, study)
    shares = {str(f.scope.get("subgroup")): f.estimate for f in find(report, "accuracy_share")}
    right = [float(RIGHT[int(row["item"][1])] == row["value"]) for row in rows]
    assert shares["None"] == pytest.approx(np.mean(right))
    of_first = [one for one, row in zip(right, rows, strict=True) if row["item"] == "i0"]
    assert shares["{'item': 'i0'}"] == pytest.approx(np.mean(of_first))
    assert {"{'mood': 'low'}", "{'mood': 'high'}"} <= shares.keys()
    assert "decision_study: phi" in only(report, "items_needed").method


def test_answers_with_undeclared_key_are_excluded_with_note() -> None:
    study, data, rows = _study(["joy", "bliss", "fear", None, "joy", "anger"])
    report = analyze(data, study)
    whole = next(f for f in find(report, "accuracy_share") if not f.scope)
    assert whole.n_ratings == 24
    assert whole.note.startswith("The key of 6 answers is not a code of the question, so they are left out.")
    assert find(report, "mean", question="empathy")[0].estimate == 4
    assert len(rows) == 36


def test_key_without_any_declared_code_gives_a_reason() -> None:
    study, data, _ = _study(["bliss"] * 6)
    accuracy = only(analyze(data, study), "accuracy_share")
    assert accuracy.reason == "no_pairable_units"
    assert accuracy.note.startswith("The key of 36 answers is not a code")


def test_multiple_codes_have_accuracy_without_confusion() -> None:
    study, data, _ = _study(["joy|fear", "joy", "fear", "anger", "joy", "fear"], multiple=True)
    report = analyze(data, study)
    assert find(report, "accuracy_share")
    assert not find(report, "confusion_share")


@pytest.mark.parametrize("pools", [("crowd", "expert"), ("crowd",)])
def test_accuracy_of_a_declared_pool_is_the_primary_answer(pools: tuple[str, ...]) -> None:
    """A pool that all raters belong to, as in a study with one pool, had no answers."""
    study, data, rows = _study(RIGHT)
    primary = {"question": "emotion", "test": "accuracy_share", "pool": "crowd"}
    analysis = study.analysis.model_copy(update={"primary": (PrimaryContrast.model_validate(primary),)})
    data.raters["pool"] = [pools[int(name[1:]) % len(pools)] for name in data.raters["rater"]]
    of_crowd = [row for row in rows if pools[int(row["rater"][1:]) % len(pools)] == "crowd"]
    study = study.model_copy(update={"analysis": analysis})
    report = analyze(data, study)
    ((found,),) = (one.estimates for one in report.primary)
    assert found.scope == {"pool": "crowd"}
    is_right = [row["value"] == RIGHT[int(row["item"][1:])] for row in of_crowd]
    assert found.estimate == pytest.approx(np.mean(is_right))
    ((one,),) = told(report, study)
    assert " of answers were correct on Emotion among raters of the pool Crowd (95% CI" in one.said


def test_question_about_the_rater_with_a_key_has_accuracy_and_no_table_by_item() -> None:
    """Before, the whole report failed: answers about raters are about no item."""
    study = protocol({**EMOTION, "target": "rater", "correct_column": None, "correct": "joy"}, FIVE)
    rows: list[Row] = [
        {"rater": f"r{r}", "item": None, "question": "emotion", "value": "joy" if r % 3 else "fear"} for r in range(6)
    ]
    rated: Row = {"rater": "r0", "item": "i0", "response": "i0:human", "question": "empathy", "value": 4}
    report = analyze(frames(study, [*rows, rated]), study)
    assert [one.estimate for one in find(report, "accuracy_share", question="emotion")] == [pytest.approx(2 / 3)]
    assert find(report, "mean", question="empathy")
