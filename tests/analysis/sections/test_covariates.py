"""Covariates: only declared columns and questions asked as scores are used, and unusable ones get a reason."""

import numpy as np
import pytest

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.protocol.study import Protocol
from tests.kit.frames import FIVE, Row, find, frames, only, protocol

ONE = {"human": {"kind": "human"}}
N_RATERS, N_ITEMS = 6, 5


def _study(*covariates: str, **columns: list[str | None]) -> tuple[Protocol, Frames]:
    """Return a study in which raters 0 to 5 rate one response of items 0 to 4; `columns` are those of raters.csv."""
    study = protocol(FIVE, sources=ONE, analysis={"covariates": list(covariates)})
    rng = np.random.default_rng(5)
    rows: list[Row] = [
        {
            "rater": f"r{rater}",
            "item": f"i{item}",
            "response": f"i{item}:human",
            "question": "empathy",
            "value": int(np.clip(1 + rater // 2 + item // 2 + rng.integers(0, 2), 1, 5)),
        }
        for rater in range(N_RATERS)
        for item in range(N_ITEMS)
    ]
    data = frames(study, rows)
    for name, cells in columns.items():
        data.raters[name] = cells
    return study, data


AGES: list[str | None] = ["20", "31", "44", "25", "60", "38"]


def test_numeric_column_is_a_covariate_only_if_declared() -> None:
    """The slots of Ayers et al. are numbers, but not scores."""
    study, data = _study(slot=["1", "2", "3", "1", "2", "3"])
    assert not find(analyze(data, study), "covariate_slope_by_source")


def test_declared_rater_column_is_a_covariate() -> None:
    study, data = _study("age", age=AGES, slot=AGES)
    slope = only(analyze(data, study), "covariate_slope_by_source")
    assert slope.scope == {"covariate": "age", "source": "human"}
    ages = dict(zip(data.raters["rater"], map(float, data.raters["age"]), strict=True))
    known = np.polyfit(data.ratings["rater"].map(ages), data.ratings["number"], 1)[0]
    assert slope.estimate == pytest.approx(known)


@pytest.mark.parametrize(
    ("ages", "words"),
    [
        (["20", "x", "44", "25", "60", "38"], "age in raters.csv is not a number: x."),
        (["44"] * 6, "age has one value only."),
        ([None] * 6, "age has no value."),
    ],
)
def test_unusable_covariate_is_reported_and_others_remain(ages: list[str | None], words: str) -> None:
    study, data = _study("age", age=ages)
    report = analyze(data, study)
    slope = only(report, "covariate_slope_by_source")
    assert (slope.reason, slope.note, slope.n_ratings) == ("no_variation", words, 0)
    assert find(report, "mean")[0].estimate is not None


def test_covariate_without_column_is_reported() -> None:
    study, data = _study("age")
    words = "age is not a column with values in raters.csv, items.csv or responses.csv."
    assert only(analyze(data, study), "covariate_slope_by_source").note == words


def test_response_covariate_has_a_within_rater_slope() -> None:
    study, data = _study("length")
    data.responses["length"] = ["10", "20", "15", "40", "30"]
    report = analyze(data, study)
    slope = only(report, "covariate_slope_within_raters")
    lengths = data.ratings["response"].map(dict(zip(data.responses["response"], (10, 20, 15, 40, 30), strict=True)))
    table = data.ratings.assign(length=lengths.astype(float))
    by_rater = table.groupby("rater")[["length", "number"]]
    within = table[["length", "number"]] - by_rater.transform("mean")
    known = (within["length"] * within["number"]).sum() / (within["length"] ** 2).sum()
    assert slope.estimate == pytest.approx(known)
    assert not find(report, "covariate_slope_by_source")


def test_item_columns_and_other_questions_can_be_covariates() -> None:
    warm = {**FIVE, "key": "warm"}
    study = protocol(FIVE, warm, analysis={"covariates": ["warm", "length", "characters"]})
    rng = np.random.default_rng(6)
    rows: list[Row] = [
        {"rater": f"r{r}", "item": f"i{i}", "response": f"i{i}:{s}", "question": q, "value": int(rng.integers(1, 6))}
        for r in range(4)
        for i in range(4)
        for s in ("human", "model")
        for q in ("empathy", "warm")
    ]
    responses = [
        {"response": f"i{i}:{s}", "item": f"i{i}", "source": s, "text": "x" * (1 + i + len(s))}
        for i in range(4)
        for s in ("human", "model")
    ]
    data = frames(study, rows, responses=responses)
    data.items["length"] = ["1", "4", "2", None]
    found = find(analyze(data, study), "covariate_slope_within_raters", question="empathy")
    assert [(f.scope["covariate"], "reference" in f.scope) for f in found] == [
        (name, both) for name in ("warm", "length", "characters") for both in (False, False, True)
    ]
    assert all(f.estimate is not None for f in found)
    asked_again = find(analyze(data, study), "covariate_slope_within_raters", question="warm")
    assert "warm" not in {f.scope["covariate"] for f in asked_again}
