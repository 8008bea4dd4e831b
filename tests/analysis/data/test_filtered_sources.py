"""A report of one source alone, or of a source that does not exist: computed, and without another test in its place."""

from pathlib import Path

import pytest

from app.analysis import analyze
from app.analysis.data.filter_options import filtered_protocol
from app.analysis.data.report_filters import Filters
from app.analysis.data.study_folder import frames_of
from app.analysis.findings.summary import study_question
from app.analysis.report.primary import PrimaryResult
from app.protocol.primary_default import primary_contrasts
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import template_folder
from tests.analysis.headlines.simulated_ratings import Effect, simulate
from tests.kit.frames import CHOICE, FIVE, Row, find, frames, only, protocol

MODEL = {"kind": "model"}


@pytest.mark.parametrize(
    ("name", "source"), [("ranking", "person"), ("ranking", "no one"), ("label-experiment", "no one")]
)
def test_report_of_one_source_alone_is_computed(name: str, source: str, tmp_path: Path) -> None:
    simulate(name, tmp_path / "study", Effect(lean=lambda _question, _seen: 0.0))
    study = read_folder(tmp_path / "study")
    report = analyze(frames_of(study), study.protocol, filters=Filters(sources=(source,)))
    assert {f.scope["source"] for f in report.estimates if "source" in f.scope} <= {source}
    assert [one.estimates for one in report.primary if "preferred" in str(one.contrast.test)] in ([], [()])


def test_ratings_of_a_source_count_whichever_response_was_beside_it() -> None:
    study = protocol(FIVE, CHOICE, sources={"person": {"kind": "human"}, "one": MODEL, "two": MODEL})
    pairs = [(rater, item, model) for rater in "rs" for item in "abc" for model in ("one", "two")]
    beside = [
        {"rater": rater, "item": item, "left_response": f"{item}:person", "right_response": f"{item}:{model}"}
        for rater, item, model in pairs
    ]
    rows: list[Row] = [{**row, "question": "preference", "value": row["right_response"]} for row in beside]
    for row, (_, item, model) in zip(beside, pairs, strict=True):
        value = {"one": 2, "two": 4}[model]
        rows += [{**row, "question": "empathy", "response": f"{item}:person", "value": value}]
        rows += [{**row, "question": "empathy", "response": f"{item}:{model}", "value": value}]
    alone = analyze(frames(study, rows), study, filters=Filters(sources=("person",)))
    mean = only(alone, "mean", section="distribution", scope={"source": "person"})
    assert (mean.n_ratings, mean.estimate) == (12, 3)
    two = analyze(frames(study, rows), study, filters=Filters(sources=("person", "one")))
    assert only(two, "mean", section="distribution", scope={"source": "person"}).n_ratings == 12
    assert only(two, "mean", section="distribution", scope={"source": "one"}).n_ratings == 6
    assert {one.n_ratings for one in find(two, "share_preferred", scope={"source": "one", "reference": "person"})} == {
        6
    }


@pytest.mark.parametrize(
    "kept", [("one",), ("two", "person"), ("one", "person"), ("one", "two"), ("one", "two", "three")]
)
def test_report_without_a_source_that_a_primary_contrast_names_is_computed(kept: tuple[str, ...]) -> None:
    named = ("person", "one", "two", "three")
    study = protocol(
        FIVE,
        CHOICE,
        sources={name: {"kind": "human" if name == "person" else "model"} for name in named},
        analysis={
            "reference": "person",
            "primary": [
                {"question": "empathy", "source": "one"},
                {"question": "empathy", "source": "three", "reference": "two"},
                {"question": "preference", "source": "one"},
            ],
        },
    )
    rows: list[Row] = [
        {"rater": rater, "item": item, "response": f"{item}:{source}", "question": "empathy", "value": value}
        for rater in "rst"
        for item in "abc"
        for value, source in enumerate(named, start=1)
    ]
    report = analyze(frames(study, rows), study, filters=Filters(sources=kept))
    named_in = {one.scope.get(side) for one in report.estimates for side in ("source", "reference")}
    assert named_in <= {*kept, None}


def test_declared_contrast_of_sources_keeps_its_test_where_one_is_left() -> None:
    protocol = read_folder(template_folder("four-dimensions")).protocol
    kept = filtered_protocol(protocol, Filters(sources=("person",)))
    tests = [[one.test for one in primary_contrasts(each)] for each in (protocol, kept)]
    assert tests == [["mean_difference"], ["mean_difference"]]
    primary = [PrimaryResult(one, is_declared=True, estimates=()) for one in primary_contrasts(kept)]
    assert study_question(kept, [], primary) == "How far do raters agree on Empathy?"


def test_a_source_that_is_left_out_keeps_its_label_in_declared_contrasts() -> None:
    sources = {"a": MODEL | {"label": "GPT-4"}, "b": MODEL, "c": MODEL}
    study = protocol(
        FIVE, sources=sources, analysis={"reference": "c", "primary": [{"question": "empathy", "source": "a"}]}
    )
    kept = filtered_protocol(study, Filters(sources=("b", "c")))
    assert (kept.labels.source("a"), [*kept.sources]) == ("GPT-4", ["b", "c"])
