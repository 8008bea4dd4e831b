"""Estimates from too few ratings are not shown, and the record gives the number of ratings."""

from dataclasses import replace

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.estimate import Counts, Estimate, estimate_of
from app.analysis.minimum_data import (
    EVERYTHING,
    enough,
    too_few,
    with_minimum_data,
    without_uninformative_interval,
)
from app.analysis.report.report import Report
from app.analysis.statistic import statistics
from app.analysis.wording.formatting import interval_text
from app.stats.arms import warned_of_few
from app.stats.result import Interval, Method, Result, undefined
from tests.kit.frames import CHOICE, FIVE, Row, find, first, frames, only, protocol

# effect sizes have the minimum of a comparison: two items and two raters on each side
OF_COMPARISONS = {"cliffs_delta", "cliffs_delta_unpaired", "rank_biserial"}
# computed by sections for pairs with ten units in common only
OF_PAIRS_OF_RATERS = {"cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "pair_kappa_median"}
# means over items, each with its own responses
OF_RANKINGS = {"kendall_w_within_items", "rank_correlation_within_items"}


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
    return _report(10, "abcd")


def test_severity_requires_five_ratings(small: Report, larger: Report) -> None:
    severity = first(small, "severity", scope={"raters": ["a"]})
    assert severity.note == "not shown: needs 5 ratings by this rater, has 4"
    assert first(larger, "severity", scope={"raters": ["a"]}).estimate is not None


def test_kappa_requires_ten_common_units(larger: Report) -> None:
    nothing = only(_report(4, "ab"), "cohen_kappa_quadratic")
    assert (nothing.reason, nothing.note) == (
        "no_pairable_units",
        "not estimable: no two raters rated 10 units or more in common",
    )
    fewer = _report(5, "ab")
    assert only(fewer, "cohen_kappa_quadratic").estimate is not None
    assert only(fewer, "pair_kappa_median", question="preference").estimate is None
    assert only(larger, "pair_kappa_median", question="preference").n_pairable_units == 10


def test_split_opinions_require_four_ratings(small: Report, larger: Report) -> None:
    split = only(small, "split_share", question="empathy")
    assert (split.estimate, split.note) == (
        None,
        "not shown: no unit has the 4 ratings that split opinions need",
    )
    assert only(larger, "split_share", question="empathy").estimate is not None


def test_three_raters_also_get_interval_for_these_raters(larger: Report) -> None:
    three = _report(8, "abc")
    new, these, *_ = [f for f in find(three, "mean_difference") if f.unit == "rating" and f.section == "comparison"]
    assert "an interval for new raters is very wide" in new.note
    assert (these.method, these.inference) == ("item_cluster_t: these raters only", "items")
    assert not any("these raters" in estimate.method for estimate in larger.estimates)


def test_ties_are_not_mentioned_when_impossible(small: Report) -> None:
    assert not any("ties as half" in estimate.method for estimate in small.estimates)


def test_mean_intervals_stay_within_scale(small: Report) -> None:
    for estimate in small.estimates:
        if estimate.statistic == "mean" and estimate.ci_low is not None and estimate.ci_high is not None:
            assert 1 <= estimate.ci_low <= estimate.ci_high <= 5


def test_correlation_requires_five_responses(small: Report, larger: Report) -> None:
    few = only(small, "leave_one_out_correlation", scope={})
    assert (few.estimate, few.ci_low) == (None, None)
    assert few.note.startswith("not shown: needs 5 units with both values, has 4")
    assert only(larger, "leave_one_out_correlation", scope={}).estimate is not None


def test_agreement_requires_five_units(small: Report, larger: Report) -> None:
    for statistic in ("krippendorff_alpha_ordinal", "gwet_ac2", "icc_a_1", "kendall_w", "phi_coefficient"):
        few = first(small, statistic, question="empathy", scope={})
        assert few.note.startswith("not shown: needs 5 units that two or more raters rated, has 4"), statistic
        assert first(larger, statistic, question="empathy", scope={}).estimate is not None, statistic


def test_share_of_agreeing_pairs_has_an_interval_from_five_units() -> None:
    share = Result(
        0.5, Method(words="mean over units"), interval=Interval(0.3, 0.7, Method("jackknife_units"), inference="items")
    )
    in_scope: Counts = {"n_items": 9, "n_units": 9, "n_pairable_units": 4, "n_raters": 2, "n_ratings": 13}
    few = with_minimum_data(share, "percent_agreement", in_scope, {})
    assert (few.estimate, few.interval, few.interval_reason) == (0.5, None, "too_few")
    assert few.note == "No interval: needs 5 units that two or more raters rated, has 4."
    assert with_minimum_data(share, "percent_agreement", {**in_scope, "n_pairable_units": 5}, {}) is share


def test_habits_of_rater_require_five_answers(small: Report, larger: Report) -> None:
    for statistic in ("answer_sd", "modal_share", "answer_entropy"):
        where = {"question": "empathy", "scope": {"raters": ["a"]}}
        assert only(small, statistic, **where).estimate is None, statistic
        assert only(larger, statistic, **where).estimate is not None, statistic


def test_interval_that_includes_everything_is_said_in_words(small: Report) -> None:
    share = first(small, "prob_superiority")
    assert (share.ci_low, share.ci_reason) == (None, "too_few")
    assert share.note.endswith("No interval: with so little data it would include nearly all possible values.")
    assert interval_text(share) == "no interval: too few items or raters to tell"


@pytest.mark.parametrize(
    ("statistic", "low", "high", "is_kept"),
    [
        ("share_at_least", 0.004, 0.996, False),
        ("share_at_least", 0.02, 0.999, True),
        ("correlation", -0.99, 0.985, False),
        ("correlation", -0.5, 0.99, True),
        ("icc_a_k", -26.0, 0.995, False),
        ("icc_a_k", 0.2, 0.995, True),
        ("odds_ratio_clmm", 0.0, 5e6, False),
        ("odds_ratio_clmm", 0.1, 60.0, True),
        ("percent_change", -99.9, 2e6, False),
        ("percent_change", -60.0, 200.0, True),
        ("mean_difference", -4.0, 3.99, False),
        ("mean_difference", -1.0, 4.0, True),
        ("t_paired", -1e9, 1e9, True),
    ],
)
def test_intervals_of_nearly_all_values(statistic: str, low: float, high: float, *, is_kept: bool) -> None:
    ends = (-4.0, 4.0) if statistic == "mean_difference" else None
    result = Result(0.5, Method(words="known"), interval=Interval(low, high, Method("wilson"), inference="items"))
    shown = without_uninformative_interval(result, statistic, ends)
    assert (shown.interval is not None, shown.estimate, shown.method.procedure == "wilson") == (
        is_kept,
        0.5,
        not is_kept,
    )


def test_every_coefficient_has_a_minimum() -> None:
    """A coefficient of association or agreement is at the end of its range by chance if it has few units."""
    without = {key for key, one in statistics().items() if one.kind == "coefficient" and one.minimum is None}
    assert without == {*OF_COMPARISONS, *OF_PAIRS_OF_RATERS, *OF_RANKINGS}


def test_undefined_result_keeps_its_own_reason() -> None:
    nothing = undefined("no_variation")
    assert enough(nothing, 1, 5, "ratings") is nothing
    assert enough(Result(1.0), 1, 5, "repeats").note == "not shown: needs 5 repeats, has 1"


def test_warning_about_an_interval_is_part_of_the_note_and_goes_with_the_interval() -> None:
    interval = Interval(0.1, 0.3, Method("two_way_cluster_t"), 0.95, inference="items_and_raters")
    counts: Counts = {"n_items": 30, "n_units": 60, "n_pairable_units": 60, "n_raters": 2, "n_ratings": 200}
    result = Result(0.2, interval=interval, note="Ties count as half.")
    warned = warned_of_few(result, np.array([True, True, False, False]), np.array([*"abcd"]))

    def recorded(result: Result) -> Estimate:
        of = {"section": "choice", "question": "q", "statistic": "share_preferred", "answers": ""}
        return estimate_of(result, scope={}, unit="choice", of_answers=counts, **of)

    few = "One side has only 2 raters, so the interval is wide."
    assert recorded(warned).note == f"Ties count as half. {few}"
    assert recorded(warned).interval_warnings == (few,)
    assert recorded(too_few(warned, EVERYTHING)).note == f"Ties count as half. {EVERYTHING}"
    assert recorded(replace(warned, interval=None)).interval_warnings == ()
