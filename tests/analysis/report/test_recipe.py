"""The recipe of an estimate reproduces it."""

import json
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import pandas as pd
import pytest

from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.analysis.estimate import Estimate, Scope
from app.analysis.report.recipe import filter_of, software
from app.analysis.report.recompute import again
from app.analysis.report.report import Report
from app.stats.comparison.bootstrap import share_at_least_ratio
from app.studies.folder.read import read_folder
from tests.kit.frames import FIVE, Row, first, frames, protocol
from tests.real_data.ayers import write_ayers

BOTH = {"source": "chatgpt", "reference": "physician"}


def _small(value: int = 3) -> list[Row]:
    return [
        {"rater": r, "item": f"i{i}", "response": f"i{i}:{s}", "question": "empathy", "value": (ord(r) + i * v) % 5 + 1}
        for r in "abc"
        for i in range(4)
        for v, s in ((value, "human"), (value + 1, "model"))
    ]


def test_every_estimate_has_a_complete_recipe(ayers: Report) -> None:
    for estimate in ayers.estimates:
        assert set(estimate.recipe) == {"data", "answers", "filter", "formula", "seed", "software"}
        assert estimate.recipe["data"] == ayers.data_hash[:16]
        assert (estimate.recipe["seed"] is not None) == (
            estimate.method.startswith(("bootstrap", "pigeonhole")) and estimate.ci_low is not None
        )


def test_recipe_followed_by_hand_reproduces_estimate(ayers: Report, tmp_path: Path, shared: Path) -> None:
    """The filter as pandas reads it; the seed and the formula as documented."""
    folder = write_ayers(tmp_path, shared)
    ratings = pd.read_csv(folder / "ratings.csv", dtype=str, keep_default_na=False)
    ratings["source"] = ratings["response"].str.rpartition(":")[2]
    estimate = first(ayers, "share_at_least_ratio", question="empathy")
    assert estimate.recipe["filter"] == (
        "question = empathy and rater kind = person and source in (chatgpt, physician)"
        " and exclude is empty and repeat = 0"
    )
    rows = ratings[(ratings["question"] == "empathy") & ratings["source"].isin(["chatgpt", "physician"])]
    value = rows["value"].to_numpy(dtype=np.float64)
    made = share_at_least_ratio(
        value,
        (rows["source"] == "chatgpt").to_numpy(),
        estimate.scope["cut"],
        item=rows["item"].to_numpy(),
        rater=rows["rater"].to_numpy(),
        seed=estimate.recipe["seed"],
    )
    assert made.interval is not None
    assert (made.estimate, made.interval.low, made.interval.high) == (
        estimate.estimate,
        estimate.ci_low,
        estimate.ci_high,
    )


def test_every_section_is_reproduced_exactly_from_records(ayers: Report, tmp_path: Path, shared: Path) -> None:
    study = read_folder(write_ayers(tmp_path, shared))
    text = json.dumps([next(f for f in ayers.estimates if f.section == one).as_record() for one in ayers.sections])
    records: list[dict[str, Any]] = json.loads(text)
    made = analyze(frames_of(study), study.protocol)
    for record in records:
        assert record in [json.loads(json.dumps(estimate.as_record())) for estimate in made.of(record["section"])]


def test_altered_record_is_reported_as_different() -> None:
    study = protocol(FIVE)
    small = frames(study, _small())
    record = first(analyze(small, study), "mean_difference").as_record()
    made = again(small, study, record)
    assert made.differences == ()
    assert made.estimate is not None
    assert made.estimate.as_record() == record
    wrong = again(small, study, {**record, "estimate": 9.0})
    assert wrong.differences == (f"estimate: 9.0 in the record, {record['estimate']} now",)


def test_different_data_are_detected_by_hash() -> None:
    study = protocol(FIVE)
    record = first(analyze(frames(study, _small()), study), "mean", scope={"source": "human"}).as_record()
    other = again(frames(study, _small(4)), study, record)
    assert {line.partition(":")[0] for line in other.differences} >= {"estimate", "data", "answers"}


def test_record_not_estimable_from_these_data_is_reported() -> None:
    study = protocol(FIVE)
    record = first(analyze(frames(study, _small()), study), "mean_difference").as_record()
    alone = protocol(FIVE, sources={"human": {"kind": "human"}})
    made = again(frames(alone, [row for row in _small() if row["response"].endswith("human")]), alone, record)
    assert made.estimate is None
    assert made.differences[0] == "these data do not give this estimate"
    assert made.differences[1].startswith("data: ")


@pytest.mark.parametrize("record", [{}, {"recipe": {}}, {"recipe": "none", "section": "choice"}])
def test_invalid_record_is_rejected(record: dict[str, Any]) -> None:
    study = protocol(FIVE)
    with pytest.raises(ValueError, match=r"a record of report\.json"):
        again(frames(study, []), study, record)


def test_full_report_is_reproduced_as_full() -> None:
    study = protocol(FIVE)
    small = frames(study, _small())
    record = first(analyze(small, study, full=True), "mean").as_record()
    assert record["recipe"]["full"] is True
    assert again(small, study, record).differences == ()


def test_recipe_filter_describes_rows_in_words() -> None:
    def of(section: str, statistic: str = "mean", question: str | None = "q", **scope: Unpack[Scope]) -> str:
        return filter_of(Estimate(section, question, scope, statistic, 1.0, category="code"))

    assert of("text", question=None, source="human", covariate="words") == "responses.csv and source = human"
    assert of("judge", rater_kind="model", raters=["gpt"]) == (
        "question = q and raters of both kinds and rater in (gpt) and exclude is empty"
    )
    assert of("rater", "intra_rater_kappa", "q", flagged="left_out", pool="crowd", condition="a=b") == (
        "question = q and rater kind = person and pool = crowd and condition = a=b and rater is not flagged"
        " and exclude is empty"
    )


def test_software_names_numerical_libraries() -> None:
    assert f"numpy {np.__version__}" in software()
