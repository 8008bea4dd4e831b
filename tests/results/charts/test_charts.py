"""Charts: the numbers of the records, drawn; and nothing is drawn that is not in a record."""

import json
import re
from typing import Any

import pytest

from app.analysis import analyze
from app.analysis.estimate import Estimate
from app.analysis.report.labelled import labelled_estimate
from app.analysis.report.report import Report
from app.protocol.labels import Labels
from app.results.charts.chart import Chart, charts_of
from app.results.charts.lines import Place, lines_spec
from app.results.charts.render import render
from app.results.charts.theme import LETTER
from tests.kit.frames import CHOICE, FIVE, Row, find, first, frames, only, protocol

TIE = {**CHOICE, "tie": True}


def _rows(human: list[int], model: list[int], votes: list[str]) -> list[Row]:
    ratings = [
        {"rater": f"r{n}", "item": f"i{n % 3}", "response": f"i{n % 3}:{source}", "question": "empathy", "value": value}
        for source, values in (("human", human), ("model", model))
        for n, value in enumerate(values)
    ]
    return ratings + [
        {"rater": f"r{n}", "item": f"i{n % 3}", "question": "preference", "value": vote} for n, vote in enumerate(votes)
    ]


def _charts(rows: list[Row], question: dict[str, Any] = FIVE, **more: Any) -> tuple[Report, dict[str, Chart]]:  # noqa: ANN401 - tables
    study = protocol(question, TIE)
    report = analyze(frames(study, rows, **more), study)
    return report, {chart.key: chart for chart in charts_of(report, study)}


def _rows_of(spec: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - a specification, or a part of one
    """Every row of data, named or inline."""
    if isinstance(spec, dict):
        tables = [
            *spec.get("datasets", {}).values(),
            *([spec["values"]] if isinstance(spec.get("values"), list) else []),
        ]
        rows = [row for table in tables for row in table if isinstance(row, dict)]
        return rows + [row for key, part in spec.items() if key != "datasets" for row in _rows_of(part)]
    return [row for part in spec for row in _rows_of(part)] if isinstance(spec, list) else []


def _data(spec: dict[str, Any] | None, column: str) -> list[dict[str, Any]]:
    """The rows of a specification that have this column."""
    assert spec is not None
    found = [row for row in _rows_of(spec) if column in row]
    assert found
    return found


ROWS = _rows([1, 2, 2, 3, 3, 5], [3, 4, 4, 4, 5, 5], ["model", "model", "tie", "human", "model", "model"])


def test_distribution_bars_match_rating_counts() -> None:
    report, charts = _charts(ROWS)
    segments = _data(charts["distribution-1"].spec(), "point")
    human = [row for row in segments if row["name"] == "Human"]
    assert [row["count"] for row in human] == [1, 2, 2, 0, 1]
    assert [row["count"] for row in human] == only(report, "median", scope={"source": "human"}).detail["counts"]
    assert human[-1]["high"] - human[0]["low"] == pytest.approx(1)


def test_neutral_point_of_odd_scale_is_centred() -> None:
    _, charts = _charts(ROWS)
    middle = [row for row in _data(charts["distribution-1"].spec(), "point") if row["point"].startswith("3")]
    assert len(middle) == 2
    assert [row["low"] for row in middle] == pytest.approx([-row["high"] for row in middle])


def test_even_scale_is_split_between_its_halves() -> None:
    even = {**FIVE, "scale": {1: "no", 2: "rather no", 3: "rather yes", 4: "yes"}}
    _, charts = _charts(_rows([1, 2, 3, 3], [4, 4, 3, 1], []), even)
    segments = _data(charts["distribution-1"].spec(), "point")
    assert all(row["high"] <= 1e-12 for row in segments if row["point"][0] in "12")
    assert all(row["low"] >= -1e-12 for row in segments if row["point"][0] in "34")


def test_slider_is_binned_in_ten_steps() -> None:
    slider = {"key": "empathy", "target": "response", "type": "slider", "text": "How empathetic?"}
    _, charts = _charts(_rows([0, 50, 100], [10, 20, 99], []), slider)
    human = [row for row in _data(charts["distribution-1"].spec(), "point") if row["name"] == "Human"]
    assert [row["point"] for row in human][:2] == ["0 to 10", "10 to 20"]
    assert [row["count"] for row in human] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]


def test_difference_is_drawn_at_its_estimate() -> None:
    report, charts = _charts(ROWS)
    estimate = first(report, "mean_difference", unit="rating")
    (row,) = _data(charts["comparison"].spec(), "estimate")
    assert (row["estimate"], row["low"], row["high"]) == (estimate.estimate, estimate.ci_low, estimate.ci_high)


def test_preference_bar_shows_all_outcomes_and_interval() -> None:
    report, charts = _charts(ROWS)
    estimate = find(report, "share_preferred")[0]
    spec = charts["choice-1"].spec()
    assert {row["word"]: row["count"] for row in _data(spec, "word")} == {
        "Model preferred": 4,
        "tie": 1,
        "neither": 0,
        "Human preferred": 1,
    }
    (point,) = _data(spec, "estimate")
    shown = labelled_estimate(estimate, Labels())
    assert shown.ci_reason == "too_few"  # six choices: the interval covers nearly every share, and is not drawn
    assert (point["estimate"], point["low"], point["high"]) == (estimate.estimate, estimate.estimate, estimate.estimate)
    assert point["text"] == "75.0% no interval", "a reason was cut at the edge of the chart"


def test_chart_table_has_same_numbers() -> None:
    _, charts = _charts(ROWS)
    table = charts["distribution-1"].table
    assert table.header == (
        "Source",
        "1 not",
        "2 slightly",
        "3 moderately",
        "4 quite",
        "5 very",
        "Ratings",
        "Median",
        "Mean",
        "SD",
    )
    assert table.rows[0] == (
        "Human",
        "1 (16.7%)",
        "2 (33.3%)",
        "2 (33.3%)",
        "0 (0.0%)",
        "1 (16.7%)",
        "6",
        "2.50",
        "2.67",
        "1.37",
    )
    assert charts["comparison"].table.rows[0][:2] == ("Empathy: Model − Human", "1.50")
    assert charts["choice-1"].table.rows[0][1:6] == ("4 (66.7%)", "1 (16.7%)", "0 (0.0%)", "1 (16.7%)", "75.0%")
    for chart in charts.values():
        assert all(len(row) == len(chart.table.header) for row in chart.table.rows)


def test_chart_without_ratings_is_not_drawn_and_table_says_why() -> None:
    _, charts = _charts([])
    assert {chart.spec() for chart in charts.values()} == {None}
    assert "has no ratings" in charts["comparison"].table.rows[0][2]


def test_model_judges_have_separate_charts() -> None:
    judged = [{**row, "rater": "gpt"} for row in ROWS[:1]]
    _, charts = _charts([*ROWS, *judged], raters=[{"rater": "gpt", "kind": "model"}])
    names = {row["name"] for row in _data(charts["distribution-1-judges"].spec(), "point")}
    assert names == {"Human, model judges"}
    assert {row["name"] for row in _data(charts["distribution-1"].spec(), "point")} == {"Human", "Model"}


def test_names_below_narrow_places_are_in_lines() -> None:
    report, _ = _charts(ROWS)
    mean = next(f for f in report.estimates if f.statistic == "mean")
    places = [Place(f"Shown label: {name} label", k, "Human", mean) for k, name in enumerate(("Swapped", "True"))]
    spec = lines_spec(places, x="Condition", y="Mean", title="", theme="light", width=260, is_ordered=False)
    assert spec is not None
    words = json.loads(spec["layer"][0]["encoding"]["x"]["axis"]["labelExpr"].removesuffix("[datum.value]"))
    assert words == {
        "Shown label: Swapped label": ["Shown label:", "Swapped label"],
        "Shown label: True label": ["Shown label:", "True label"],
    }


def test_labels_of_two_conditions_do_not_overlap_on_a_phone() -> None:
    """The width of the y axis was not left out of what each place has."""
    places = [
        Place(f"Shown label: {name} label", k, "Human", Estimate("subgroup", "empathy", {}, "mean", 3.0))
        for k, name in enumerate(("swapped", "correct"))
    ]
    spec = lines_spec(places, x="Condition", y="Mean", title="", theme="light", width=300, is_ordered=False)
    assert spec is not None
    spec |= {"autosize": {"type": "fit-x", "contains": "padding"}}
    labels = re.findall(r'translate\(([\d.]+),16\)"[^>]*>(<tspan>.*?)</text>', render(spec, "svg").decode())
    left, right = (float(centre) for centre, _ in labels)
    lines = [line for _, label in labels for line in re.findall(r">([^<]+)<", label)]
    assert lines == ["Shown label:", "swapped label", "Shown label:", "correct label"]
    assert max(map(len, lines)) * LETTER < right - left


def test_axis_of_conditions_spans_the_scale_and_only_drawn_intervals_are_named() -> None:
    """Means of a question about the rater said to have intervals, on an axis from 4.94 to 5.10."""
    question = {**FIVE, "target": "rater"}

    def encoded(*parts: dict[str, Any]) -> dict[str, Any]:
        means = [
            Estimate("subgroup", "empathy", {"condition": at}, "mean", mean, ci_level=0.95, **one)
            for at, mean, one in zip(("a", "b"), (3.0, 3.1), parts, strict=True)
        ]
        charts = charts_of(Report("small", "0" * 64, (), tuple(means)), protocol(question))
        spec = next(chart for chart in charts if chart.key == "condition-1").spec()
        assert spec is not None
        return spec

    none, known = {"ci_reason": "one_cluster", "n_items": 0}, {"ci_low": 2.5, "ci_high": 5.5}
    why = "no interval: the question is not about items"
    spec = encoded(none, none)
    y = spec["layer"][0]["encoding"]["y"]
    assert (y["scale"]["domain"], y["axis"]["tickMinStep"]) == ([1, 5], 1)
    assert spec["title"]["subtitle"] == [f"Means; {why}"]
    assert encoded(none, known)["title"]["subtitle"] == [f"Means with 95% CIs; where none is drawn, {why}"]
    spec = encoded(known, known)
    assert spec["title"]["subtitle"] == ["Means with 95% CIs"]
    assert spec["layer"][0]["encoding"]["y"]["scale"]["domain"] == [1, 5.5]


def test_theme_changes_only_colours() -> None:
    _, charts = _charts(ROWS)
    for chart in charts.values():
        light, dark = chart.spec("light"), chart.spec("dark")
        assert light is not None
        assert dark is not None
        assert light["config"]["background"] is dark["config"]["background"] is None
        assert light["config"] != dark["config"]
        assert _numbers(light) == _numbers(dark)


def _numbers(spec: dict[str, Any]) -> list[dict[str, Any]]:
    rows = _rows_of(spec)
    assert rows
    return sorted(({key: value for key, value in row.items() if key not in {"ink", "fill"}} for row in rows), key=str)


def test_specification_is_plain_json_for_any_source_name() -> None:
    name = "</script>\"'\\ ${1}\u2028."
    study = protocol(FIVE, sources={"human": {"kind": "human"}, name: {"kind": "model"}})
    rows = [
        {"rater": f"r{n}", "item": "i", "response": f"i:{source}", "question": "empathy", "value": n + 1}
        for n in range(4)
        for source in study.sources
    ]
    for chart in charts_of(analyze(frames(study, rows), study), study):
        assert json.loads(json.dumps(chart.spec(), allow_nan=False)) == chart.spec()


def test_every_chart_states_its_finding() -> None:
    _, charts = _charts(ROWS)
    assert "Empathy, Model − Human: 1.50" in charts["comparison"].finding
    assert "Model preferred over Human in 75.0% of 6 choices" in charts["choice-1"].finding
    assert "Human 2.50; Model 4.00" in charts["distribution-1"].finding
    for chart in charts.values():
        spec = chart.spec()
        assert spec is None or chart.finding in spec["description"]


def test_equivalence_margin_is_a_band_around_zero() -> None:
    study = protocol(FIVE, analysis={"reference": "human", "margin": {"empathy": 0.5}})
    rows = [row for row in ROWS if row["question"] == "empathy"]
    charts = {chart.key: chart for chart in charts_of(analyze(frames(study, rows), study), study)}
    (row,) = _data(charts["comparison"].spec(), "margin_low")
    assert (row["margin_low"], row["margin_high"]) == (-0.5, 0.5)


def test_charts_of_ratings_name_their_questions() -> None:
    """Charts of two scales were both called Ratings, and so was that of the only question with answers."""
    other = {**FIVE, "text": "Other?"}
    seven = {**other, "scale": dict.fromkeys(range(1, 8), "")}
    asked = (FIVE, {**other, "key": "warmth"}, {**seven, "key": "tone"}, {**seven, "key": "style"})
    study = protocol(*asked)
    rows = [
        {"rater": f"r{n}", "item": "a", "response": f"a:{source}", "question": key, "value": 1 + n}
        for n in range(3)
        for source in ("human", "model")
        for key in ("empathy", "warmth", "tone", "style")
    ]
    whole = analyze(frames(study, rows), study)
    titles = [chart.title for chart in charts_of(whole, study) if chart.key.startswith("distribution")]
    assert titles == ["Ratings of Empathy and Warmth", "Ratings of Tone and Style"]
    few = protocol(*asked[:2])
    rated = [row for row in rows if row["question"] == "empathy"]
    alone = analyze(frames(few, rated), few)
    titles = [chart.title for chart in charts_of(alone, few) if chart.key.startswith("distribution")]
    assert titles == [FIVE["text"]]
