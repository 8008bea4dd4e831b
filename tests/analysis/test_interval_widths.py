"""No record has an interval without width, of nearly all possible values, or that does not contain its estimate."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.analysis import analyze
from app.analysis.estimate import Estimate
from app.analysis.minimum_data import NEAR, RANGES
from app.analysis.statistic import declared
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

# the smallest width, relative to the limits, that is not a rounding error
NARROWEST = 1e-9
LEVELS = ("nominal", "ordinal", "interval", "ratio")
CODES = ("none", "mild", "grave")
SLIDER: dict[str, Any] = {"key": "slider", "type": "slider", "target": "response", "text": "?"}
CATEGORY: dict[str, Any] = {
    "key": "harm",
    "type": "category",
    "target": "response",
    "text": "?",
    "codes": list(CODES),
}


def study_of(seed: int, kind: str) -> tuple[Any, list[Row]]:
    """Return a study of 2 to 4 raters and 2 to 6 items with one kind of question, some answers missing."""
    rng = np.random.default_rng(seed)
    n_raters, n_items, n_points = (int(rng.integers(*ends)) for ends in ((2, 5), (2, 7), (2, 8)))
    questions: dict[str, dict[str, Any]] = {
        "rating": {**FIVE, "scale": dict.fromkeys(range(1, n_points + 1), ""), "level": str(rng.choice(LEVELS))},
        "slider": SLIDER,
        "choice": {**CHOICE, "tie": bool(rng.integers(2))},
        "category": CATEGORY,
    }
    asked, spread = questions[kind], float(rng.choice([0, 0.3, 1, 2]))
    low, high = (1, n_points) if kind == "rating" else (0, 100)
    options = ["human", "model", *(["tie"] if asked.get("tie") else [])] if kind == "choice" else list(CODES)
    share = rng.dirichlet(np.ones(len(options)))

    def value() -> object:
        if kind in {"choice", "category"}:
            return str(rng.choice(options, p=share))
        return float(np.clip(np.rint((low + high) / 2 + rng.normal(0, spread) * (high - low) / 4), low, high))

    missing = float(rng.choice([0, 0.2, 0.5]))
    met = [(r, i) for r in range(n_raters) for i in range(n_items) if rng.random() >= missing]
    rows: list[Row] = [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": None if source is None else f"i{i}:{source}",
            "question": asked["key"],
            "value": value(),
        }
        for r, i in met
        for source in ((None,) if kind == "choice" else ("human", "model"))
    ]
    more = {"cut": {"empathy": 2}, "margin": {"empathy": 0.5}} if kind == "rating" else {}
    return protocol(asked, analysis={"reference": "human", **more}), rows


def problem_of(estimate: Estimate) -> str:
    """Return what is wrong with the interval of a record, or nothing."""
    low, high = estimate.ci_low, estimate.ci_high
    if low is None or high is None or estimate.estimate is None:
        return ""
    place = f"{estimate.statistic} {estimate.scope} {estimate.method}: {estimate.estimate} ({low} to {high})"
    if not high - low > NARROWEST * max(abs(low), abs(high)):
        return f"no width: {place}"
    ends = RANGES.get(declared(estimate.statistic).kind)
    if ends is not None and low <= ends[0] + NEAR and high >= ends[1] - NEAR:
        return f"includes everything: {place}"
    rounding = NARROWEST * max(1.0, abs(low), abs(high))
    return "" if low - rounding <= estimate.estimate <= high + rounding else f"excludes the estimate: {place}"


def problems_of(seed: int, kind: str) -> list[str]:
    study, rows = study_of(seed, kind)
    report = analyze(frames(study, rows), study)
    return [problem for estimate in report.estimates if (problem := problem_of(estimate))]


def test_small_report_has_no_empty_interval() -> None:
    assert problems_of(7, "rating") == []


@pytest.mark.slow
@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["rating", "slider", "choice", "category"]))
def test_no_report_has_an_empty_interval(seed: int, kind: str) -> None:
    assert problems_of(seed, kind) == []
