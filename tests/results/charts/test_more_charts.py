"""Charts of agreement, judges, conditions, turns, raters and pairs of sources: from estimates to drawings."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast
from xml.etree import ElementTree as ET

import pytest

from app.analysis import analyze
from app.analysis.document.findings import PlacedFigure, first_figures
from app.analysis.estimate import Estimate, Scope
from app.analysis.report.primary import PrimaryResult
from app.analysis.report.report import Report
from app.base.documents.blocks import Figure
from app.base.numbers import MINUS
from app.protocol.primary import PrimaryContrast
from app.protocol.study import Protocol
from app.results.charts.agreement import rater_pairs_spec
from app.results.charts.chart import Chart, charts_of
from app.results.charts.distribution import ROW_HEIGHT, distribution_spec
from app.results.charts.forest import forest_spec
from app.results.charts.lines import Place, lines_spec
from app.results.charts.page import LINES, WIDTHS, Size, untitled
from app.results.charts.plane import plane_spec
from app.results.charts.primary import primary_finding, primary_spec
from app.results.charts.render import render
from app.results.charts.straight_lining import straight_lining_finding, straight_lining_spec
from app.results.charts.theme import Theme
from app.results.documents.report_files import MAX_HEIGHT
from tests.kit.frames import CHOICE, FIVE, Row, frames, protocol

STUDY = protocol(
    FIVE,
    {**FIVE, "key": "warmth"},
    CHOICE,
    sources={"human": {"kind": "human"}, "a": {"kind": "model"}, "b": {"kind": "model"}},
)


def one(section: str, statistic: str, value: float | None, **scope: Any) -> Estimate:  # noqa: ANN401 - any scope
    low, high = (None, None) if value is None else (value - 0.1, value + 0.1)
    question, n = scope.pop("question", "empathy"), scope.pop("n", 9)
    at = cast("Scope", scope)
    return Estimate(section, question, at, statistic, value, low, high, 0.95, n_ratings=n)


def pairs(raters: list[str], cells: dict[tuple[str, str], tuple[float | None, int]]) -> Estimate:
    detail = {"raters": raters, "cells": cells, "n_raters": len(raters)}
    return Estimate("disagreement", "empathy", {}, "pair_kappa_median", 0.5, detail=detail)


KINDS: dict[str, list[Estimate]] = {
    "agreement": [
        one("agreement", "krippendorff_alpha_ordinal", 0.3),
        one("agreement", "krippendorff_alpha_ordinal", 0.2, source="human"),
        one("agreement", "krippendorff_alpha_ordinal", 0.6, rater_kind="model"),
        one("agreement", "krippendorff_alpha_ordinal", None, source="a"),
    ],
    "judges": [
        one("judge", "judge_correlation", 0.7, rater_kind="model", raters=["gpt"]),
        one("judge", "ceiling_correlation", 0.6, rater_kind="model", raters=["gpt"]),
    ],
    "shown-label-1": [
        one("subgroup", "mean", 3.0, shown_label="By a person", source="human"),
        one("subgroup", "mean", 3.5, shown_label="By an AI", source="human"),
        one("subgroup", "interaction", 0.4, shown_label="By an AI", source="a", reference="human"),
    ],
    "turns-1": [one("contrast", "mean", 2.0 + turn, turn=turn, source="human") for turn in (1, 2, 3)],
    "pairs-1": [pairs(["ann", "ben"], {("ann", "ben"): (0.5, 9)})],
    "pace": [
        one("rater", "median_seconds", 12.0, question=None, raters=["ann"]),
        one("rater", "modal_share", 0.9, raters=["ann"]),
    ],
    "win-matrix-1": [
        one("choice", "share_preferred", 0.7, question="preference", source="a", reference="human"),
        one("choice", "share_preferred", 0.6, question="preference", source="b", reference="human"),
        one("choice", "share_preferred", 0.2, question="preference", source="b", reference="a"),
        one("choice", "bt_strength", 0.0, question="preference", source="human", reference="human"),
        one("choice", "bt_strength", 0.9, question="preference", source="a", reference="human"),
        one("choice", "bt_strength", 0.1, question="preference", source="b", reference="human"),
    ],
    "plane": [
        one("distribution", "mean", 3.0, source="human"),
        one("distribution", "mean", 4.0, source="a"),
        one("distribution", "mean", 2.0, source="human", question="warmth"),
        one("distribution", "mean", 2.5, source="a", question="warmth"),
    ],
}
FINDINGS = {
    "agreement": "Krippendorff's alpha is 0.30 (Empathy)",
    "judges": "gpt: not tested: too few units rated by both.",
    "shown-label-1": "changes by 0.40 points under By an AI (95% CI 0.30 to 0.50)",
    "turns-1": "Human from 3.00 at turn 1 to 5.00 at turn 3",
    "pairs-1": "Least agreement: ann and ben, 0.50",
    "pace": "12.00 to 12.00 seconds per trial",
    "win-matrix-1": "A is the strongest source and was preferred over Human, the weakest, in 70.0%",
    "plane": "Mean Empathy and Warmth: Human 3.00 and 2.00; A 4.00 and 2.50",
}


def chart_of(key: str) -> Chart:
    report = Report("small", "0" * 64, (), tuple(KINDS[key]))
    return next(chart for chart in charts_of(report, STUDY) if chart.key == key)


def test_pairs_of_raters_count_nothing_else() -> None:
    of_item = one("disagreement", "unit_disagreement", 0.5, subgroup={"item": "i1"})
    report = Report("small", "0" * 64, (), (*KINDS["pairs-1"], of_item))
    chart = next(chart for chart in charts_of(report, STUDY) if chart.key == "pairs-1")
    assert list(chart.estimates) == KINDS["pairs-1"]


def test_questions_with_one_wording_have_their_labels_in_titles() -> None:
    keys = ("before", "after")
    moods = [{**FIVE, "key": key, "target": "rater", "label": f"Mood {key}"} for key in keys]
    means = tuple(one("distribution", "mean", 3.0, question=key) for key in keys)
    report = Report("small", "0" * 64, (), means)
    titles = [chart.title for chart in charts_of(report, protocol(*moods)) if chart.key.startswith("distribution")]
    assert titles == [f"Mood {key}: {FIVE['text']}" for key in keys]


@pytest.mark.parametrize("key", KINDS)
def test_chart_has_finding_and_complete_table(key: str) -> None:
    chart = chart_of(key)
    assert FINDINGS[key] in chart.finding
    assert chart.table.rows
    assert all(len(row) == len(chart.table.header) for row in chart.table.rows)


def is_as_wide_with_letters_of_11_pixels(chart: Chart, size: Size, theme: Theme = "light") -> bool:
    """Whether a page can show the picture of a chart without making it smaller."""
    spec = chart.spec(theme, WIDTHS[size])
    assert spec is not None
    drawn = render(untitled(spec, LINES[size]), "svg").decode()
    letters = [float(found) for found in re.findall(r'font-size="([\d.]+)px"', drawn)]
    (width,) = re.findall(r'<svg [^>]*?width="([\d.]+)"', drawn)
    return float(width) == WIDTHS[size] and min(letters) >= 11


@pytest.mark.parametrize("key", KINDS)
def test_chart_is_as_wide_as_a_phone_and_as_a_column(key: str) -> None:
    """At their natural width of up to 656 pixels, the charts of a phone had letters of 6 pixels."""
    assert is_as_wide_with_letters_of_11_pixels(chart_of(key), "narrow")
    assert is_as_wide_with_letters_of_11_pixels(chart_of(key), "wide", "dark")


def test_two_sources_have_no_win_matrix() -> None:
    report = Report("small", "0" * 64, (), tuple(KINDS["win-matrix-1"][:1]))
    assert "win-matrix-1" not in [chart.key for chart in charts_of(report, STUDY)]


def test_undefined_estimates_are_not_drawn_and_table_says_why() -> None:
    report = Report("small", "0" * 64, (), (one("agreement", "krippendorff_alpha_ordinal", None),))
    (chart,) = charts_of(report, STUDY)
    assert not chart.is_drawn
    assert chart.finding == "Agreement could not be estimated."
    assert chart.table.rows[0][3] == "not estimable"


def test_heat_map_of_many_raters_has_no_numbers() -> None:
    names = [f"rater-{k}" for k in range(20)]
    cells: dict[tuple[str, str], tuple[float | None, int]] = dict.fromkeys(pairwise(names), (0.5, 9))
    cells[names[0], names[1]] = (-0.2, 9)
    few, many = (rater_pairs_spec([pairs(some, cells)], title="Pairs", width=480) for some in (names[:3], names))
    assert few is not None
    assert many is not None
    assert [chart["layer"][1]["encoding"]["text"]["field"] for chart in (few, many)] == ["words", "sign"]
    # what the colour says, in grey print too
    assert {row["sign"] for row in many["data"]["values"] if row["kappa"] >= 0} <= {""}
    assert {row["sign"] for row in many["data"]["values"] if row["kappa"] < 0} == {"−"}


def test_charts_of_primary_questions_come_first_and_those_about_raters_last() -> None:
    mood = {**FIVE, "key": "mood", "target": "rater"}
    warmth = {**FIVE, "key": "warmth"}
    study = protocol(mood, FIVE, warmth, analysis={"primary": ["warmth"]})
    rows = [
        {
            "rater": f"r{rater}",
            "item": "i",
            "response": f"i:{source}",
            "question": key,
            "value": 1 + (rater + place) % 5,
        }
        for rater in range(4)
        for place, source in enumerate(("human", "model"))
        for key in ("empathy", "warmth")
    ]
    rows += [{"rater": f"r{rater}", "question": "mood", "value": 1 + rater} for rater in range(4)]
    found = charts_of(analyze(frames(study, rows), study), study)
    asked = [chart.question for chart in found if chart.key.startswith("distribution")]
    assert asked == [None, "mood"]
    rated = next(chart for chart in found if chart.key == "distribution-1")
    assert [*dict.fromkeys(row[0] for row in rated.table.rows)] == ["Warmth", "Empathy"]


def test_rows_of_primary_questions_come_first() -> None:
    study = protocol(FIVE, {**FIVE, "key": "warmth"}, analysis={"primary": ["warmth"]})
    alphas = (one("agreement", "krippendorff_alpha_ordinal", 0.3, question=name) for name in ("empathy", "warmth"))
    chart = next(iter(charts_of(Report("small", "0" * 64, (), tuple(alphas)), study)))
    assert [row[0] for row in chart.table.rows] == ["Warmth", "Empathy"]


@pytest.mark.parametrize(
    ("primary", "places"),
    [
        ("warmth", ["appendix", "appendix", "body", "appendix"]),
        ("felt", ["body", "appendix", "body", "appendix"]),
    ],
)
def test_conditions_of_primary_questions_are_shown_in_the_body(primary: str, places: list[str]) -> None:
    """They were all in the appendix, because the beginning of no key was the one that was looked for."""
    felt = {"felt": {"questions": ["empathy", "warmth"], "label": "Felt"}}
    two = (FIVE, {**FIVE, "key": "warmth", "label": "Warmth"})
    study = protocol(*two, analysis={"primary": [primary], "composites": felt})
    of_each = [
        one("subgroup", "mean", 3.0, question=name, source="human", **split)
        for name in ("empathy", "warmth")
        for split in ({"shown_label": "By a person"}, {"condition": "label=ai"})
    ]
    charts = charts_of(Report("small", "0" * 64, (), tuple(of_each)), study)
    at = {chart.key: chart.place for chart in charts}
    assert [at[key] for key in ("shown-label-1", "condition-1", "shown-label-2", "condition-2")] == places


def test_labels_of_many_long_sources_are_whole_and_apart() -> None:
    """The label of a row ends with its source, which was cut off; names of points lay on each other."""
    sources = ["GPT-4 (few-shot)", "Llama-2-13b-chat", "Gemini-1.0-Pro (safety filters off)", "Mixtral-8x7B-Instruct"]
    differences = [
        replace(
            one("comparison", "mean_difference", 0.1 * n, source=source, reference="Human"),
            question="A long label " * 4,
        )
        for n, source in enumerate(sources)
    ]
    drawn = json.dumps(forest_spec(differences, title="Mean differences"))
    for source in sources:
        assert source in drawn
    means = [
        one("distribution", "mean", 2.0 + n, question=question, source=source)
        for question in ("empathy", "warmth")
        for n, source in enumerate(sources)
    ]
    few, many = (plane_spec(part, title="Plane") for part in ([means[0], means[1], means[4], means[5]], means))
    assert few is not None
    assert many is not None
    for spec in (few, many):
        assert [layer["mark"]["type"] for layer in spec["layer"]] == ["rule", "rule", "point"]
        assert spec["layer"][0]["encoding"]["color"]["legend"]["symbolOpacity"]
    assert many["layer"][0]["encoding"]["color"]["legend"]["columns"]


def test_two_long_sources_of_a_declared_pair_take_a_line_each() -> None:
    """The second of them was cut off in print."""
    pairs_of = [("Model, guided prompt", "Model, plain prompt"), ("Model, guided prompt", "Peer")]
    found = [one("comparison", "mean_difference", 0.5, source=source, reference=other) for source, other in pairs_of]
    spec = json.dumps(forest_spec(found, title="Mean differences", width=640), ensure_ascii=False)
    assert f'guided prompt {MINUS}\\", \\"Model, plain prompt\\"]' in spec.replace("\\\\u2212", MINUS)


def test_plane_spans_both_scales_and_says_where_there_are_no_intervals() -> None:
    """Its axes were zoomed to the means, and it said that means without intervals had some."""
    spec = chart_of("plane").spec()
    assert spec is not None
    x, y = (spec["layer"][0]["encoding"]["x"], spec["layer"][1]["encoding"]["y"])
    assert [axis["scale"]["domain"] for axis in (x, y)] == [[1, 5], [1, 5]]
    assert spec["title"]["subtitle"] == ["Means with 95% CIs"]
    bare = [replace(mean, ci_low=None, ci_high=None, ci_reason="one_cluster") for mean in KINDS["plane"]]
    assert "95% CI" not in json.dumps(plane_spec(bare, title="Plane"))


@pytest.mark.parametrize("key", ["shown-label-1", "turns-1"])
def test_charts_of_means_count_what_they_draw(key: str) -> None:
    """Captions counted every subgroup and slope of the question: "from 65 to 597 ratings" for means of 148 to 150."""
    others = [
        one("subgroup", "mean", 3.0, subgroup={"topic": "work"}, source="human"),
        one("contrast", "turn_slope", 0.1, source="human"),
    ]
    report = Report("small", "0" * 64, (), (*KINDS[key], *others))
    chart = next(chart for chart in charts_of(report, STUDY) if chart.key == key)
    assert {estimate.statistic for estimate in chart.estimates} == {"mean"}
    assert all("subgroup" not in estimate.scope for estimate in chart.estimates)


def test_no_chart_crosses_sources_with_conditions_that_are_sources() -> None:
    """Where raters read one source each, half of the means of "condition by source" cannot exist."""
    of_arms = [
        one("subgroup", "mean", value, condition=f"writer={arm}", source=source)
        for arm, source, value in (("human", "human", 3.0), ("a", "a", 4.0), ("human", "a", None), ("a", "human", None))
    ]
    assert not charts_of(Report("small", "0" * 64, (), tuple(of_arms)), STUDY)


def test_words_below_four_conditions_are_whole_on_a_phone() -> None:
    """Four conditions have 52 pixels each: words of more than eight letters were cut in two."""
    names = ("Responsibility acknowledged", "Responsibility denied", "Apology", "No explanation")
    places = [Place(name, k, "Human", one("subgroup", "mean", 3.0)) for k, name in enumerate(names)]
    spec = lines_spec(places, x="Condition", y="Mean", title="", theme="light", width=300, is_ordered=False)
    assert spec is not None
    drawn = render({**spec, "autosize": {"type": "fit-x", "contains": "padding"}}, "svg").decode()
    for word in " ".join(names).split():
        assert re.search(rf">[^<]*\b{word}\b", drawn), word


def test_time_chart_says_which_raters_it_shows() -> None:
    shown = [
        one("rater", "median_seconds", 12.0, question=None, raters=["ann"]),
        one("rater", "modal_share", 0.9, raters=["ann"]),
    ]
    every = replace(one("rater", "flagged_share", 0.01, question=None), n_units=300)
    assert straight_lining_finding([*shown, every]).endswith("3 of 300 raters flagged.")
    drawn = straight_lining_spec([*shown, every], title="Time")
    assert drawn is not None
    assert "1 of 300 raters: flagged, and with most trials" in " ".join(drawn["title"]["subtitle"])


SLIDER: dict[str, Any] = {"key": "warm", "target": "response", "type": "slider", "text": "Warm?", "min": 0, "max": 100}


def three_sources(**analysis: object) -> tuple[Protocol, Report]:
    """A rating from 1 to 5 and a slider from 0 to 100 of the responses of a person and two models."""
    sources = {"human": {"kind": "human"}, "a": {"kind": "model"}, "b": {"kind": "model"}}
    study = protocol(FIVE, SLIDER, sources=sources, analysis=analysis)
    points = [
        (f"r{rater}", f"i{item}", source, 1 + (item * 3 + rater * 2 + place * 4) % 5)
        for rater in range(4)
        for item in range(6)
        for place, source in enumerate(sources)
    ]
    rows = [
        {"rater": rater, "item": item, "response": f"{item}:{source}", "question": key, "value": value}
        for rater, item, source, point in points
        for key, value in (("empathy", point), ("warm", 25 * (point - 1)))
    ]
    return study, analyze(frames(study, rows), study)


def forest_of(study: Protocol, report: Report) -> tuple[Chart, list[dict[str, Any]], str]:
    (chart,) = [chart for chart in charts_of(report, study) if chart.key == "comparison"]
    spec = chart.spec()
    assert spec is not None
    (known,) = [rows for rows in spec["datasets"].values() if "estimate" in rows[0]]
    return chart, known, json.dumps(spec)


def test_differences_on_unlike_scales_are_drawn_as_parts_of_their_scales() -> None:
    """A difference of 1 point of 1 to 5 and one of 25 of 0 to 100 are equally large."""
    _, rows, drawn = forest_of(*three_sources(margin={"empathy": 1.0, "warm": 25.0}))
    assert "Mean difference in percent of the width of the scale" in drawn
    # The numbers beside the marks are in other units than the axis, and nothing said so.
    assert "Values: points of each scale" in " ".join(json.loads(drawn)["title"]["subtitle"])
    assert [row["estimate"] for row in rows[:2]] == pytest.approx([row["estimate"] for row in rows[2:]])
    assert {(row["margin_low"], row["margin_high"]) for row in rows} == {(-25.0, 25.0)}
    assert len({row["text"] for row in rows}) == 4


def test_differences_on_one_scale_are_drawn_in_points() -> None:
    study, report = three_sources()
    (chart,) = [chart for chart in charts_of(report, study) if chart.key == "comparison"]
    own = [estimate for estimate in chart.estimates if estimate.measured == study.labels.question("empathy")]
    assert "Mean difference in points of the scale" in json.dumps(forest_spec(own, title="Mean differences"))


@pytest.mark.parametrize("pair", [("b", "a"), ("a", "b")])
def test_declared_pair_without_the_reference_has_a_row(pair: tuple[str, str]) -> None:
    source, reference = pair
    contrast = {"question": "empathy", "test": "mean_difference", "source": source, "reference": reference}
    study, report = three_sources(primary=[contrast])
    chart, rows, drawn = forest_of(study, report)
    assert len(rows) == 5
    names = {study.labels.source(name) for name in pair}
    assert any(set(row[0].partition(": ")[2].split(f" {MINUS} ")) == names for row in chart.table.rows)
    assert "Differences as named" in drawn


def _of_questions(label: str = "Empathy", names: dict[str, Any] | None = None) -> dict[str, Chart]:
    others = {**FIVE, "key": "warmth", "scale": {1: "cold", 2: "b", 3: "c", 4: "d", 5: "warm"}}
    study = protocol(
        {**FIVE, "label": label}, others, {**CHOICE, "tie": True}, analysis={"primary": ["warmth"]}, sources=names
    )
    rows: list[Row] = [
        {
            "rater": f"r{rater}",
            "item": f"i{item}",
            "response": f"i{item}:{source}",
            "question": key,
            "value": 1 + (rater * item + place) % 5,
        }
        for rater in range(4)
        for item in range(5)
        for place, source in enumerate(("human", "model"))
        for key in ("empathy", "warmth")
    ]
    rows += [
        {"rater": f"r{rater}", "item": f"i{item}", "question": "preference", "value": value}
        for rater in range(4)
        for item, value in enumerate(("human", "model", "model", "tie", "human"))
    ]
    return {chart.key: chart for chart in charts_of(analyze(frames(study, rows), study), study)}


def test_questions_of_as_many_points_share_one_chart_with_one_legend() -> None:
    charts = _of_questions()
    assert [key for key in charts if key.startswith("distribution")] == ["distribution-1"]
    spec = charts["distribution-1"].spec()
    assert spec is not None
    (legend,) = {str(layer["encoding"]["color"]["scale"]["domain"]) for layer in spec["layer"] if _has_legend(layer)}
    assert legend == "['1 (lowest)', '2', '3', '4', '5 (highest)']"
    assert charts["distribution-1"].table.header[:2] == ("Question", "Source")


def _has_legend(layer: dict[str, Any]) -> bool:
    return bool(layer["encoding"].get("color", {}).get("legend"))


def test_primary_differences_stand_apart_from_exploratory_ones() -> None:
    spec = _of_questions()["comparison"].spec()
    assert spec is not None
    assert '["Primary"], ["Warmth"], ["Exploratory"], ["Empathy"]' in str(spec)
    rows = next(rows for rows in spec["datasets"].values() if "ink" in rows[0]) if "datasets" in spec else None
    found = rows or next(layer["data"]["values"] for layer in spec["layer"] if "ink" in layer["data"]["values"][0])
    assert [row["k"] for row in found] == [1, 3]


def test_difference_is_highlighted_by_one_rule_which_is_said() -> None:
    """Primary differences were blue although unclear, where blue means clear on the summary and in other charts."""
    chart = _of_questions()["comparison"]
    of_warmth = tuple(replace(one, verdict="clear" if one.measured == "Warmth" else None) for one in chart.estimates)
    spec = replace(chart, estimates=of_warmth).spec()
    assert spec is not None
    found = re.findall(r"'ink': '(#\w+)', 'fill': '(#?\w+)'", str(spec))
    assert [fill == ink for ink, fill in found] == [True, False]
    assert found[1][1] == "transparent"
    assert "Filled, blue: clear, " in chart.caption


def test_chart_of_the_ratings_of_26_sources_fits_on_a_page() -> None:
    detail = {"counts": [1, 2, 3], "words": ["1", "2", "3"]}
    bars = [
        Estimate("distribution", "care", {"source": f"s{n}"}, "median", 2.0, n_ratings=6, detail=detail)
        for n in range(26)
    ]
    spec = distribution_spec(bars, title="Ratings")
    assert spec
    assert spec["height"] <= MAX_HEIGHT
    short = distribution_spec(bars[:3], title="Ratings")
    assert short
    assert short["height"] == 3 * ROW_HEIGHT


def test_legend_that_takes_two_rows_in_print_is_not_cut() -> None:
    names = {
        "fallback": {"kind": "model", "label": "Baseline model"},
        "human": {"kind": "human", "label": "Human reference"},
    }
    study = protocol({**CHOICE, "tie": True}, sources=names, analysis={"reference": "fallback"})
    chosen = ("human", "fallback", "tie")
    rows: list[Row] = [
        {"rater": rater, "item": f"i{n}", "question": "preference", "value": chosen[(n + k) % 3]}
        for k, rater in enumerate("ab")
        for n in range(6)
    ]
    chart = next(one for one in charts_of(analyze(frames(study, rows), study), study) if one.key == "choice-1")
    drawn = render({**(chart.spec() or {}), "title": None}, "svg").decode()
    top = float(re.findall(r"translate\([-\d.]+,([-\d.]+)\)", drawn)[0])
    legend = float(re.findall(r'role-legend".*?translate\([-\d.]+,([-\d.]+)\)', drawn, flags=re.DOTALL)[0])
    assert "Baseline model preferred" in drawn
    assert top + legend >= 0


def placed_texts(node: ET.Element, left: float = 0.0) -> Iterator[tuple[str, float]]:
    """The texts of a picture, with the pixels between its left edge and their begin."""
    moved = re.match(r"translate\(([-\d.]+)", node.get("transform", ""))
    at = left + (float(moved[1]) if moved else 0.0)
    if node.text and node.text.strip():
        yield node.text, at
    for child in node:
        yield from placed_texts(child, at)


@pytest.mark.parametrize("width", [640, *WIDTHS.values()])
def test_every_point_of_a_long_scale_is_in_the_legend(width: int) -> None:
    """Of seven points in words, a printed page showed the first four, and cut the fifth."""
    points = ("Strongly disagree", "Disagree", "Somewhat disagree", "Neither", "Somewhat agree", "Agree", "Agree fully")
    asked = ({**FIVE, "key": key, "scale": dict(enumerate(points, start=1))} for key in ("warm", "kind"))
    study = protocol(*asked)
    rows: list[Row] = [
        {"rater": "r", "item": f"i{n}", "response": f"i{n}:{source}", "question": key, "value": 1 + n % 7}
        for n in range(14)
        for source in ("human", "model")
        for key in ("warm", "kind")
    ]
    chart = next(one for one in charts_of(analyze(frames(study, rows), study), study) if "distribution" in one.key)
    drawn = ET.fromstring(render({**(chart.spec(width=width) or {}), "title": None}, "svg").decode())  # noqa: S314 - our own picture
    texts = dict(placed_texts(drawn))
    for value, words in enumerate(points, start=1):
        assert texts[f"{value} {words}"] + 6 * len(f"{value} {words}") <= float(drawn.get("width", "0")) <= width + 1


def test_names_with_commas_are_joined_as_they_are_above_the_marks_of_a_phone() -> None:
    """A comma was written where a name had been broken: "Guarded − Model,, plain prompt", "Model, against Human"."""
    names = {"human": {"kind": "human", "label": "Model, plain prompt"}, "model": {"kind": "model", "label": "Guarded"}}
    sources = {"source": "Model, guarded prompt", "reference": "Model, plain prompt"}
    slope = one("contrast", "turn_slope", 0.1, **sources)
    drawn = primary_spec([slope], title="", width=WIDTHS["narrow"])
    chosen = _of_questions("empathy", names)["choice-1"].spec(width=WIDTHS["narrow"])
    said, share = (" ".join(re.findall(r">([^<>]+)<", render(spec or {}, "svg").decode())) for spec in (drawn, chosen))
    assert f"Model, guarded prompt {MINUS} Model, plain prompt" in said
    assert "Guarded against Model, plain prompt, " in share


@pytest.mark.parametrize(
    ("parts", "legend", "n_filled"),
    [
        ({"p_value": 0.3, "verdict": "inconclusive"}, "Filled, blue: clear, p < .05", 0),
        ({"p_value": 0.01, "p_adjusted": 0.02, "verdict": "clear"}, "Filled, blue: clear, adjusted p < .05", 1),
        ({"verdict": "inconclusive"}, "Filled, blue: clear, the 95% CI is on one side of no difference", 0),
        ({}, "", 1),
    ],
)
def test_primary_effect_is_filled_only_if_it_is_clear(parts: dict[str, Any], legend: str, n_filled: int) -> None:
    """Inconclusive effects were filled and blue, which is what the chart of differences beside it calls clear."""
    slope = replace(one("contrast", "turn_slope_difference", 0.01, source="model", reference="human"), **parts)
    spec = primary_spec([slope], title="Primary") or {}
    assert legend in " ".join(spec["title"]["subtitle"])
    assert ("Filled" in str(spec["title"])) is bool(legend)
    (rows,) = [rows for rows in spec["datasets"].values() if "estimate" in rows[0]]
    assert sum(row["fill"] != "transparent" for row in rows) == n_filled


def test_margin_that_is_met_is_filled_and_its_interval_named() -> None:
    """Intervals of 90% were called 95% CIs."""
    scope = {"source": "model", "reference": "human"}
    met = replace(one("comparison", "equivalence", 0.01, **scope), p_value=0.001, verdict="equivalent", ci_level=0.9)
    missed = replace(met, p_value=0.3, verdict="not_shown")
    spec = primary_spec([met, missed], title="Primary") or {}
    subtitle = " ".join(spec["title"]["subtitle"])
    assert "Estimates with 90% CIs" in subtitle
    assert "Filled, blue: margin met, p < .05" in subtitle
    (rows,) = [rows for rows in spec["datasets"].values() if "estimate" in rows[0]]
    assert [row["fill"] != "transparent" for row in rows] == [True, False]
    assert primary_finding([met]).startswith("Estimates with 90% CIs.")


def test_chart_with_labels_of_80_characters_is_as_wide_as_a_phone() -> None:
    names = {name: {"kind": name, "label": f"The {name} " + "long label " * 6} for name in ("human", "model")}
    charts = _of_questions("How much the reader feels " + "understood " * 4, names)
    for key in ("comparison", "distribution-1", "agreement", "choice-1", "specifications-1"):
        assert is_as_wide_with_letters_of_11_pixels(charts[key], "narrow"), key
    assert is_as_wide_with_letters_of_11_pixels(charts["comparison"], "full")


@pytest.mark.parametrize("width", [640, *WIDTHS.values()])
def test_labels_of_80_letters_without_a_space_are_whole(width: int) -> None:
    """They were cut after 34 letters, where two of them were the same, and their legend was wider than the page."""
    question = f"Understood{'abcdefghij' * 7}"
    names = {kind: {"kind": kind, "label": f"{kind}{'klmnopqrst' * 8}"[:80]} for kind in ("human", "model")}
    charts = _of_questions(question, names)
    for key, labels in {
        "comparison": (question,),
        "distribution-1": (question, names["model"]["label"]),
        "agreement": (question, names["model"]["label"]),
        "choice-1": (names["human"]["label"], names["model"]["label"]),
        "plane": (question, names["model"]["label"]),
    }.items():
        drawn = render({**(charts[key].spec(width=width) or {}), "title": None}, "svg").decode()
        picture = ET.fromstring(drawn)  # noqa: S314 - our own picture
        said = "".join("".join(picture.itertext()).split())
        assert all(label in said for label in labels), key
        assert "…" not in said, key
        assert float(picture.get("width", "0")) <= width + 1, key


def test_charts_say_in_grey_print_what_their_colours_say() -> None:
    charts = _of_questions()
    titles = [layer["encoding"]["x"].get("title") for layer in (charts["choice-1"].spec() or {})["layer"]]
    (title,) = filter(None, titles)
    assert "Model preferred on the left, Human preferred on the right" in " ".join(title)
    curve = charts["specifications-1"].spec() or {}
    marks = [one for layer in curve["layer"] for one in layer.get("layer", [layer]) if one["mark"]["type"] == "point"]
    assert [one["encoding"]["fill"]["value"] for one in marks] == ["transparent"] * 2


def test_chart_in_print_is_drawn_at_the_width_of_the_page() -> None:
    chart = _of_questions()["comparison"]
    assert (chart.spec() or {})["autosize"] == {"type": "fit-x", "contains": "padding", "resize": True}
    assert "autosize" not in (chart.spec(width="container") or {})
    said = "Mean differences. Model − Human, with 95% CIs for new items and new raters."
    assert chart.caption == f"{said} Filled, blue: clear, p < .05."


def test_primary_contrasts_of_other_kinds_have_their_own_chart() -> None:
    """A study of labels or turns had a chart of differences between sources under its primary contrasts."""
    study = protocol(FIVE, CHOICE)
    levels: Any = {
        "factor": "told",
        "level": "A very long label of a level that takes two lines",
        "reference_level": "b",
    }
    of_levels = [one("contrast", "factor_effect", 0.1, question=key, **levels) for key in ("empathy", "empathy_2")]
    share = one("choice", "share_preferred", 0.6, question="preference", source="model", reference="human")
    slope = one("contrast", "turn_slope", 0.1, source="model")
    found = (*of_levels, share, slope)
    contrast = PrimaryContrast(question="empathy", test="factor_effect", factor="told")
    primary = (PrimaryResult(contrast, is_declared=True, estimates=found),)
    charts = charts_of(Report("small", "", (), found, primary=primary), study)
    shown = {chart.key: chart for chart in charts if chart.key.startswith("primary")}
    # the bars of the choice show its share
    assert [chart.part for chart in shown.values()] == ["conditions", "turns"]
    drawn = [json.dumps(chart.spec()) for chart in shown.values()]
    assert all(title in text for title, text in zip(("Points of the scale", "per turn"), drawn, strict=True))
    assert "A very long label of a level" in drawn[0]
    assert [len(chart.table.rows) for chart in shown.values()] == [2, 1]
    placed = [PlacedFigure(chart.part, chart.place, Figure(chart.key, "", "")) for chart in charts]
    placed += [PlacedFigure("comparison", "first_if_primary", Figure("comparison", "", ""))]
    report = Report("small", "", (), found, primary=primary)
    assert [figure.key for figure in first_figures(report, placed)] == [*shown, "choice-1"]
