"""Summaries of too few data: they say what is missing, and show no number that the data cannot carry."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pydantic import ValidationError

from app.analysis import analyze
from app.analysis.data.frames import Frames
from app.analysis.data.study_folder import frames_of
from app.analysis.report.labelled import labelled
from app.protocol.study import Protocol
from app.results.charts.chart import charts_of
from app.results.pages.summary_view import Card, summary_context
from app.results.reports.outcomes import LiveReport
from app.results.snapshots.snapshots import NO_OPTIONS
from app.studies.folder.read import read_folder
from tests.analysis.headlines.seeds import recognized
from tests.analysis.headlines.simulated_ratings import Effect, simulate
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

SOURCES = {"human": {"kind": "human"}, "model": {"kind": "model"}, "third": {"kind": "model"}}
STUDY = protocol(FIVE, CHOICE, sources=SOURCES)
LONG = "Meta-Llama-3.1-405B-Instruct-Turbo with a system prompt that asks for warmth now"


def rows(n_raters: int, n_items: int = 6) -> list[Row]:
    """Ratings of two of the three sources, and a choice between them per item."""
    found: list[Row] = []
    for rater in range(n_raters):
        for item in range(n_items):
            me = {"rater": f"r{rater}", "item": f"i{item}"}
            for place, source in enumerate(("human", "model")):
                value = 1 + (rater + item * (1 + place)) % 5
                found.append({**me, "response": f"i{item}:{source}", "question": "empathy", "value": value})
            found.append({**me, "question": "preference", "value": "model" if item else "human"})
    return found


def context(given: list[Row], study: Protocol = STUDY) -> dict[str, Any]:
    return context_of(frames(study, given), study)


def context_of(given: Frames, study: Protocol) -> dict[str, Any]:
    report = analyze(given, study)
    made = LiveReport("name", datetime(2026, 5, 3, tzinfo=UTC), report, study, NO_OPTIONS)
    return summary_context(labelled(report, study.labels), made)


def shown(found: dict[str, Any]) -> list[Card]:
    """Every contrast of the page."""
    folded = found["exploratory"]
    return [*found["answered"].cards, *(folded.rows if folded else ())]


def test_one_rater_has_no_agreement_and_the_summary_says_what_it_needs() -> None:
    found = context(rows(1))
    assert found["agreement"] == []
    assert "rated by two or more people" in found["summary"].agreement_words
    assert all(one.at_equal == "–" for one in shown(found))


def test_one_rater_has_no_comparison_to_count_and_the_summary_says_why() -> None:
    """Tests on the means of items for this rater alone were counted, with a share that chance would give."""
    found = context(rows(1), protocol(FIVE, CHOICE, sources=SOURCES, analysis={"primary": ["preference"]}))
    assert found["families"] == "2 exploratory comparisons of ratings: too few items or raters to tell"
    assert "Not counted: 1 comparison with too few items or raters to tell." in found["others"]
    assert not any("p < .05" in words for words in found["others"])
    assert not set(found["others"]) & {*found["notes"], *found["more_notes"]}


def test_one_rater_who_chose_among_three_sources_leaves_only_comparisons_of_too_few(tmp_path: Path) -> None:
    simulate("ab-tie", tmp_path / "study", Effect(lean=lambda *_: 0.0, n_raters=1))
    study = read_folder(tmp_path / "study")
    found = context_of(frames_of(study), study.protocol)
    assert found["families"] == "9 other comparisons: too few items or raters to tell"


def test_items_without_a_correct_answer_are_said_to_be_left_out(tmp_path: Path) -> None:
    """Before, only a folded table of the report said so."""
    simulate("emotion-recognition", tmp_path / "study", Effect(lambda *_: 0.0, code=recognized, n_raters=8, models=1))
    items = tmp_path / "study" / "items.csv"
    table = pd.read_csv(items, dtype=str, keep_default_na=False)
    table.loc[::2, "emotion"] = ""
    table.to_csv(items, index=False)
    study = read_folder(tmp_path / "study")
    notes = context_of(frames_of(study), study.protocol)["notes"]
    assert notes[0] == "Recognized emotion: 4 of 8 items have no correct answer and are left out."


def test_warning_about_an_interval_is_an_objection_and_no_note(tmp_path: Path) -> None:
    simulate("three-point", tmp_path / "study", Effect(lambda *_: 0.0))
    study = read_folder(tmp_path / "study")
    found = context_of(frames_of(study), study.protocol)
    warned = "ne arm has only 4 raters, so the interval is wide."
    assert any(warned in objection.says for objection, _ in found["objections"])
    assert not any(warned in note for note in (*found["notes"], *found["more_notes"]))


def test_source_without_ratings_is_named_and_the_others_are_compared() -> None:
    found = context(rows(4))
    effects = [one.contrast.effect for one in shown(found)]
    assert "Third against Human: the source has no ratings" in effects
    assert any(effect.startswith("Model") for effect in effects)


def test_choice_without_answers_has_no_plot() -> None:
    found = context(rows(1)[:1], protocol(FIVE, CHOICE))
    effects = [one.contrast.effect for one in shown(found)]
    assert "Model against Human: no answers to Preference" in effects
    assert {one.contrast.label: one.plot for one in shown(found)}["Preference"] is None


def test_answers_without_variation_are_not_called_too_few() -> None:
    same = [{**row, "value": 3} for row in rows(4) if row["question"] == "empathy"]
    found = context(same, protocol(FIVE))
    assert found["summary"].agreement_words == "Agreement could not be estimated: all answers are the same."


def test_chart_says_in_short_that_there_is_no_interval() -> None:
    """The reason was cut at the margin."""
    same = [{**row, "value": 3} for row in rows(4) if row["question"] == "empathy"]
    study = protocol(FIVE)
    chart = next(one for one in charts_of(analyze(frames(study, same), study), study) if one.key == "comparison")
    assert "0.00 (no interval)" in str(chart.spec())


def test_clear_difference_says_by_which_rule_it_is_highlighted() -> None:
    apart = [
        {**row, "value": 5 if "model" in row["response"] else 1 + n % 2}
        for n, row in enumerate(rows(6))
        if "response" in row
    ]
    found = context(apart, protocol(FIVE, analysis={"primary": ["empathy"]}))
    assert [one.reading for one in found["answered"].cards] == ["Clear: p < .05."]


def test_effect_of_a_source_named_from_right_to_left_is_read_from_left_to_right() -> None:
    named = {**SOURCES, "model": {"kind": "model", "label": "نموذج"}, "human": {"kind": "human", "label": "مستشار"}}
    found = shown(context(rows(4), protocol(FIVE, CHOICE, sources=named)))
    rated = [one.contrast.effect for one in found if one.contrast.key == "empathy"]
    assert any(effect.startswith("\u200e\u2068نموذج\u2069 ") for effect in rated)
    plots = [one.plot for one in found if one.plot]
    said = [mark.words for plot in plots for mark in plot.marks]
    said += [segment.words for plot in plots for segment in plot.segments]
    assert all(words.startswith(("\u200e\u2068", "Third", "tie")) for words in said)


def test_label_may_be_long_but_not_too_long() -> None:
    assert len(LONG) == 80
    with pytest.raises(ValidationError, match="at most 80 characters"):
        protocol(FIVE, sources={"human": {"kind": "human"}, "model": {"kind": "model", "label": f"{LONG}!"}})


def test_long_labels_are_whole_in_tables_and_findings_and_cut_in_pictures() -> None:
    words = {n: f"{n} {'very ' * 20}warm" for n in range(1, 6)}
    asked = {**FIVE, "label": LONG, "scale": words}
    study = protocol(
        asked,
        {**asked, "key": "other", "label": "Other"},
        sources={**SOURCES, "model": {"kind": "model", "label": LONG}},
    )
    given = [row for row in rows(4) if row["question"] == "empathy"]
    given += [{**row, "question": "other"} for row in given]
    charts = {chart.key: chart for chart in charts_of(analyze(frames(study, given), study), study)}
    plane = charts["plane"].spec()
    assert plane is not None
    assert all(layer["mark"]["type"] != "text" for layer in plane["layer"])
    assert plane["layer"][0]["encoding"]["color"]["legend"] is not None
    title = plane["layer"][0]["encoding"]["x"]["title"]
    assert " ".join(title) == LONG
    assert max(map(len, title)) <= 40
    assert LONG in [row[0] for row in charts["plane"].table.rows]
    assert LONG in charts["plane"].finding
    bar = charts["distribution-1"].spec()
    assert "'columns': 1" in str(bar)
