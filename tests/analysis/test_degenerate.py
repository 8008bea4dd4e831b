"""Data with undefined statistics: the shared reference results, through the whole report."""

from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, find, first, frames, only, protocol
from tests.kit.oracles import Oracle


def _report(answer: dict[str, Any], level: str = "ordinal") -> Report:
    """Return the report in which each unit is an item with one response by the single source `human`."""
    study = protocol({**FIVE, "level": level}, sources={"human": {"kind": "human"}})
    rows = [
        {"rater": rater, "item": unit, "response": f"{unit}:human", "question": "empathy", "value": value}
        for unit, rater, value in answer["input"]["rows"]
    ]
    return analyze(frames(study, rows), study)


def test_single_category_has_full_agreement_and_undefined_alpha(oracle: Oracle) -> None:
    answer = oracle("degenerate_all_one_category")
    report = _report(answer)
    assert only(report, "percent_agreement", scope={}).estimate == answer["expected"]["percent_agreement"]
    for statistic, key in (("gwet_ac1", "ac1"), ("brennan_prediger", "bp")):
        assert only(report, statistic, scope={}).estimate == answer["expected"][f"{key}_with_declared_scale_1_5"]
    for statistic in ("krippendorff_alpha_ordinal", "fleiss_kappa", "icc_a_1"):
        estimate = only(report, statistic, scope={})
        assert (estimate.estimate, estimate.reason, estimate.ci_low) == (None, "no_variation", None)
    # the oracle's units are fewer than the ten that a kappa of two raters needs
    assert {estimate.reason for estimate in find(report, "cohen_kappa_quadratic")} == {"no_pairable_units"}


def test_single_rater_has_no_agreement(oracle: Oracle) -> None:
    report = _report(oracle("degenerate_single_rater"))
    for statistic in ("krippendorff_alpha_ordinal", "percent_agreement", "fleiss_kappa"):
        estimate = only(report, statistic, scope={})
        assert (estimate.estimate, estimate.reason, estimate.n_pairable_units) == (None, "no_pairable_units", 0)
        assert estimate.note == "not estimable: one rating per response"
    assert only(report, "mean", scope={"source": "human"}).estimate == 3


def test_source_without_ratings_is_listed_with_reason(oracle: Oracle) -> None:
    answer = oracle("degenerate_source_without_ratings")
    study = protocol(FIVE, CHOICE, sources={"human": {"kind": "human"}, "model_x": {"kind": "model"}})
    rows = [
        {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
        for item, rater, source, value in answer["input"]["rows"]
    ]
    report = analyze(frames(study, rows), study)
    assert only(report, "mean", scope={"source": "human"}).estimate == answer["expected"]["mean_human"]
    empty = only(report, "mean", scope={"source": "model_x"})
    assert (empty.estimate, empty.reason, empty.n_ratings) == (None, "no_pairable_units", 0)
    scope = {"source": "model_x", "reference": "human"}
    for statistic in ("mean_difference", "t_paired", "t_unpaired", "share_preferred"):
        assert {estimate.reason for estimate in find(report, statistic, scope=scope)} == {"no_pairable_units"}


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_alpha_of_single_pairable_unit_is_not_shown(oracle: Oracle, level: str) -> None:
    answer = oracle("degenerate_units_with_one_rating")
    report = _report(answer, level)
    alpha = first(report, f"krippendorff_alpha_{level}", scope={})
    assert (alpha.estimate, alpha.reason) == (None, "no_pairable_units")
    assert alpha.note == "not shown: needs 5 units that two or more raters rated, has 1"
    assert only(report, "percent_agreement", scope={}).estimate == answer["expected"]["percent_agreement"]


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_unused_scale_points_do_not_change_alpha(oracle: Oracle, level: str) -> None:
    answer = oracle("degenerate_unused_categories")
    alpha = first(_report(answer, level), f"krippendorff_alpha_{level}", scope={})
    assert alpha.estimate == pytest.approx(answer["expected"][f"alpha_{level}"], abs=1e-6)
    for statistic, key in (("gwet_ac1", "ac1_q5"), ("brennan_prediger", "bp_q5")):
        estimate = first(_report(answer, level), statistic, scope={})
        assert estimate.estimate == pytest.approx(answer["expected"][key], abs=1e-5)


def test_unanimous_source_has_exact_interval(oracle: Oracle) -> None:
    expected = oracle("degenerate_bt_separation")["expected"]
    study = protocol(CHOICE)
    rows = [{"rater": f"r{n}", "item": f"i{n}", "question": "preference", "value": "model"} for n in range(12)]
    estimates = find(analyze(frames(study, rows), study), "share_preferred")
    assert {estimate.estimate for estimate in estimates} == {expected["win_rate"]}
    by_method = {estimate.method.partition(":")[0]: estimate for estimate in estimates}
    assert by_method["two_way_cluster_t"].ci_reason == "no_variation"
    for method in ("wilson", "clopper_pearson"):
        estimate = by_method[method]
        assert [estimate.ci_low, estimate.ci_high] == pytest.approx(expected[method], abs=1e-6)
