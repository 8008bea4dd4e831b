"""The rows of a chart: each has a label on the left and optionally its values on the right.

Rows are positioned by number, not by label: two rows may have the same label, and labels may contain any character.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from app.results.charts.theme import COLOURS, SCHEMA, Spec, Theme, Width, config, series_colours, title_of

LINE = 15
# Characters of one entry of a legend, and of all, that fit beside each other.
MAX_BESIDE, MAX_IN_ROWS = 36, 100
# The width of the symbol of an entry, in characters.
SYMBOL = 5
# The width of a character of a label within a bar, in pixels.
CHARACTER = 8.5


PERCENT = "format(100 * abs(datum.value), '.0f') + '%'"


def percent(share: float) -> str:
    """Format a share as it appears in a bar.

    >>> percent(0.786)
    '79%'
    """
    return f"{100 * share:.0f}%"


def top_legend(words: Sequence[str], n_columns: int) -> alt.Legend:
    """Return the legend of a bar: in one or two rows, or one entry per row if the words are long.

    A legend that is wider than the chart would widen the picture, and a page would shrink all of it.
    """
    if max(map(len, words), default=0) > MAX_BESIDE or sum(map(len, words)) > MAX_IN_ROWS:
        return alt.Legend(title=None, columns=1, labelLimit=alt.ExprRef("width"))
    return alt.Legend(title=None, columns=alt.ExprRef(f"width < 420 ? 2 : {n_columns}"))


def columns_of(words: Sequence[str]) -> dict[str, object]:
    """Return how many entries a legend has in a row, as Vega-Lite's properties: as many as fit beside each other.

    >>> columns_of(["Yes", "No"])
    {}
    """
    longest = max(map(len, words))
    if (longest + SYMBOL) * len(words) <= MAX_IN_ROWS:
        return {}
    return {"columns": {"expr": f"width < 420 ? 1 : {max(1, MAX_IN_ROWS // (longest + SYMBOL))}"}}


def row_place(n: int) -> alt.Y:
    """Return the y encoding of field `k` for `n` rows without an axis, for layers that share rows."""
    return alt.Y("k:O", title=None, axis=None, scale=alt.Scale(domain=list(range(n))))


def row_axis(
    labels: Sequence[Sequence[str]], *, orient: Literal["left", "right"] = "left", headings: Sequence[int] = ()
) -> alt.Y:
    """Return the y encoding of field `k` with an axis; `labels` contains the lines of each row's label.

    `headings` are the rows that only name those below them, in strong type.
    """
    lines = max(len(label) for label in labels)
    axis = alt.Axis(
        orient=orient,
        labelExpr=f"{json.dumps([list(label) for label in labels])}[datum.value]",
        labelLineHeight=LINE,
        # Vega-Lite centres the first line on the row; this offset centres the whole label.
        labelOffset=-LINE * (lines - 1) / 2,
        values=list(range(len(labels))),
    )
    if headings:
        axis.labelFontWeight = {
            "condition": {"test": f"indexof({json.dumps(list(headings))}, datum.value) >= 0", "value": "bold"},
            "value": "normal",
        }
    return alt.Y("k:O", title=None, axis=axis, scale=alt.Scale(domain=list(range(len(labels)))))


def bar_labels(base: alt.Chart, span: float, offset: float = 0) -> alt.Chart:
    """Label each segment that is wide enough with its share; uses the fields `share`, `percent`, `middle` and `ink`.

    Args:
        base: the rows.
        span: what the whole width of the chart shows, in the unit of `share`.
        offset: of the label below the middle of its row, in pixels.
    """
    labels: alt.Chart = (
        base.transform_filter(f"datum.share * width / {span:.4f} >= {CHARACTER} * length(datum.percent) + 2")
        .mark_text(baseline="middle", yOffset=offset)
        .encode(x="middle:Q", text="percent:N", color=alt.Color("ink:N", scale=None))
    )
    return labels


# Rows of points with intervals, in one or several series; used for agreement, judges and summaries.

ROW_HEIGHT, SERIES_HEIGHT = 14, 13
# Many rows are drawn closer to each other.
MANY, LOW_ROW_HEIGHT, LOW_SERIES_HEIGHT = 12, 9, 9


@dataclass(frozen=True, slots=True)
class Dot:
    """A point in row number `row`; `text` is its label, with its interval."""

    row: int
    series: str
    value: float
    low: float | None
    high: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis of the points. `rule` is the position of a dashed line, None for no line."""

    title: str
    rule: float | None = None
    domain: tuple[float, float] | None = None
    is_share: bool = False


def dots_spec(
    names: Sequence[str], dots: Sequence[Dot], axis: Axis, *, title: str, subtitle: str, theme: Theme, width: Width
) -> Spec | None:
    """Return a chart with one row per name; None without points.

    Series differ by colour, by shape and by their position within the row.
    """
    if not dots:
        return None
    series = list(dict.fromkeys(dot.series for dot in dots))
    row, each = (LOW_ROW_HEIGHT, LOW_SERIES_HEIGHT) if len(names) > MANY else (ROW_HEIGHT, SERIES_HEIGHT)
    height = len(names) * (row + each * len(series))
    return {
        "$schema": SCHEMA,
        "title": title_of(title, subtitle),
        "width": width,
        "height": height,
        "data": {"values": [_row(dot, names) for dot in dots]},
        "layer": [*_behind(axis, theme), *_points(names, series, axis, theme)],
        "config": config(theme),
    }


def _row(dot: Dot, names: Sequence[str]) -> dict[str, Any]:
    low, high = (dot.value if end is None else end for end in (dot.low, dot.high))
    place = {"k": dot.row, "name": names[dot.row], "series": dot.series}
    return {**place, "value": dot.value, "low": low, "high": high, "text": dot.text}


def _behind(axis: Axis, theme: Theme) -> list[Spec]:
    colours = COLOURS[theme]
    layers: list[Spec] = []
    if axis.rule is not None:
        rule: Spec = {"type": "rule", "color": colours.muted, "strokeDash": [3, 3]}
        x = {"field": "at", "type": "quantitative"}
        layers.append({"data": {"values": [{"at": axis.rule}]}, "mark": rule, "encoding": {"x": x}})
    return layers


def _points(names: Sequence[str], series: list[str], axis: Axis, theme: Theme) -> list[Spec]:
    scale: dict[str, Any] = {"domain": list(axis.domain), "clamp": True} if axis.domain else {"zero": True}
    ticks = {"tickCount": 6, "gridOpacity": 0.7, **({"format": ".0%"} if axis.is_share else {})}
    x = {"field": "low", "type": "quantitative", "title": axis.title, "scale": scale, "axis": ticks}
    legend = {"title": None, "columns": {"expr": "width < 420 ? 1 : 4"}} if len(series) > 1 else None
    colour = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": series, "range": series_colours(len(series), theme)},
        "legend": legend,
    }
    shared = {
        "y": row_labels(names),
        "yOffset": {"field": "series", "type": "nominal", "scale": {"domain": series}},
        "color": colour,
    }
    shape = {"field": "series", "type": "nominal", "scale": {"domain": series}, "legend": legend}
    at = {"field": "value", "type": "quantitative"}
    line = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**shared, "x": x, "x2": {"field": "high"}}}
    point = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    return [line, {"mark": point, "encoding": {**shared, "x": at, "shape": shape}}]


def row_labels(names: Sequence[str]) -> dict[str, Any]:
    """Return the encoding of field `k` with the row labels, which may repeat and may contain any character."""
    axis = {"labelExpr": f"{json.dumps(list(names))}[datum.value]", "values": list(range(len(names)))}
    return {
        "field": "k",
        "type": "ordinal",
        "title": None,
        "axis": axis,
        "scale": {"domain": list(range(len(names)))},
    }
