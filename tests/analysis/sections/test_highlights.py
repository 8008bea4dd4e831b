"""Highlights: character alpha and F1 against the key, in texts and turns, and marks beyond the end of the text."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from krippendorff import alpha

from app.analysis import analyze
from app.analysis.data.frames import passage_frame
from tests.kit.frames import FIVE, Row, find, frames, only, protocol

MARK: dict[str, Any] = {"key": "cause", "type": "highlight", "target": "response", "text": "Mark the cause."}
LENGTH = 20


def _study(marks: dict[tuple[str, str], str], key: dict[str, str | None] | None = None, **question: object) -> Any:  # noqa: ANN401
    """Return a study with raters' marks by rater and response; each response has 20 characters."""
    asked = {**MARK, **question, **({} if key is None else {"correct_column": "right"})}
    study = protocol(FIVE, asked)
    rows: list[Row] = [
        {
            "rater": rater,
            "item": response.partition(":")[0],
            "response": response,
            "question": "cause",
            "text": marked,
            "value": "",
        }
        for (rater, response), marked in marks.items()
    ]
    rows.append({"rater": "a", "item": "i0", "response": "i0:human", "question": "empathy", "value": 4})
    data = frames(study, rows)
    names = zip(data.responses["item"], data.responses["response"], strict=True)
    data = replace(data, passages=passage_frame((item, response, None, LENGTH) for item, response in names))
    if key is not None:
        data.responses["right"] = [key.get(name) for name in data.responses["response"]]
    return study, data


MARKS = {
    ("a", "i0:human"): "0-10",
    ("b", "i0:human"): "5-10",
    ("a", "i0:model"): "",
    ("b", "i0:model"): "0-2",
    ("a", "i1:human"): "3-6|8-9",
    ("b", "i1:human"): "3-9",
}


def _characters(text: str) -> np.ndarray[Any, Any]:
    found = np.zeros(LENGTH)
    for part in filter(None, text.split("|")):
        start, end = map(int, part.split("-"))
        found[start:end] = 1
    return found


def _both(texts: list[str]) -> np.ndarray[Any, Any]:
    return np.array([np.concatenate([_characters(MARKS[rater, text]) for text in texts]) for rater in "ab"])


def test_span_alpha_matches_package_overall_and_by_source() -> None:
    study, data = _study(MARKS)
    found = find(analyze(data, study), "span_alpha")
    assert [f.scope for f in found] == [{}, {"source": "human"}, {"source": "model"}]
    whole = _both(["i0:human", "i0:model", "i1:human"])
    assert found[0].estimate == pytest.approx(alpha(whole, level_of_measurement="nominal"))
    human = _both(["i0:human", "i1:human"])
    assert found[1].estimate == pytest.approx(alpha(human, level_of_measurement="nominal"))
    assert found[0].unit == "response"
    assert not find(analyze(data, study), "span_f1")


def test_span_f1_matches_character_counts() -> None:
    key: dict[str, str | None] = {"i0:human": "0-10", "i0:model": "0-2", "i1:human": "3-9"}
    study, data = _study(MARKS, key)
    report = analyze(data, study)
    texts = ["i0:human", "i0:model", "i1:human"]
    right, marked = np.concatenate([_characters(key[text] or "") for text in texts]), _both(texts)
    hits = (marked * right).sum()
    f1 = next(f for f in find(report, "span_f1") if not f.scope)
    assert f1.estimate == pytest.approx(2 * hits / (marked.sum() + 2 * right.sum()))
    recall = next(f for f in find(report, "span_recall") if not f.scope)
    assert recall.estimate == pytest.approx(hits / (2 * right.sum()))


def test_spans_and_keys_beyond_text_are_excluded_with_note() -> None:
    study, data = _study({**MARKS, ("c", "i0:human"): "15-30"}, {"i0:human": "0-10", "i1:human": "10-40"})
    report = analyze(data, study)
    one = next(f for f in find(report, "span_alpha") if not f.scope)
    assert one.note.startswith("Left out because marks reach beyond the text: 1 answer.")
    f1 = next(f for f in find(report, "span_f1") if not f.scope)
    assert "the key marks characters beyond the text: 1 text." in f1.note
    assert find(report, "mean", question="empathy")[0].estimate == 4


def test_missing_valid_span_key_gives_a_reason() -> None:
    study, data = _study(MARKS, {"i0:human": "10-40"})
    f1 = find(analyze(data, study), "span_f1")[0]
    assert (f1.reason, "No text has a valid key." in f1.note) == ("no_pairable_units", True)


def test_spans_without_known_texts_are_excluded() -> None:
    study, data = _study(MARKS)
    found = find(analyze(replace(data, passages=None), study), "span_alpha")[0]
    assert found.reason == "no_pairable_units"
    assert found.note.startswith("Left out because marks reach beyond the text: 6 answers.")


@pytest.mark.parametrize("target", ["item", "turn"])
def test_dialogue_spans_are_scored_by_turn(target: str) -> None:
    """Turn 1 has 6 characters and turn 2 has 8; the key is 0-6 in turn 1 and 2-4 in turn 2."""
    study = protocol(FIVE, {**MARK, "target": target, "correct_column": "right"})
    if target == "item":
        answers: list[tuple[str, int | None, str]] = [("a", None, "1:0-6|2:2-4"), ("b", None, "1:0-3")]
    else:
        answers = [("a", 1, "0-6"), ("a", 2, "2-4"), ("b", 1, "0-3"), ("b", 2, "")]
    rows = [
        {"rater": rater, "item": "i0", "turn": turn, "question": "cause", "text": marked, "value": ""}
        for rater, turn, marked in answers
    ]
    data = frames(study, rows, responses=[])
    data = replace(data, passages=passage_frame([("i0", None, 1, 6), ("i0", None, 2, 8)]))
    data.items["right"] = ["1:0-6|2:2-4"]
    report = analyze(data, study)
    assert only(report, "span_precision").estimate == 1
    assert only(report, "span_recall").estimate == pytest.approx((8 + 3) / 16)
    marked = np.zeros((2, 14))
    marked[0, :6] = marked[0, 8:10] = marked[1, :3] = 1
    assert only(report, "span_alpha").estimate == pytest.approx(alpha(marked, level_of_measurement="nominal"))
