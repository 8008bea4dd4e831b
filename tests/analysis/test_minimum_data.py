"""Estimates from too few ratings are not shown, and the record gives the number of ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.analysis import analyze
from app.analysis.minimum_data import enough
from app.stats.core.result import Result, undefined
from tests.analysis.builders import CHOICE, FIVE, find, first, frames, only, protocol

if TYPE_CHECKING:
    from app.analysis.report.report import Report
    from tests.analysis.builders import Row


def _report(n_items: int, raters: str) -> Report:
    rows: list[Row] = [
        {
            "rater": rater,
            "item": f"i{item}",
            "response": f"i{item}:{source}",
            "question": "empathy",
            "value": 1 + (item * 3 + ord(rater) + (source == "model") * 2) % 5,
        }
        for item in range(n_items)
        for rater in raters
        for source in ("human", "model")
    ]
    rows += [
        {"rater": rater, "item": f"i{item}", "question": "preference", "value": "model" if item % 3 else "human"}
        for item in range(n_items)
        for rater in raters
    ]
    study = protocol(FIVE, CHOICE)
    return analyze(frames(study, rows), study)


@pytest.fixture(scope="module")
def small() -> Report:
    return _report(2, "abc")


@pytest.fixture(scope="module")
def larger() -> Report:
    return _report(8, "abcd")


def test_severity_requires_five_ratings(small: Report, larger: Report) -> None:
    severity = first(small, "severity", scope={"raters": ["a"]})
    assert severity.note == "not shown: needs 5 ratings by this rater, has 4"
    assert first(larger, "severity", scope={"raters": ["a"]}).estimate is not None


def test_kappa_requires_five_common_items(small: Report, larger: Report) -> None:
    assert only(small, "cohen_kappa_quadratic").reason == "no_pairable_units"
    assert only(small, "pair_kappa_median", question="preference").estimate is None
    assert first(larger, "cohen_kappa_quadratic").estimate is not None


def test_split_opinions_require_four_ratings(small: Report, larger: Report) -> None:
    split = only(small, "split_share", question="empathy")
    assert (split.estimate, split.note) == (
        None,
        "not shown: no unit has the 4 ratings that split opinions need",
    )
    assert only(larger, "split_share", question="empathy").estimate is not None


def test_three_raters_also_get_interval_for_these_raters(small: Report, larger: Report) -> None:
    new, these, *_ = [f for f in find(small, "mean_difference") if f.unit == "rating" and f.section == "comparison"]
    assert "an interval for new raters is very wide" in new.note
    assert (these.method, these.inference) == ("item_cluster_t: these raters only", "items")
    assert not any("these raters" in estimate.method for estimate in larger.estimates)


def test_ties_are_not_mentioned_when_impossible(small: Report) -> None:
    assert not any("ties as half" in estimate.method for estimate in small.estimates)


def test_mean_intervals_stay_within_scale(small: Report) -> None:
    for estimate in small.estimates:
        if estimate.statistic == "mean" and estimate.ci_low is not None and estimate.ci_high is not None:
            assert 1 <= estimate.ci_low <= estimate.ci_high <= 5


def test_undefined_result_keeps_its_own_reason() -> None:
    nothing = undefined("no_variation")
    assert enough(nothing, 1, 5, "ratings") is nothing
    assert enough(Result(1.0), 1, 5, "repeats").note == "not shown: needs 5 repeats, has 1"
