"""All kinds of insufficient data through the whole report: each gap has a reason, and no other estimate is missing."""

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

from app.analysis import analyze
from app.stats.result import REASONS
from tests.kit.frames import CHOICE, Row, frames, protocol

RATED = (
    "mean",
    "sd",
    "mean_difference",
    "prob_superiority",
    "t_paired",
    "wilcoxon",
    "mann_whitney",
    "share_at_least",
    "odds_ratio_clmm",
    "equivalence",
    "correlation",
    "percent_agreement",
    "fleiss_kappa",
    "gwet_ac1",
    "brennan_prediger",
    "kendall_w",
    "icc_a_1",
    "split_share",
    "leave_one_out_correlation",
)
COMPARED = {
    "mean_difference",
    "prob_superiority",
    "t_paired",
    "wilcoxon",
    "mann_whitney",
    "odds_ratio_clmm",
    "equivalence",
}
CHOSEN = (
    "share_preferred",
    "tie_share",
    "first_side_share",
    "bt_strength",
    "position_effect",
    "odds_preferred_glmm",
    "percent_agreement",
    "leave_one_out_share",
)
BOTH = ("human", "model")
FIVE_POINTS = [1.0, 2, 3, 4, 5]


def _study(  # noqa: PLR0913 - each argument is one kind of bad input
    raters: int = 5,
    items: int = 6,
    *,
    sources: tuple[str, ...] = BOTH,
    rated: tuple[str, ...] | None = None,
    points: list[float] = FIVE_POINTS,
    values: list[float] | None = None,
    winner: str | None = None,
    per_item: bool = False,
    question: dict[str, Any] | None = None,
) -> tuple[dict[str, Any], list[Row]]:
    """Return parts of a protocol, and random ratings and choices of the sources `rated` (default: all).

    `per_item`: the first item has one rater, the second two ... and the last all.
    """
    rng = np.random.default_rng(7)
    scale = {"type": "rating", "scale": dict.fromkeys(points, "")} if question is None else question
    asked = {"target": "response", "text": "?", **scale}
    questions = [{**asked, "key": key, "reversed": key == "distance"} for key in ("warmth", "distance")]
    kinds = {name: {"kind": "human" if name == "human" else "model"} for name in sources}
    rows: list[Row] = []
    for i in range(items):
        for r in range(raters if not per_item else 1 + round(i * (raters - 1) / max(items - 1, 1))):
            at = {"rater": f"r{r}", "item": f"i{i}"}
            for source in rated or sources:
                for key in ("warmth", "distance"):
                    given = rng.choice(values or points)
                    rows.append({**at, "response": f"i{i}:{source}", "question": key, "value": given})
            two = [str(name) for name in rng.permutation(rated or sources)[:2]]
            if len(two) > 1:
                sides = {"left_response": f"i{i}:{two[0]}", "right_response": f"i{i}:{two[1]}"}
                chosen = winner or rng.choice([*two, "tie"])
                rows.append({**at, **sides, "question": "preference", "value": chosen})
    analysis = _analysis(cut=sorted(points)[len(points) // 2])
    return {"questions": [*questions, {**CHOICE, "tie": True}], "sources": kinds, "analysis": analysis}, rows


def _analysis(cut: float) -> dict[str, Any]:
    composites = {"both": {"questions": ["warmth", "distance"]}}
    return {"cut": {"warmth": cut}, "margin": {"warmth": 0.5}, "composites": composites}


def _islands() -> tuple[dict[str, Any], list[Row]]:
    """Return choices among four sources, comparing only the first two and the last two with each other."""
    parts, rows = _study(sources=("human", "a", "b", "c"))
    kept = [row for row in rows if row["question"] != "preference"]
    for i in range(6):
        for r in range(4):
            left, right = ("human", "a") if (i + r) % 2 else ("b", "c")
            chosen = (left, right, "tie")[(i + 2 * r) % 3]
            sides = {"left_response": f"i{i}:{left}", "right_response": f"i{i}:{right}"}
            kept.append({"rater": f"r{r}", "item": f"i{i}", **sides, "question": "preference", "value": chosen})
    return parts, kept


SLIDER = {"type": "slider", "min": 0, "max": 100, "step": 1}
CASES: dict[str, tuple[dict[str, Any], list[Row]]] = {
    "no ratings": (_study()[0], []),
    "one rater": _study(raters=1),
    "one item": _study(items=1),
    "one rater and one item": _study(raters=1, items=1),
    "one source": _study(sources=("human",)),
    "one category": _study(values=[3]),
    "a source without ratings": _study(rated=("human",)),
    "1 to 100 ratings an item": _study(raters=100, items=5, per_item=True),
    "a slider": _study(points=[float(n) for n in range(101)], question=SLIDER),
    "a slider that nobody moved": _study(points=[float(n) for n in range(101)], values=[50], question=SLIDER),
    "a negative scale": _study(points=[float(n) for n in range(-5, 6)]),
    "a negative scale, one point": _study(points=[-3.0, -2, -1], values=[-2]),
    "half points": _study(points=[0, 0.5, 1]),
    "two points": _study(points=[0, 1]),
    "values between the points": _study(values=[1.5, 2.25, 3 + 1 / 3]),
    "a choice that one source always wins": _study(winner="model"),
    "nothing but ties": _study(winner="tie"),
    "a comparison graph in two parts": _islands(),
}


@cache
def _said(case: str) -> list[dict[str, Any]]:
    """Return the records as exported; any nan, warning or exception is a failure."""
    parts, rows = dict(CASES[case][0]), CASES[case][1]
    study = protocol(*parts.pop("questions"), **parts)
    items = [{"item": name} for name in dict.fromkeys(row["item"] for row in rows)] or [{"item": "i0"}]
    texts = [
        {
            "response": f"{item['item']}:{source}",
            "item": item["item"],
            "source": source,
            "text": "So sorry. " * (n + 1),
            "score": str(n),
        }
        for item in items
        for n, source in enumerate(study.sources)
    ]
    report = analyze(frames(study, rows, items=items, responses=texts), study)
    records: list[dict[str, Any]] = json.loads(json.dumps(report.as_document(), allow_nan=False))["estimates"]
    return records


@pytest.mark.parametrize("case", CASES)
def test_bad_input_gives_reasons_and_keeps_other_estimates(case: str) -> None:
    parts, rows = CASES[case]
    records = _said(case)
    for record in records:
        where = (record["question"], record["statistic"], record["scope"])
        assert (record["estimate"] is None) == (record["reason"] in REASONS), where
        assert record["reason"] is None or len(record["note"]) > 10, where
        has_only_low = record["ci_low"] is not None and record["ci_high"] is None
        assert has_only_low == (record["ci_reason"] == "no_upper_limit"), where
        assert record["ci_reason"] is None or record["ci_reason"] in REASONS, where
        assert record["ci_low"] is None or record["ci_reason"] in {None, "no_upper_limit"}, where
        assert record["recipe"]["answers"], where
    found = {(record["question"], record["statistic"]) for record in records}
    has_two = len(parts["sources"]) > 1
    expected: set[tuple[str | None, str]] = {("warmth", one) for one in RATED if has_two or one not in COMPARED}
    expected |= {("both", "cronbach_alpha"), (None, "text_mean")}
    if has_two:
        expected |= {("preference", one) for one in CHOSEN} | {(None, "text_difference")}
    if not rows:  # no rater answered both questions
        expected.remove(("warmth", "correlation"))
    if case.startswith("a slider"):  # a coefficient with a category per position means nothing
        expected -= {("warmth", one) for one in ("fleiss_kappa", "gwet_ac1", "brennan_prediger")}
    assert expected - found == set()


def test_estimable_results_survive_bad_input() -> None:
    def first(case: str, statistic: str, question: str = "warmth") -> dict[str, Any]:
        records = _said(case)
        return next(r for r in records if (r["statistic"], r["question"]) == (statistic, question))

    assert first("one category", "percent_agreement")["estimate"] == 1
    assert first("one category", "krippendorff_alpha_ordinal")["reason"] == "no_variation"
    assert first("one rater", "percent_agreement")["reason"] == "no_pairable_units"
    assert first("one rater", "mean")["estimate"] is not None
    assert first("one rater", "mean_difference")["ci_reason"] == "one_cluster"
    assert first("a source without ratings", "mean_difference")["reason"] == "no_pairable_units"
    assert first("a source without ratings", "mean")["estimate"] is not None
    assert first("a choice that one source always wins", "share_preferred", "preference")["estimate"] == 1
    assert first("no ratings", "mean")["note"] == "There are no ratings."
    strengths = [r for r in _said("a comparison graph in two parts") if r["statistic"] == "bt_strength"]
    assert {r["reason"] for r in strengths if r["scope"]["source"] in "bc"} == {"disconnected"}
    separated = [r for r in _said("a choice that one source always wins") if r["statistic"] == "bt_strength"]
    assert "separation" in {r["reason"] for r in separated}
