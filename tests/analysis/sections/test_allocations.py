"""Points shared among responses are analysed like a slider about each response with the same answers."""

from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.estimate import Estimate
from tests.kit.frames import first, frames, only, protocol

SHARES = {"key": "shares", "type": "allocation", "text": "Share the points."}
SLIDER = {"key": "shares", "type": "slider", "target": "response", "text": "Share the points."}
THREE = {"human": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}
GIVEN = (
    ("r1", "a", (60, 30, 10)),
    ("r2", "a", (50, 25, 25)),
    ("r3", "a", (70, 30, 0)),
    ("r1", "b", (20, 40, 40)),
    ("r2", "b", (40, 40, 20)),
    ("r3", "b", (30, 50, 20)),
    ("r1", "c", (80, 10, 10)),
    ("r2", "c", (60, 30, 10)),
)
ROWS: list[dict[str, Any]] = [
    {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "shares", "value": points}
    for rater, item, given in GIVEN
    for source, points in zip(THREE, given, strict=True)
]


def estimates(question: dict[str, Any]) -> list[Estimate]:
    study = protocol(question, sources=THREE)
    return list(analyze(frames(study, ROWS), study).estimates)


def test_mean_points_have_crossed_interval_and_differences_are_tested() -> None:
    study = protocol(SHARES, sources=THREE)
    report = analyze(frames(study, ROWS), study)
    mean = only(report, "mean", scope={"source": "human"})
    assert mean.estimate == pytest.approx((60 + 50 + 70 + 20 + 40 + 30 + 80 + 60) / 8)
    assert mean.method.startswith("two_way_cluster_t")
    assert (mean.n_items, mean.n_raters, mean.n_ratings) == (3, 3, 8)
    assert mean.ci_low is not None
    gap = first(report, "mean_difference", section="comparison", scope={"source": "one", "reference": "human"})
    assert gap.estimate == pytest.approx((30 + 25 + 30 + 40 + 40 + 50 + 10 + 30) / 8 - 410 / 8)
    alpha = first(report, "krippendorff_alpha_interval")
    assert (alpha.n_units, alpha.unit) == (9, "response")


def test_every_estimate_is_that_of_a_slider() -> None:
    found = [(one.section, one.statistic, str(one.scope), one.unit) for one in estimates(SHARES)]
    assert found == [(one.section, one.statistic, str(one.scope), one.unit) for one in estimates(SLIDER)]
    for mine, other in zip(estimates(SHARES), estimates(SLIDER), strict=True):
        assert (mine.estimate, mine.ci_low, mine.ci_high) == (other.estimate, other.ci_low, other.ci_high), mine
