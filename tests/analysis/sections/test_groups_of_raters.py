"""Contrasts of pools and of kinds of raters for every kind of question, as primary, with their sentences."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from app.analysis import analyze
from app.analysis.data.frames import passage_frame
from app.analysis.estimate import Estimate
from app.analysis.findings.summary import summary_of
from app.analysis.sections.pools import NOTHING_SHARED
from app.analysis.wording.formatting import scope_filter, scope_text
from app.stats.arms import FEW_IN_POOL
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

PARTS = ("_contrasts",)
KINDS = {"rater_kind": "model", "reference_rater_kind": "person"}
TURNED = {"rater_kind": "person", "reference_rater_kind": "model"}
# six people, of whom the last three are experts, and four models
RATERS = [
    {"rater": f"r{n}", "kind": "model" if n > 5 else "person", "pool": None if n > 5 else ("crowd", "expert")[n > 2]}
    for n in range(10)
]
PEOPLE, MODELS = [f"r{n}" for n in range(6)], [f"r{n}" for n in range(6, 10)]
CODES = ("joy", "fear", "anger")
EMOTION: dict[str, Any] = {
    "key": "emotion",
    "type": "category",
    "target": "item",
    "text": "Which emotion?",
    "codes": list(CODES),
    "correct_column": "right",
}
TRAIT = {**FIVE, "key": "trait", "target": "rater"}
AFTER = {**FIVE, "key": "after", "target": "rater"}
DESIGN: dict[str, Any] = {"pools": {"crowd": {}, "expert": {}}}
ANSWER: Row = {"rater": "r0", "item": "i0", "response": "i0:human", "question": "empathy", "value": 4}
RIGHT = [CODES[n % 3] for n in range(9)]


def _emotions(seed: int = 4) -> list[Row]:
    """Answers of each rater on each of nine items; most of the people are right, few of the models."""
    rng = np.random.default_rng(seed)
    return [
        {
            "rater": rater["rater"],
            "item": f"i{at}",
            "question": "emotion",
            "value": right if rng.random() < (0.2 if rater["kind"] == "model" else 0.8) else str(rng.choice(CODES)),
        }
        for rater in RATERS
        for at, right in enumerate(RIGHT)
    ]


def _report(
    rows: list[Row],
    *questions: dict[str, Any],
    primary: list[Any],
    models: tuple[str, ...] = (),
    **analysis: object,
) -> Any:  # noqa: ANN401
    study = protocol(*questions, FIVE, design=DESIGN, analysis={"primary": primary, **analysis})
    data = frames(study, [*rows, ANSWER], raters=RATERS)
    if models:
        data.raters["model"] = [None] * len(PEOPLE) + [*models]
    if "emotion" in {question["key"] for question in questions}:
        data.items["right"] = [RIGHT[int(name[1:])] for name in data.items["item"]]
    return analyze(data, study), study


def _said(rows: list[Row], raters: list[str]) -> list[Any]:
    return [row["value"] for row in rows if row["rater"] in raters]


def test_models_are_right_less_often_than_people() -> None:
    rows = _emotions()
    report, study = _report(rows, EMOTION, primary=[{"question": "emotion", **KINDS}])
    (found,) = report.primary[0].estimates
    assert (found.statistic, found.scope, found.role) == ("pool_accuracy_difference", KINDS, "primary")
    right = {
        side: np.mean([row["value"] == RIGHT[int(row["item"][1:])] for row in rows if row["rater"] in side_raters])
        for side, side_raters in (("models", MODELS), ("people", PEOPLE))
    }
    assert found.estimate == pytest.approx(right["models"] - right["people"])
    assert (found.n_raters, found.n_items, found.n_ratings) == (10, 9, 90)
    assert found.ci_low is not None
    assert "raters of both kinds" in found.recipe["filter"]
    assert scope_text(found.scope) == "model judges − persons"
    (answer,) = summary_of(report, study).answers
    assert answer.english.startswith("Answers by models on Emotion were correct less often than those by people (−")
    assert answer.german.startswith("Bei Emotion waren die Antworten durch Modelle seltener richtig als die durch Mens")


def test_people_minus_models_where_it_is_declared() -> None:
    forward, _ = _report(_emotions(), EMOTION, primary=[{"question": "emotion", **KINDS}])
    back, _ = _report(_emotions(), EMOTION, primary=[{"question": "emotion", **TURNED}])
    (one,), (other,) = (report.primary[0].estimates for report in (forward, back))
    assert other.scope == TURNED
    assert other.estimate == pytest.approx(-one.estimate)
    assert scope_text(other.scope) == "persons − model judges"


def test_macro_f1_of_two_groups_is_that_of_scikit_learn() -> None:
    rows = _emotions()
    report, _ = _report(rows, EMOTION, primary=[{"question": "emotion", "test": "pool_f1_difference", **KINDS}])
    (found,) = report.primary[0].estimates
    of = [
        f1_score(
            [RIGHT[int(row["item"][1:])] for row in rows if row["rater"] in raters],
            _said(rows, raters),
            average="macro",
        )
        for raters in (MODELS, PEOPLE)
    ]
    assert found.estimate == pytest.approx(of[0] - of[1])
    assert found.ci_low is not None
    assert found.ci_low < found.estimate < found.ci_high


def test_share_of_a_code_between_pools() -> None:
    rows = _emotions()
    primary = [{"question": "emotion", "test": "pool_category_difference", "code": "fear", "pool": "expert"}]
    report, study = _report(rows, EMOTION, primary=primary)
    (found,) = report.primary[0].estimates
    assert found.scope == {"category": "fear", "pool": "expert", "reference_pool": "crowd"}
    shares = [np.mean([value == "fear" for value in _said(rows, raters)]) for raters in (PEOPLE[3:], PEOPLE[:3])]
    assert found.estimate == pytest.approx(shares[0] - shares[1])
    assert scope_filter(found.scope) == ["pool in (expert, crowd)"]
    assert "answered" in summary_of(report, study).answers[0].english


def test_share_preferred_between_kinds_of_raters() -> None:
    rng = np.random.default_rng(6)
    rows: list[Row] = [
        {
            "rater": rater["rater"],
            "item": f"i{at}",
            "question": "preference",
            "value": str(
                rng.choice(["human", "model", "tie"], p=[0.2, 0.7, 0.1] if rater["kind"] == "model" else None)
            ),
            "left_response": f"i{at}:human",
            "right_response": f"i{at}:model",
        }
        for rater in RATERS
        for at in range(8)
    ]
    report, study = _report(rows, {**CHOICE, "tie": True}, primary=[{"question": "preference", **KINDS}])
    (found,) = report.primary[0].estimates
    assert found.statistic == "pool_preference_difference"
    worth = {"human": 0.0, "model": 1.0, "tie": 0.5}
    mean = [np.mean([worth[value] for value in _said(rows, raters)]) for raters in (MODELS, PEOPLE)]
    assert found.estimate == pytest.approx(mean[0] - mean[1])
    assert " preferred " in summary_of(report, study).answers[0].english


def _t_of(found: Estimate) -> float:
    """The size of t, from its p-value and degrees of freedom."""
    assert found.p_value is not None
    assert found.df is not None
    return float(stats.t.isf(found.p_value / 2, found.df))


def test_traits_of_raters_are_compared_by_welchs_t() -> None:
    rng = np.random.default_rng(7)
    rows: list[Row] = [
        {"rater": rater["rater"], "item": None, "question": "trait", "value": int(rng.integers(1, 6))}
        for rater in RATERS
    ]
    report, study = _report(rows, TRAIT, primary=[{"question": "trait", **KINDS}])
    (found,) = report.primary[0].estimates
    known = stats.ttest_ind(_said(rows, MODELS), _said(rows, PEOPLE), equal_var=False)
    assert found.estimate == pytest.approx(np.mean(_said(rows, MODELS)) - np.mean(_said(rows, PEOPLE)))
    assert _t_of(found) == pytest.approx(abs(known.statistic))
    assert (found.unit, found.statistic) == ("rater_mean", "pool_difference")
    assert "on the same responses" not in summary_of(report, study).answers[0].english.lower()
    assert len(find(report, "pool_difference", question="trait")) == 4


def test_runs_of_one_model_count_as_one_rater() -> None:
    """Two models with three runs and one: each model counts once, and only the two inform about other models."""
    rows, primary = _emotions(), [{"question": "emotion", **KINDS}]
    right = {
        name: np.mean([row["value"] == RIGHT[int(row["item"][1:])] for row in rows if row["rater"] == name])
        for name in PEOPLE + MODELS
    }
    of_people = np.mean([right[name] for name in PEOPLE])
    two, _ = _report(rows, EMOTION, primary=primary, models=("a", "a", "a", "b"))
    found = two.primary[0].estimates[0]
    of_models = (np.mean([right[name] for name in MODELS[:3]]) + right[MODELS[3]]) / 2
    assert found.estimate == pytest.approx(of_models - of_people)
    assert (found.n_raters, "only 2 raters" in found.note) == (8, True)
    one, _ = _report(rows, EMOTION, primary=primary, models=("a",) * 4)
    apart, _ = _report(rows, EMOTION, primary=primary)
    found, known = one.primary[0].estimates[0], apart.primary[0].estimates[0]
    assert (found.ci_low, found.n_raters) == (known.ci_low, 10)
    assert "runs of one" in found.note
    assert "runs of one" not in known.note


def test_change_of_models_is_compared_with_that_of_people() -> None:
    rng = np.random.default_rng(8)
    rows: list[Row] = [
        {"rater": rater["rater"], "item": None, "question": question, "value": int(rng.integers(low, high))}
        for rater in RATERS
        for question, low, high in (("trait", 1, 3), ("after", *((4, 6) if rater["kind"] == "model" else (1, 3))))
    ]
    changes = [{"before": "trait", "after": "after"}]
    primary = [{"question": "after", "test": "pool_change_difference", **KINDS}]
    report, study = _report(rows, TRAIT, AFTER, primary=primary, changes=changes)
    (found,) = report.primary[0].estimates
    gap = {row["rater"]: row["value"] for row in rows if row["question"] == "after"}
    gap = {row["rater"]: gap[row["rater"]] - row["value"] for row in rows if row["question"] == "trait"}
    known = stats.ttest_ind([gap[one] for one in MODELS], [gap[one] for one in PEOPLE], equal_var=False)
    assert _t_of(found) == pytest.approx(abs(known.statistic))
    assert found.n_raters == 10
    assert "rose more, or fell less, for models than for people" in summary_of(report, study).answers[0].english


def test_marked_words_of_two_pools_are_compared_with_the_key() -> None:
    rng = np.random.default_rng(9)
    question: dict[str, Any] = {
        "key": "cause",
        "type": "highlight",
        "target": "response",
        "text": "Mark the cause.",
        "correct_column": "right",
    }
    primary = [{"question": "cause", "pool": "expert", "reference_pool": "crowd"}]
    study = protocol(FIVE, question, design=DESIGN, analysis={"primary": primary})
    rows: list[Row] = [
        {
            "rater": rater["rater"],
            "item": f"i{at}",
            "response": f"i{at}:human",
            "question": "cause",
            "text": f"{start}-{start + 5}",
            "value": "",
        }
        for rater in RATERS[:6]
        for at in range(6)
        for start in [int(rng.integers(0, 4 if rater["pool"] == "expert" else 12))]
    ]
    data = frames(study, [*rows, ANSWER], raters=RATERS)
    names = list(zip(data.responses["item"], data.responses["response"], strict=True))
    data = replace(data, passages=passage_frame((item, response, None, 20) for item, response in names))
    data.responses["right"] = ["0-6" if response.endswith("human") else None for _, response in names]
    (found,) = analyze(data, study).primary[0].estimates

    def f1(raters: list[str]) -> float:
        starts = [int(row["text"].partition("-")[0]) for row in rows if row["rater"] in raters]
        hits = sum(max(0, 6 - start) if start > 0 else 5 for start in starts)
        return 2 * hits / (5 * len(starts) + 6 * len(starts))

    assert found.statistic == "pool_span_f1_difference"
    assert found.estimate == pytest.approx(f1(PEOPLE[3:6]) - f1(PEOPLE[:3]))
    assert found.ci_low is not None
    assert found.interval_warnings == (FEW_IN_POOL.format(n=3, what="raters"),)


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("test", ["pool_accuracy_difference", "pool_f1_difference"])
def test_interval_of_pools_of_two_or_three_raters_says_so(test: str, n: int) -> None:
    rows = [row for row in _emotions() if row["rater"] in {*PEOPLE[:n], *PEOPLE[3 : 3 + n]}]
    report, _ = _report(rows, EMOTION, primary=[{"question": "emotion", "test": test, "pool": "expert"}])
    found = only(report, test)
    assert (found.ci_low is None) == (found.ci_reason == "too_few")
    said = (FEW_IN_POOL.format(n=n, what="raters"),)
    assert found.interval_warnings == (() if found.ci_low is None else said)


@pytest.mark.parametrize("is_shared", [False, True])
def test_pool_of_one_rater_and_pools_that_share_no_item_say_so(is_shared: bool) -> None:  # noqa: FBT001
    rows = [row for row in _emotions() if row["rater"] in {"r0", "r1", "r2", "r3"}]
    rows = [row for row in rows if is_shared or (row["rater"] == "r3") == (row["item"] < "i5")]
    report, study = _report(
        rows, EMOTION, primary=[{"question": "emotion", "pool": "expert", "reference_pool": "crowd"}]
    )
    said = summary_of(report, study).answers[0].english
    if is_shared:
        assert only(report, "pool_accuracy_difference").ci_reason == "one_cluster"
        assert "one side has only one item or one rater" in said
    else:
        assert only(report, "pool_accuracy_difference").note == NOTHING_SHARED
        assert "cannot be compared" in said
