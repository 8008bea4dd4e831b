"""Contrasts over the turns of dialogues, from frames to records."""

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.wording.formatting import scope_text
from tests.analysis.sections.source_ratings import mean_rating, source_ratings
from tests.kit.frames import FIVE, find, frames, only, protocol

PARTS = ("_contrasts",)
NOW = {**FIVE, "key": "now", "target": "turn"}


def test_large_study_omits_turn_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.analysis.data.question_data.MAX_RATINGS", 3)
    study = protocol(NOW)
    rows = [
        {**row, "question": "now", "turn": turn}
        for row in source_ratings({"human": 3, "model": 4}, n_items=2, n_raters=2)
        for turn in (1, 2)
    ]
    report = analyze(frames(study, rows), study)
    slopes = [*find(report, "turn_slope"), *find(report, "turn_slope_difference")]
    assert [f.reason for f in slopes] == ["not_run"] * 3


def test_turns_have_means_slope_difference_and_weights() -> None:
    study = protocol(FIVE, NOW)
    wholes = source_ratings({"human": 3, "model": 4}, n_items=4)
    rng = np.random.default_rng(3)
    turns = [
        {
            **row,
            "question": "now",
            "turn": turn,
            "value": int(np.clip(turn + is_model * turn + rng.integers(0, 2), 1, 5)),
        }
        for row in wholes
        for is_model in [row["response"].endswith("model")]
        for turn in (1, 2, 3)
    ]
    report = analyze(frames(study, [*wholes, *turns]), study)
    by_turn = {
        (f.scope["source"], f.scope["turn"]): f.estimate
        for f in find(report, "mean", section="contrast", question="now")
    }
    assert by_turn["human", 1] == pytest.approx(mean_rating([t for t in turns if t["turn"] == 1], source="human"))
    human, model = find(report, "turn_slope")
    gap = only(report, "turn_slope_difference")
    assert gap.estimate == pytest.approx((model.estimate or 0) - (human.estimate or 0), abs=0.05)
    assert [f.scope for f in find(report, "whole_on_turns", question="empathy")] == [
        {"turn": turn, "covariate": "now"} for turn in (1, 2, 3)
    ]
    assert scope_text({"source": "human", "turn": 2}) == "human, turn 2"


def test_single_turn_has_no_weights() -> None:
    study = protocol(FIVE, NOW)
    wholes = source_ratings({"human": 3, "model": 4}, n_items=3, n_raters=3)
    turns = [{**row, "question": "now", "turn": 1} for row in wholes]
    report = analyze(frames(study, [*wholes, *turns]), study)
    assert not find(report, "whole_on_turns")
    assert {f.reason for f in find(report, "turn_slope")} == {"singular"}


def test_turns_without_sources_have_one_slope() -> None:
    study = protocol(NOW, sources={})
    rows = [
        {"rater": f"r{r}", "item": f"i{i}", "question": "now", "turn": t, "value": t + (r + i) % 2}
        for r in range(3)
        for i in range(3)
        for t in (1, 2, 3)
    ]
    report = analyze(frames(study, rows, responses=[]), study)
    assert only(report, "turn_slope").estimate == pytest.approx(1)
