"""Studies with hardly any data: a reason for what is missing, and all other estimates."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.analysis import analyze
from app.analysis.estimate import FIELDS
from app.stats.result import REASONS
from tests.kit.examples import examples
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

SLIDER = {"key": "empathy", "target": "response", "type": "slider", "text": "How empathetic?"}
SCALES: dict[str, dict[str, Any]] = {
    "five points": FIVE,
    "a slider": SLIDER,
    "negative": {**FIVE, "scale": dict.fromkeys(range(-5, 6), "")},
    "half points": {**FIVE, "scale": {0: "no", 0.5: "some", 1: "yes"}},
    "yes or no": {**FIVE, "scale": {0: "no", 1: "yes"}, "level": "nominal"},
    "reversed": {**FIVE, "reversed": True, "level": "interval"},
    "ratio": {**FIVE, "level": "ratio"},
}
UNITS = {"rating", "item_mean", "response", "choice", "rater_mean", "item"}


def _check(rows: list[Row], question: dict[str, Any] = FIVE) -> list[dict[str, Any]]:
    """Return the records, after checking that each is complete and finite, or gives a reason."""
    cut = float(np.median(protocol(question).scaled_questions[0].values))
    study = protocol(question, {**CHOICE, "tie": True}, analysis={"cut": {"empathy": cut}})
    document = json.loads(json.dumps(analyze(frames(study, rows), study).as_document(), allow_nan=False))
    records: list[dict[str, Any]] = document["estimates"]
    assert records
    for record in records:
        assert tuple(record) == FIELDS
        assert (record["estimate"] is None) == (record["reason"] is not None)
        assert record["reason"] is None or (record["reason"] in REASONS and record["note"])
        is_open = record["ci_reason"] == "no_upper_limit"
        assert (record["ci_low"] is None) == (record["ci_level"] is None)
        assert (record["ci_high"] is None) == (is_open or record["ci_low"] is None)
        assert record["unit"] in UNITS
        assert record["method"] or record["reason"]
        for count in ("n_items", "n_units", "n_pairable_units", "n_raters", "n_ratings"):
            assert isinstance(record[count], int), record
    return records


def _ratings(raters: int, items: int, sources: tuple[str, ...], values: list[float], seed: int = 1) -> list[Row]:
    rng = np.random.default_rng(seed)
    rows = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{s}", "question": "empathy", "value": rng.choice(values)}
        for r in range(raters)
        for i in range(items)
        for s in sources
    ]
    votes = [
        {"rater": f"r{r}", "item": f"i{i}", "question": "preference", "value": rng.choice([*sources, "tie"])}
        for r in range(raters)
        for i in range(items)
    ]
    return rows + votes


BOTH = ("human", "model")


def test_single_source_gets_its_own_estimates() -> None:
    study = protocol(FIVE, sources={"human": {"kind": "human"}})
    report = analyze(frames(study, _ratings(4, 5, ("human",), [1, 3, 5])[:20]), study)
    assert {estimate.section for estimate in report.estimates} == {"distribution", "agreement", "disagreement", "rater"}


@pytest.mark.parametrize("question", SCALES.values(), ids=SCALES)
def test_every_scale_gives_complete_records(question: dict[str, Any]) -> None:
    values = list(protocol(question).scaled_questions[0].values)
    records = _check(_ratings(4, 6, BOTH, values), question)
    assert all(record["estimate"] is not None for record in records if record["statistic"] == "mean")


def test_fractional_ratings_are_accepted() -> None:
    _check(_ratings(3, 8, BOTH, [1, 2.5, 3 + 1 / 3, 5]))


def test_unanimous_choice_leaves_other_estimates_complete() -> None:
    _check([row for row in _ratings(4, 6, BOTH, [1, 5]) if row["value"] not in {"human", "tie"}])


@st.composite
def _any_study(draw: st.DrawFn) -> list[Row]:
    rating = st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from(BOTH), st.integers(1, 5))
    vote = st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([*BOTH, "tie"]))
    ratings = draw(st.lists(rating, max_size=40, unique_by=lambda row: row[:3]))
    votes = draw(st.lists(vote, max_size=20, unique_by=lambda row: row[:2]))
    rows: list[Row] = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{s}", "question": "empathy", "value": v}
        for r, i, s, v in ratings
    ]
    return rows + [{"rater": f"r{r}", "item": f"i{i}", "question": "preference", "value": v} for r, i, v in votes]


@given(_any_study())
@settings(max_examples=examples(15), deadline=None)
def test_sparse_study_neither_raises_nor_warns(rows: list[Row]) -> None:
    _check(rows)
