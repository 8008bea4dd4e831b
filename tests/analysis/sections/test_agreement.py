"""Which agreement coefficients a question gets, in which order, and which need --full."""

import re

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.data.question_data import MAX_RATINGS
from tests.kit.frames import FIVE, Row, find, first, frames, only, protocol

PARTS = ("_agreed",)


def _rows(n_raters: int, n_items: int, seed: int = 1, **more: object) -> list[Row]:
    rng = np.random.default_rng(seed)
    level = rng.integers(1, 5, n_items)
    return [
        {
            "rater": f"r{r}",
            "item": f"i{i}",
            "response": f"i{i}:human",
            "question": "empathy",
            "value": int(np.clip(level[i] + rng.integers(-1, 2), 1, 5)),
            **more,
        }
        for r in range(n_raters)
        for i in range(n_items)
    ]


ONE_SOURCE = {"human": {"kind": "human"}}


def test_alpha_intervals_are_two_way_then_units_then_bootstrap() -> None:
    study = protocol(FIVE, sources=ONE_SOURCE)
    estimates = find(analyze(frames(study, _rows(4, 30)), study), "krippendorff_alpha_ordinal", scope={})
    assert [estimate.method.partition(":")[0] for estimate in estimates] == [
        "jackknife_two_way",
        "jackknife_units",
        "bootstrap_units",
    ]
    assert len({estimate.estimate for estimate in estimates}) == 1
    assert re.fullmatch(r"between −?\d\.\d\d and −?\d\.\d\d when one rater at a time is left out", estimates[0].note)


def test_two_raters_put_unit_interval_first() -> None:
    study = protocol(FIVE, sources=ONE_SOURCE)
    units, both, _ = find(analyze(frames(study, _rows(2, 30)), study), "krippendorff_alpha_ordinal", scope={})
    assert units.method.startswith("jackknife_units")
    assert units.ci_low is not None
    assert (both.ci_low, both.ci_reason) == (None, "one_cluster")


@pytest.mark.parametrize(
    ("question", "present", "absent"),
    [
        (FIVE, {"within_one_agreement", "gwet_ac2", "icc_a_k", "kendall_w"}, set()),
        ({**FIVE, "level": "nominal"}, {"gwet_ac1", "brennan_prediger"}, {"gwet_ac2", "icc_a_1", "kendall_w"}),
        ({**FIVE, "scale": {0: "no", 1: "yes", 4: "much", 5: "most"}}, {"within_one_agreement"}, set()),
    ],
)
def test_agreement_coefficients_follow_measurement_level(question: Row, present: set[str], absent: set[str]) -> None:
    study = protocol(question, sources=ONE_SOURCE)
    rows = [{**row, "value": min(int(row["value"]), 1)} for row in _rows(3, 10)]
    found = {estimate.statistic for estimate in analyze(frames(study, rows), study).of("agreement")}
    assert present <= found
    assert not absent & found


def test_slow_coefficients_require_full_above_20000_ratings() -> None:
    study = protocol(FIVE, sources=ONE_SOURCE)
    n_items = MAX_RATINGS // 10 + 1
    gaps = [row for row in _rows(11, n_items) if row["rater"][1:] != str(int(row["item"][1:]) % 11)]
    data = frames(study, gaps)
    report = analyze(data, study)
    estimate = only(report, "icc_a_1", scope={})
    assert (estimate.estimate, estimate.reason) == (None, "not_run")
    assert "--full" in estimate.note
    assert only(report, "icc_1_1", scope={}).estimate is not None
    assert first(report, "krippendorff_alpha_ordinal", scope={}).estimate is not None
    assert only(analyze(data, study, full=True), "icc_a_1", scope={}).estimate is not None
