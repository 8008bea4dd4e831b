"""Estimates as people read them."""

from dataclasses import replace

import pytest

from app.analysis.estimate import Estimate
from app.analysis.wording.formatting import (
    ci_cell,
    ci_heading,
    estimate_text,
    generalizes_text,
    interval_text,
    number,
)


def _reliability(statistic: str, estimate: float, low: float, high: float) -> Estimate:
    return Estimate("agreement", "empathy", {}, statistic, estimate, low, high)


@pytest.mark.parametrize("statistic", ["icc_1_k", "icc_a_k", "icc_c_k", "cronbach_alpha"])
def test_reliability_below_zero_is_shown_as_words(statistic: str) -> None:
    impossible = _reliability(statistic, -26.4, -310.0, 0.41)
    assert estimate_text(impossible) == "not interpretable (below 0)"
    assert interval_text(impossible) == "below 0 to 0.41"
    assert impossible.as_record()["estimate"] == -26.4


def test_other_coefficients_below_zero_are_printed() -> None:
    disagreement = _reliability("icc_a_1", -0.12, -0.3, 0.08)
    assert estimate_text(disagreement) == "−0.12"
    assert interval_text(disagreement) == "−0.30 to 0.08"


def test_interval_without_upper_limit_is_said_in_words_and_null_in_files() -> None:
    open_one = Estimate("agreement", "empathy", {}, "raters_needed", 30, 12.0, None, 0.95, ci_reason="no_upper_limit")
    assert interval_text(open_one) == "from 12, no upper limit"
    record = open_one.as_record()
    assert (record["ci_low"], record["ci_high"], record["ci_reason"]) == (12.0, None, "no_upper_limit")


def test_same_number_computed_in_two_ways_is_printed_alike() -> None:
    assert number(1.375, "points") == number(1.3749999999999996, "points") == number(1.3750000000000004, "points")


def _difference(level: float | None) -> Estimate:
    low, high = (None, None) if level is None else (0.1, 0.3)
    return Estimate("comparison", "empathy", {}, "mean_difference", 0.2, low, high, level)


@pytest.mark.parametrize(
    ("levels", "heading", "cells"),
    [
        ([0.95, None], "95% CI", ["0.10 to 0.30", ""]),
        ([0.9, None, 0.9], "90% CI", ["0.10 to 0.30", "", "0.10 to 0.30"]),
        ([0.95, 0.9, None], "CI", ["95% CI 0.10 to 0.30", "90% CI 0.10 to 0.30", ""]),
        ([None], "95% CI", [""]),
    ],
)
def test_heading_names_the_level_of_the_intervals_below_it(
    levels: list[float | None], heading: str, cells: list[str]
) -> None:
    shown = [_difference(level) for level in levels]
    assert ci_heading(shown) == heading
    assert [ci_cell(one, heading) for one in shown] == cells


def test_what_raters_say_about_themselves_generalizes_to_raters_of_no_items() -> None:
    change = Estimate("change", "mood", {}, "change", 0.5, 0.1, 0.9, inference="raters", n_items=0)
    assert generalizes_text([change]) == "for new raters"
    assert generalizes_text([change, replace(change, n_items=3)]) == "for new raters of these items"


def test_a_mean_without_interval_has_no_sides() -> None:
    mean = Estimate("comparison", "empathy", {}, "mean", 3.8, ci_reason="one_cluster")
    assert interval_text(mean) == "no interval: there is only one item or one rater"
    difference = replace(mean, statistic="mean_difference")
    assert interval_text(difference) == "no interval: one side has only one item or one rater"
