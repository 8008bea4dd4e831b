"""Each statistic of raters, compared between pools and between kinds of raters, as primary contrast.

Each has a sentence that names both groups, an interval, a line in the summary and in the preregistration, and either a
forecast or a place in the list of those without one.
"""

from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from app.analysis import analyze_primary
from app.analysis.data.frames import passage_frame
from app.analysis.document import design_words
from app.analysis.findings.answers import Answer
from app.analysis.findings.summary import summary_of
from app.analysis.planning.declared import is_simulated
from app.protocol import primary
from app.protocol.primary import TESTS
from app.protocol.study import Protocol
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol
from tests.kit.told import Told, told

N_ITEMS, CODES = 8, ("joy", "fear", "anger")
RATERS = [
    {
        "rater": f"r{n:02}",
        "kind": "model" if n > 11 else "person",
        "pool": None if n > 11 else ("crowd", "expert")[n > 5],
    }
    for n in range(17)
]
CODED: dict[str, Any] = {"type": "category", "text": "Which?", "codes": list(CODES)}
QUESTIONS: list[dict[str, Any]] = [
    {**FIVE, "key": "empathy"},
    {**FIVE, "key": "warmth"},
    {**FIVE, "key": "about", "target": "item"},
    {**FIVE, "key": "now", "target": "turn"},
    *({**FIVE, "key": key, "target": "rater"} for key in ("before", "after", "calm_before", "calm_after")),
    {**CODED, "key": "tone", "target": "response"},
    {**CODED, "key": "acts", "target": "response", "multiple": True},
    {**CODED, "key": "emotion", "target": "item", "correct_column": "right"},
    {**CODED, "key": "verdict", "target": "response", "correct_column": "fact"},
    {**CODED, "key": "role", "target": "rater"},
    {**CODED, "key": "quiz", "target": "rater", "correct": "joy"},
    CHOICE,
    {"key": "cause", "type": "highlight", "target": "response", "text": "Mark it.", "correct_column": "marked"},
]
COMPOSITES: dict[str, Any] = {
    "care": {"questions": ["empathy", "warmth"]},
    "mood_before": {"questions": ["before", "calm_before"]},
    "mood_after": {"questions": ["after", "calm_after"]},
}
GROUPS: dict[str, dict[str, str]] = {
    "pools": {"pool": "expert", "reference_pool": "crowd"},
    "kinds": {"rater_kind": "model", "reference_rater_kind": "person"},
    "pool and kind": {"rater_kind": "model", "reference_pool": "expert"},
}
NAMES = {"pool": "Expert", "reference_pool": "Crowd", "rater_kind": "models", "reference_rater_kind": "people"}
# what can be compared: every question and score with every test of groups that fits it
ASKED: list[tuple[str, str]] = [
    *(("empathy", test) for test in ("pool_difference", "pool_correlation")),
    *((key, "pool_difference") for key in ("care", "about", "now", "before", "mood_after")),
    *((key, "pool_change_difference") for key in ("after", "mood_after")),
    *((key, "pool_category_difference") for key in ("tone", "acts", "emotion", "role")),
    *((key, "pool_accuracy_difference") for key in ("emotion", "verdict", "quiz")),
    *((key, "pool_f1_difference") for key in ("emotion", "verdict")),
    ("preference", "pool_preference_difference"),
    ("cause", "pool_span_f1_difference"),
    ("now", "pool_empathic_difference"),
]
CASES = list(product(ASKED, GROUPS))


def _contrast(asked: tuple[str, str], groups: str) -> dict[str, Any]:
    key, test = asked
    code = {"code": "joy"} if test == "pool_category_difference" else {}
    return {"question": key, "test": test, **code, **GROUPS[groups]}


def _value(rng: np.random.Generator, question: dict[str, Any], rater: dict[str, Any], item: int) -> Any:  # noqa: ANN401
    """An answer; models rate higher and are less often right than experts, and these less often than the crowd."""
    group = 2 if rater["kind"] == "model" else int(rater["pool"] == "expert")
    if question["type"] == "category":
        right = "joy" if question["target"] == "rater" else CODES[item % len(CODES)]
        return right if rng.random() < 0.9 - 0.25 * group else str(rng.choice(CODES))
    if question["type"] == "choice":
        return "model" if rng.random() < 0.5 + 0.2 * group else "human"
    return int(np.clip(rng.integers(1, 4) + group, 1, 5))


def _rows() -> list[Row]:
    rng, rows = np.random.default_rng(5), []
    for rater, question in product(RATERS, QUESTIONS):
        base: Row = {"rater": rater["rater"], "question": question["key"], "item": None}
        if question["target"] == "rater":
            rows.append({**base, "value": _value(rng, question, rater, 0)})
            continue
        for item in range(N_ITEMS):
            one: Row = {**base, "item": f"i{item}"}
            for response in (f"i{item}:human", f"i{item}:model") if question["target"] == "response" else (None,):
                about = {**one, "response": response} if response else one
                if question["type"] == "highlight":
                    start = int(rng.integers(0, 4 + 3 * (rater["kind"] == "model")))
                    rows.append({**about, "text": f"{start}-{start + 5}", "value": ""})
                elif question["target"] == "turn":
                    felt = [1, 4, 2, 5, 3]
                    for turn, level in enumerate(felt, 1):
                        told = int(np.clip(level + rng.integers(-1, 2), 1, 5))
                        rows.append({**about, "response": f"i{item}:human", "turn": turn, "value": told})
                else:
                    rows.append({**about, "value": _value(rng, question, rater, item)})
    return rows


@cache
def _made() -> tuple[Protocol, list[list[Told]], list[Answer]]:
    """One study with every contrast."""
    analysis = {
        "primary": [_contrast(*case) for case in CASES],
        "composites": COMPOSITES,
        "changes": [{"before": "before", "after": "after"}, {"before": "mood_before", "after": "mood_after"}],
        "empathic_accuracy": {"felt": "now"},
        "reference": "human",
    }
    study = protocol(*QUESTIONS, design={"pools": {"crowd": {}, "expert": {}}}, analysis=analysis)
    data = frames(study, _rows(), raters=RATERS)
    # five of the people tell how they felt themselves
    data.items["rater"] = [f"r{n:02}" for n in (0, 1, 2, 6, 7, 0, 1, 6)]
    data.items["right"] = [CODES[n % len(CODES)] for n in range(N_ITEMS)]
    data.responses["fact"] = [CODES[int(name[1]) % len(CODES)] for name in data.responses["item"]]
    data.responses["marked"] = "1-6"
    names = zip(data.responses["item"], data.responses["response"], strict=True)
    data = replace(data, passages=passage_frame((item, response, None, 20) for item, response in names))
    report = analyze_primary(data, study)
    return study, told(report, study), list(summary_of(report, study).answers)


@pytest.mark.parametrize("at", range(len(CASES)), ids=[f"{key}-{test}-{of}" for (key, test), of in CASES])
def test_contrast_of_groups_has_sentence_interval_summary_preregistration_and_plan(at: int) -> None:
    study, answers, summary = _made()
    (key, test), groups = CASES[at]
    (one,) = answers[at]
    words = [NAMES[part] for part in GROUPS[groups]] if groups != "pool and kind" else ["models", "Expert"]
    assert [word for word in words if word.lower() not in one.said.lower()] == []
    assert "95% CI " in one.said
    mine = [one for one in summary if one.question == key]
    assert mine
    assert not any("no answers" in one.english or "cannot be" in one.english for one in mine)
    contrast = study.analysis.primary[at]
    line = design_words.contrast_words(contrast, study)
    assert design_words.test_words(test) in line
    assert [word for word in words if word not in line] == []
    assert is_simulated(study, contrast)


def test_no_test_of_groups_and_no_kind_of_question_is_left_out() -> None:
    """Every test that fits a kind of question is tried on one of this kind, except where it needs a declaration."""
    study, *_ = _made()
    of_groups = {name for name, one in TESTS.items() if one.compares == "pools"}
    fits = {
        (question.target, question.measure, test)
        for question in study.questions
        for test in of_groups & set(primary.tests_for(question))
        if question.has_key() or not TESTS[test].needs_key
    }
    tried = {
        (question.target, question.measure, test)
        for key, test in ASKED
        if (question := study.question(key) or study.question(study.analysis.composites[key].questions[0])) is not None
    }
    assert {test for _, test in ASKED} == of_groups
    # the correlation and empathic accuracy of other targets are the same records of other answers
    assert {test for *_, test in fits - tried} <= {"pool_correlation", "pool_empathic_difference"}
