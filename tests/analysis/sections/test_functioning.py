"""Differential functioning of questions, and the severity of raters, from frames to records."""

from typing import Any

import numpy as np
import pytest

from app.analysis import analyze
from tests.kit.frames import FIVE, Row, find, frames, only, protocol

ONE: dict[str, Any] = {"human": {"kind": "human"}}
TRAIT = [{**FIVE, "key": f"q{n}", "target": "rater"} for n in range(3)]


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


def test_odds_of_a_reversed_question_are_those_of_a_higher_rating() -> None:
    rng = np.random.default_rng(6)
    level = rng.normal(size=80)
    answers = [
        (r, n, level[r] + rng.normal() if n else -level[r] + rng.normal() + 1.5 * (r % 2))
        for r in range(80)
        for n in range(3)
    ]
    rows = [
        {"rater": f"r{r:02d}", "question": f"q{n}", "value": int(np.clip(round(3 + value), 1, 5))}
        for r, n, value in answers
    ]
    reversed_first = [{**TRAIT[0], "reversed": True}, *TRAIT[1:]]
    analysis = {"composites": {"score": ["q0", "q1", "q2"]}, "rater_groups": ["gender"]}
    study = protocol(FIVE, *reversed_first, sources=ONE, analysis=analysis)
    data = frames(study, [*_rated(2), *rows])
    data.raters["gender"] = [None if len(name) < 3 else "fm"[int(name[1:]) % 2] for name in data.raters["rater"]]
    (odds,) = find(analyze(data, study), "dif_odds_ratio", question="q0")
    assert odds.scope["subgroup"] in ({"gender": "m"}, {"gender": "f"})
    of_men = (odds.estimate or 0) if odds.scope["subgroup"] == {"gender": "m"} else 1 / (odds.estimate or 1)
    assert of_men > 2


def test_composite_questions_get_differential_functioning_tests() -> None:
    rng = np.random.default_rng(4)
    level = rng.normal(size=60)
    rows = [
        {"rater": f"r{r:02d}", "question": f"q{n}", "value": int(np.clip(round(3 + level[r] + rng.normal()), 1, 5))}
        for r in range(60)
        for n in range(3)
    ]
    analysis = {"composites": {"score": ["q0", "q1", "q2"]}, "rater_groups": ["gender", "nothing"]}
    study = protocol(FIVE, *TRAIT, sources=ONE, analysis=analysis)
    data = frames(study, [*_rated(2), *rows])
    data.raters["gender"] = ["f" if n % 2 else "m" for n in range(len(data.raters))]
    report = analyze(data, study)
    odds = find(report, "dif_odds_ratio")
    assert [(f.question, f.scope) for f in odds[:3]] == [
        (f"q{n}", {"subgroup": {"gender": "m"}, "covariate": "score"}) for n in range(3)
    ]
    assert all(f.estimate is not None for f in odds[:3])
    assert odds[3].note == "raters.csv has no groups of at least two raters in nothing."
    assert len(find(report, "dif_total")) == 6


@pytest.mark.parametrize(("full", "n_questions", "reason"), [(False, 3, "not_run"), (True, 2, "no_pairable_units")])
def test_differential_functioning_requires_trait_and_small_study(
    full: bool,  # noqa: FBT001
    n_questions: int,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.analysis.data.question_data.MAX_RATINGS", 3)
    asked = TRAIT[:n_questions]
    analysis = {"composites": {"score": [q["key"] for q in asked]}, "rater_groups": ["gender"]}
    study = protocol(FIVE, *asked, sources=ONE, analysis=analysis)
    rows = [{"rater": f"r{r}", "question": q["key"], "value": 1 + r % 5} for r in range(8) for q in asked]
    data = frames(study, rows)
    data.raters["gender"] = list("abcabcaa")
    found = find(analyze(data, study, full=full), "dif_total")
    assert {(f.scope["subgroup"]["gender"], f.reason) for f in found} == {(name, reason) for name in "abc"}


def test_many_facet_severity_is_estimated_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    study = protocol(FIVE, {**FIVE, "key": "before", "target": "rater"}, sources=ONE, analysis={"many_facet": True})
    rows = _rated(4, n_items=8)
    for row in rows:
        row["value"] = max(1, row["value"] - 2 * (row["rater"] == "r0"))
    report = analyze(frames(study, rows), study)
    severity = {f.scope["raters"][0]: f.estimate or 0 for f in find(report, "rater_severity")}
    assert max(severity, key=lambda name: severity[name]) == "r0"
    monkeypatch.setattr("app.analysis.data.question_data.MAX_RATINGS", 3)
    assert only(analyze(frames(study, rows), study), "rater_severity").reason == "not_run"
