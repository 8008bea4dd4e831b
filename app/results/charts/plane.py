"""Two questions against each other, such as warmth and correctness: one point per source, with both intervals."""

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.wording.formatting import estimate_text, on_two_lines
from app.results.charts.lines import means_words
from app.results.charts.rows import beside_axis, legend_of
from app.results.charts.table import Table
from app.results.charts.theme import SCHEMA, Spec, Theme, Width, config, series_colours, title_of

HEIGHT = 300
MIN_SOURCES = 2
# Characters of a line of an axis title.
TITLE_LENGTH = 40
MAX_TICKS = 6


def plane_means(estimates: Iterable[Estimate]) -> list[Estimate]:
    """The estimates that the plane can show: the mean of each source on each question."""
    return [f for f in estimates if f.statistic == "mean" and set(f.scope) == {"source"} and f.estimate is not None]


def plane_questions(estimates: Iterable[Estimate]) -> list[str]:
    """The questions with means of two or more sources, in their order."""
    counted = Counter(f.measured for f in plane_means(estimates))
    return [question for question, n in counted.items() if question and n >= MIN_SOURCES]


def points_of(estimates: Sequence[Estimate]) -> list[tuple[str, Estimate, Estimate]]:
    """Return source, x and y for the sources with a mean on each of the first two questions."""
    means = plane_means(estimates)
    questions = list(dict.fromkeys(f.measured for f in means))[:2]
    by_question = [{f.scope["source"]: f for f in means if f.measured == question} for question in questions]
    if len(by_question) < len(("x", "y")):
        return []
    x, y = by_question
    return [(source, x[source], y[source]) for source in x if source in y]


def plane_spec(
    estimates: Sequence[Estimate],
    *,
    title: str,
    theme: Theme = "light",
    width: Width = 560,
    spans: Sequence[tuple[float, float] | None] = (None, None),
) -> Spec | None:
    """Return a chart with one point per source, and a legend: names beside points that are near lie on each other.

    The axes span the ends of the two scales, so that a small difference looks small; without any, the means.
    """
    points = points_of(estimates)
    if not points:
        return None
    names = [source for source, _, _ in points]
    scale = {"domain": names, "range": series_colours(len(names), theme)}
    legend = {"symbolOpacity": 1, **legend_of(names, beside_axis(width))}
    colour = {"field": "source", "type": "nominal", "title": None, "scale": scale, "legend": legend}
    x_title, y_title = (wrap(str(one.measured), TITLE_LENGTH) for one in points[0][1:])
    rows = [_row(*point) for point in points]
    x_scale, y_scale = (_span(rows, end, span) for end, span in zip(("x", "y"), spans, strict=True))
    axis = {"tickCount": MAX_TICKS, **({"tickMinStep": 1} if all(spans) else {})}
    x = {"field": "x_low", "type": "quantitative", "title": x_title, "scale": x_scale, "axis": axis}
    y = {"field": "y_low", "type": "quantitative", "title": y_title, "scale": y_scale, "axis": axis}
    at_x, at_y = ({"field": end, "type": "quantitative"} for end in ("x", "y"))
    rule = {"type": "rule", "strokeWidth": 2}
    return {
        "$schema": SCHEMA,
        "title": title_of(title, means_words([mean for _, *both in points for mean in both])),
        "width": width,
        "height": HEIGHT,
        "data": {"values": rows},
        "layer": [
            {"mark": rule, "encoding": {"x": x, "x2": {"field": "x_high"}, "y": at_y, "color": colour}},
            {"mark": rule, "encoding": {"x": at_x, "y": y, "y2": {"field": "y_high"}, "color": colour}},
            {
                "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
                "encoding": {"x": at_x, "y": at_y, "color": colour, "shape": {**colour, "scale": {"domain": names}}},
            },
        ],
        "config": config(theme),
    }


def _row(source: str, x: Estimate, y: Estimate) -> dict[str, Any]:
    found: dict[str, Any] = {"source": source}
    for name, one in (("x", x), ("y", y)):
        low, high = (one.estimate if end is None else end for end in (one.ci_low, one.ci_high))
        found |= {name: one.estimate, f"{name}_low": low, f"{name}_high": high}
    return found


def _span(rows: Sequence[dict[str, Any]], end: str, span: tuple[float, float] | None) -> dict[str, Any]:
    """The scale of an axis: that of the question, and as far as intervals reach beyond it."""
    if span is None:
        return {"zero": False}
    low, high = min(span[0], *(row[f"{end}_low"] for row in rows)), max(span[1], *(row[f"{end}_high"] for row in rows))
    return {"zero": False, "nice": False, "domain": [low, high]}


def plane_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per source with the mean on each question and its interval."""
    points = points_of(estimates)
    header = ("Source", *(str(one.measured) for one in points[0][1:])) if points else ("Source",)
    return Table(header, tuple((source, on_two_lines(x), on_two_lines(y)) for source, x, y in points))


def plane_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the means of each source."""
    points = points_of(estimates)
    said = [f"{source} {estimate_text(x)} and {estimate_text(y)}" for source, x, y in points]
    questions = f"{points[0][1].question} and {points[0][2].question}" if points else "both questions"
    return f"Mean {questions}: {'; '.join(said)}."
