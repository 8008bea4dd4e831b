"""Means with intervals along an axis, one line per series: conditions, shown labels and turns."""

from __future__ import annotations

import json
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from app.analysis.wording.formatting import estimate_text, interval_text
from app.charts.drawing.rows import columns_of
from app.charts.drawing.table import Table
from app.charts.drawing.theme import SCHEMA, config, series_colours, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.charts.drawing.theme import Spec, Theme, Width

HEIGHT = 260
# The width of a chart that fills its container, if that is narrow; and of a character of a label, in pixels.
LEAST_WIDTH, CHARACTER, LEAST_CHARACTERS = 480, 7, 8
EVERY_SOURCE = "All responses"
SUBTITLE = "Means with 95% CIs"


@dataclass(frozen=True, slots=True)
class Place:
    """The mean of one series at one position of the axis; `order` sorts the positions."""

    at: str
    order: float
    series: str
    estimate: Estimate


def lines_spec(
    places: Sequence[Place], *, x: str, y: str, title: str, theme: Theme, width: Width, is_ordered: bool
) -> Spec | None:
    """Return points with intervals, joined by lines; ordered positions (turns) show the intervals as a band."""
    drawn = [place for place in places if place.estimate.estimate is not None]
    if not drawn:
        return None
    series = list(dict.fromkeys(place.series for place in drawn))
    at = list(dict.fromkeys(place.at for place in sorted(drawn, key=lambda place: place.order)))
    colour = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {"domain": series, "range": series_colours(len(series), theme)},
        "legend": {"symbolOpacity": 1, **columns_of(series)},
    }
    axis = {"labelAngle": 0, **_place_labels(at, width)}
    axis_x = {"field": "at", "type": "ordinal", "title": x, "sort": at, "axis": axis}
    axis_y = {"field": "low", "type": "quantitative", "title": y, "scale": {"zero": False}}
    beside = {"field": "series", "type": "nominal", "scale": {"domain": series, "paddingOuter": 3}}
    shared = {"x": axis_x, "color": colour, **({} if is_ordered else {"xOffset": beside})}
    mean = {"field": "mean", "type": "quantitative"}
    shape = {"field": "series", "type": "nominal", "title": None, "scale": {"domain": series}}
    band = {"mark": {"type": "area", "opacity": 0.18}, "encoding": {**shared, "y": axis_y, "y2": {"field": "high"}}}
    rule = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**shared, "y": axis_y, "y2": {"field": "high"}}}
    line = {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**shared, "y": mean}}
    point = {"mark": {"type": "point", "filled": True, "size": 80, "opacity": 1}}
    points = {**point, "encoding": {**shared, "y": mean, "shape": shape}}
    layers = [band, line, points] if is_ordered else [rule, line, points]
    return {
        "$schema": SCHEMA,
        "title": title_of(title, SUBTITLE),
        "width": width,
        "height": HEIGHT,
        "data": {"values": [_row(place) for place in drawn]},
        "layer": layers,
        "config": config(theme),
    }


def _row(place: Place) -> dict[str, Any]:
    estimate = place.estimate
    low, high = (estimate.estimate if end is None else end for end in (estimate.ci_low, estimate.ci_high))
    return {"at": place.at, "series": place.series, "mean": estimate.estimate, "low": low, "high": high}


def lines_table(places: Sequence[Place], first: str) -> Table:
    """Return a table with one row per position and one column per series; each mean has its interval."""
    series = list(dict.fromkeys(place.series for place in places))
    at = list(dict.fromkeys(place.at for place in sorted(places, key=lambda place: place.order)))
    cells = {(place.at, place.series): _cell(place.estimate) for place in places}
    rows = tuple((one, *(cells.get((one, name), "–") for name in series)) for one in at)
    return Table((first, *series), rows)


def _cell(estimate: Estimate) -> str:
    return f"{estimate_text(estimate)}\n{interval_text(estimate)}".strip()


def _place_labels(at: Sequence[str], width: Width) -> dict[str, Any]:
    """The labels below the places in lines of the width that each place has."""
    each = (width if isinstance(width, int) else LEAST_WIDTH) // len(at)
    lines = {name: wrap(name, max(LEAST_CHARACTERS, each // CHARACTER)) for name in at}
    return {"labelExpr": f"{json.dumps(lines)}[datum.value]", "labelLimit": max(each, LEAST_CHARACTERS * CHARACTER)}
