"""Unidentified raters (slots): intervals for new items only, and no results for individual raters."""

import pytest

from app.analysis import analyze
from app.analysis.data.frames import with_slots
from app.analysis.report.report import Report
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

UNKNOWN = {"raters": {"identity": "unknown"}}


def _rows() -> list[Row]:
    """Return ratings by three slots per item for six items; slot s1 of different items may be different raters."""
    ratings: list[Row] = [
        {
            "rater": f"s{slot}",
            "item": f"i{item}",
            "response": f"i{item}:{source}",
            "question": "empathy",
            "value": 1 + (item * 7 + slot * 3 + (source == "model") * 2) % 5,
        }
        for item in range(6)
        for slot in range(3)
        for source in ("human", "model")
    ]
    choices: list[Row] = [
        {"rater": f"s{slot}", "item": f"i{item}", "question": "preference", "value": "model" if slot else "human"}
        for item in range(6)
        for slot in range(3)
    ]
    return ratings + choices


@pytest.fixture(scope="module")
def report() -> Report:
    study = protocol(FIVE, CHOICE, **UNKNOWN)
    return analyze(frames(study, _rows()), study)


def test_unknown_raters_allow_no_interval_for_new_raters(report: Report) -> None:
    assert {estimate.inference for estimate in report.estimates} <= {"items", "ratings", "none"}
    assert not any("two_way" in estimate.method for estimate in report.estimates)


def test_unknown_raters_have_no_individual_results(report: Report) -> None:
    ways = {one.scope.get("sensitivity") for one in report.of("rater")}
    assert ways == {"item_lowest", "item_highest", "all_choices"}
    assert not any("raters" in estimate.scope for estimate in report.estimates)
    keys = {estimate.statistic for estimate in report.estimates}
    assert not keys & {"pair_kappa_median", "kendall_w", "icc_a_1", "cohen_kappa"}
    assert {"icc_1_1", "krippendorff_alpha_ordinal", "mean_difference"} <= keys
    assert any("not known which person" in note for note in report.notes)


def test_slot_of_each_item_is_a_separate_rater() -> None:
    study = protocol(FIVE, CHOICE, **UNKNOWN)
    changed = with_slots(frames(study, _rows()))
    assert changed.ratings["rater"].nunique() == 18
    assert set(changed.ratings["rater"]) == set(changed.raters["rater"])
    assert with_slots(changed) is changed


def test_raters_are_known_by_default() -> None:
    study = protocol(FIVE, CHOICE)
    known = analyze(frames(study, _rows()), study)
    assert {"items_and_raters"} <= {estimate.inference for estimate in known.estimates}
    unknown = protocol(FIVE, CHOICE, **UNKNOWN)
    assert analyze(frames(unknown, _rows()), unknown).data_hash != known.data_hash
