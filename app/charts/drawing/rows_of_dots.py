"""Rows of points with intervals, in one or several series; used for agreement, judges and summaries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.charts.drawing.theme import COLOURS, SCHEMA, config, series_colours, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.charts.drawing.theme import Spec, Theme, Width

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
