"""Contrasts declared in the protocol, from frames to records: correct numbers, and reasons for missing ones."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from app.analysis import analyze
from app.analysis.report.report import Report
from app.analysis.wording.formatting import scope_filter, scope_text
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

PARTS = ("_contrasts", "_compared")
ONE: dict[str, Any] = {"human": {"kind": "human"}}
BEFORE = {**FIVE, "key": "before", "target": "rater"}
AFTER = {**BEFORE, "key": "after"}
# Student (1908): additional hours of sleep with two drugs
FIRST = (0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0)
SECOND = (1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4)
MOOD: list[Any] = [
    {"key": key, "type": "slider", "target": "rater", "text": "?", "min": -10, "max": 10, "step": 0.1}
    for key in ("before", "after")
]


def _rated(n_raters: int, n_items: int = 2, **more: str) -> list[Row]:
    rng = np.random.default_rng(1)
    return [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:human",
            "question": "empathy",
            "value": int(rng.integers(1, 6)),
            **more,
        }
        for r in range(n_raters)
        for i in range(n_items)
    ]


def _scores(**values: tuple[float, ...]) -> list[Row]:
    return [
        {"rater": f"r{r}", "question": key, "value": value}
        for key, scores in values.items()
        for r, value in enumerate(scores)
    ]


def _moods(rows: list[Row]) -> Report:
    analysis = {"changes": [{"before": "before", "after": "after"}]}
    study = protocol(FIVE, *MOOD, sources=ONE, analysis=analysis)
    return analyze(frames(study, rows), study)


def test_change_matches_student_sleep_data() -> None:
    change = only(_moods([*_rated(10), *_scores(before=FIRST, after=SECOND)]), "change")
    assert (change.question, change.scope, change.n_raters) == ("after", {"before": "before"}, 10)
    assert change.estimate == pytest.approx(1.58)
    assert change.p_value == pytest.approx(0.002833, abs=1e-6)
    assert scope_text(change.scope) == "change from before"


def test_change_is_compared_between_arms() -> None:
    rows = _rated(10)
    for row in rows:
        row["condition"] = f"told={'truth' if row['rater'] < 'r5' else 'nothing'}"
    report = _moods([*rows, *_scores(before=FIRST, after=SECOND)])
    changes = find(report, "change")
    assert [f.scope.get("level") for f in changes] == [None, "nothing", "truth"]
    told = np.arange(10) < 5
    assert changes[2].estimate == pytest.approx(np.subtract(SECOND, FIRST)[told].mean())
    gap = only(report, "change_difference")
    assert gap.scope == {"before": "before", "factor": "told", "level": "truth", "reference_level": "nothing"}
    known = np.linalg.lstsq(np.column_stack([np.ones(10), FIRST, told]), np.array(SECOND), rcond=None)[0][2]
    assert gap.estimate == pytest.approx(known)


def test_change_with_single_time_point_gives_a_reason() -> None:
    report = _moods([*_rated(10), *_scores(before=FIRST)])
    change = only(report, "change")
    assert (change.reason, change.note) == ("no_pairable_units", "No rater has both scores.")
    assert find(report, "mean", question="empathy")[0].estimate is not None


def test_within_rater_factor_has_no_change_by_arm() -> None:
    rows = _rated(10)
    for row in rows:
        row["condition"] = f"told={'truth' if row['item'] == 'i0' else 'nothing'}"
    report = _moods([*rows, *_scores(before=FIRST, after=SECOND)])
    assert not find(report, "change_difference")
    assert len(find(report, "change")) == 1


def test_declared_level_without_ratings_gives_a_reason() -> None:
    told = {"told": {"kind": "instruction", "levels": {"nothing": "Read.", "truth": "A model.", "lie": "A person."}}}
    study = protocol(FIVE, sources=ONE, conditions=told)
    rows = _rated(6)
    for row in rows:
        row["condition"] = f"told={'truth' if row['rater'] < 'r3' else 'nothing'}"
    effects = find(analyze(frames(study, rows), study), "factor_effect")
    assert [(f.scope["level"], f.reason) for f in effects if "source" not in f.scope] == [
        ("truth", None),
        ("lie", "no_pairable_units"),
    ]
    assert effects[-1].note == "There are no ratings at level lie of told."


def _varied(columns: dict[str, list[str | None]]) -> list[Row]:
    n = len(next(iter(columns.values())))
    return [
        {
            "response": f"i{k // 2}:{k % 2}",
            "item": f"i{k // 2}",
            "source": "human",
            **{name: cells[k] for name, cells in columns.items()},
        }
        for k in range(n)
    ]


WARM: list[str | None] = ["yes", "no", "no", "yes", "yes", "no", "yes", "no"]
EXACT: list[str | None] = ["yes", "yes", "no", "no", "yes", "no", "no", "yes"]


def test_conjoint_attributes_have_effects_on_ratings_and_choices() -> None:
    study = protocol(FIVE, CHOICE, sources=ONE, analysis={"conjoint": ["warm", "exact", "missing", "same"]})
    responses = _varied({"warm": WARM, "exact": EXACT, "same": ["x"] * 8})
    rng = np.random.default_rng(2)
    rows: list[Row] = [
        {
            "rater": f"r{r}",
            "item": one["item"],
            "response": one["response"],
            "question": "empathy",
            "value": 2 + (one["warm"] == "yes") + int(rng.integers(0, 2)),
        }
        for r in range(5)
        for one in responses
    ]
    rows += [
        {"rater": f"r{r}", "item": f"i{i}", "question": "preference", "value": f"i{i}:{(r + i) % 2}" if r else "tie"}
        for r in range(5)
        for i in range(4)
    ]
    report = analyze(frames(study, rows, responses=responses), study)
    rated, chosen = (find(report, "amce", question=key) for key in ("empathy", "preference"))
    assert [f.scope for f in rated[:2]] == [
        {"attribute": name, "level": "yes", "reference_level": "no"} for name in ("warm", "exact")
    ]
    by_name = {one["response"]: one for one in responses}
    x = np.array([[1, *(by_name[row["response"]][name] == "yes" for name in ("warm", "exact"))] for row in rows[:40]])
    known = np.linalg.lstsq(x.astype(float), np.array([row["value"] for row in rows[:40]], float), rcond=None)[0]
    assert [f.estimate for f in rated[:2]] == pytest.approx(known[1:].tolist())
    assert {f.scope["attribute"]: f.note for f in rated[2:]} == {
        "missing": "responses.csv has no column missing.",
        "same": "same has one level only: there is nothing to compare.",
    }
    attributes = {"warm": {"reference_level": "yes"}, "exact": {"reference_level": "maybe"}}
    turned = protocol(FIVE, CHOICE, sources=ONE, attributes=attributes, analysis={"conjoint": ["warm", "exact"]})
    warm, exact = find(analyze(frames(turned, rows, responses=responses), turned), "amce", question="empathy")
    assert warm.scope == {"attribute": "warm", "level": "no", "reference_level": "yes"}
    assert (warm.estimate or 0) < 0
    assert (exact.estimate, exact.note) == (None, "No response has the reference level maybe of exact.")
    assert (chosen[0].unit, chosen[0].estimate is not None) == ("choice", True)
    assert scope_text(rated[0].scope) == "warm: yes − no"
    assert scope_text(rated[2].scope) == "missing"
    assert scope_filter(rated[0].scope) == ["warm in (yes, no)"]


def test_attribute_with_one_level_per_response_is_not_compared() -> None:
    study = protocol(FIVE, sources=ONE, analysis={"conjoint": ["name"]})
    names: list[str | None] = [f"n{k}" for k in range(14)]
    responses = _varied({"name": names})
    rows = [{**row, "response": f"{row['item']}:0"} for row in _rated(2)]
    note = only(analyze(frames(study, rows, responses=responses), study), "amce").note
    assert note == "name has 14 levels; at most 12 can be compared."


FELT = {**FIVE, "key": "felt", "target": "turn"}


def _moments() -> list[Row]:
    """Return target t0's ratings of six turns of items 0 to 2; perceivers p0 to p3 follow them more or less closely."""
    rng = np.random.default_rng(3)
    rows: list[Row] = []
    for item in range(3):
        own = rng.integers(1, 6, 6)
        for turn in range(6):
            where = {"item": f"i{item}", "turn": turn + 1, "question": "felt"}
            rows.append({**where, "rater": "t0", "value": int(own[turn])})
            rows += [
                {**where, "rater": f"p{p}", "value": int(np.clip(own[turn] + rng.integers(-p, p + 1), 1, 5))}
                for p in range(4)
            ]
    return rows


@pytest.mark.parametrize("by_pool", [True, False])
def test_empathic_accuracy_is_mean_correlation_with_target(by_pool: bool) -> None:  # noqa: FBT001
    pools: dict[str, Any] = {"design": {"pools": {"target": {}, "crowd": {}}}} if by_pool else {}
    accuracy = {"felt": "felt", **({"pool": "target"} if by_pool else {})}
    study = protocol(FELT, sources={}, analysis={"empathic_accuracy": accuracy}, **pools)
    rows = _moments()
    raters = [{"rater": name, "pool": "target" if name == "t0" else "crowd"} for name in ("t0", "p0", "p1", "p2", "p3")]
    data = frames(study, rows, responses=[], raters=raters if by_pool else [])
    if not by_pool:
        data.items["rater"] = ["t0", "t0", "t0"]
    found = find(analyze(data, study), "empathic_accuracy")[0]
    assert found.scope == {"covariate": "felt"}
    by_turn = {(row["rater"], row["item"], row["turn"]): row["value"] for row in rows}
    moments = [(f"i{item}", turn) for item in range(3) for turn in range(1, 7)]
    own = [by_turn["t0", *moment] for moment in moments]
    r = [stats.pearsonr(own, [by_turn[f"p{p}", *moment] for moment in moments])[0] for p in range(4)]
    assert found.estimate == pytest.approx(np.tanh(np.arctanh(np.minimum(r, 0.99999)).mean()))


def test_empathic_accuracy_without_target_gives_a_reason() -> None:
    study = protocol(FELT, sources={}, analysis={"empathic_accuracy": {"felt": "felt"}})
    found = only(analyze(frames(study, _moments(), responses=[]), study), "empathic_accuracy")
    assert found.reason == "no_pairable_units"
    assert found.note.startswith("No target rated their own items")


def test_turn_without_ratings_gives_a_reason() -> None:
    study = protocol(FELT, sources={})
    rows = [row for row in _moments() if row["turn"] != 3]
    means = find(analyze(frames(study, rows, responses=[]), study), "mean", section="contrast")
    assert [(f.scope["turn"], f.reason) for f in means] == [
        (turn, "no_pairable_units" if turn == 3 else None) for turn in range(1, 7)
    ]
    assert means[2].note == "There are no ratings of turn 3."


def test_unrated_alternate_turns_are_not_reported_missing() -> None:
    study = protocol(FELT, sources={})
    rows = [row for row in _moments() if row["turn"] % 2]
    means = find(analyze(frames(study, rows, responses=[]), study), "mean", section="contrast")
    assert [f.scope["turn"] for f in means] == [1, 3, 5]


def test_model_judges_are_compared_with_people_per_response() -> None:
    study = protocol(FIVE, sources=ONE)
    raters = [{"rater": f"r{n}", "kind": "model" if n > 3 else "person", "pool": "ab"[n % 2]} for n in range(6)]
    rows = _rated(6, n_items=4)
    report = analyze(frames(study, rows, raters=raters), study)
    gaps = find(report, "pool_difference")
    judged = [f for f in gaps if "rater_kind" in f.scope]
    assert [scope_text(f.scope) for f in judged] == [
        "model judges − persons",
        "model judges − pool a",
        "model judges − pool b",
    ]
    values = {side: [row["value"] for row in rows if (row["rater"] > "r3") == side] for side in (True, False)}
    assert judged[0].estimate == pytest.approx(np.mean(values[True]) - np.mean(values[False]))
    assert "raters of both kinds" in judged[0].recipe["filter"]
