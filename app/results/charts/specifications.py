"""The specification curve: the estimate of every analysis with its interval, and below each one the choices it made."""

from collections.abc import Sequence
from typing import Any

from app.analysis.estimate import Estimate
from app.analysis.findings.specifications import HEADER, Analysis, Curve, curve_rows, curve_sentence
from app.results.charts.table import Table
from app.results.charts.theme import (
    COLOURS,
    SCHEMA,
    Spec,
    Theme,
    Width,
    config,
    label_height,
    row_labels,
    title_of,
)

HEIGHT, GAP, ROW = 200, 22, 18
SUBTITLE = "Each column is one analysis. Filled, blue: the 95% CI is on one side of no difference; diamond: as reported"
# Labels of rows are shorter where there is no room.
NARROW, LABEL, NARROW_LABEL = 300, 230, 150
# What is the same in each curve.
_X: Spec = {"field": "k", "type": "quantitative", "axis": None}
_Y: Spec = {
    "type": "quantitative",
    "scale": {"range": [HEIGHT, 0], "zero": False},
    "axis": {"orient": "left", "tickCount": 5, "gridOpacity": 0.7, "titleAnchor": "end"},
}
_COLOR: Spec = {"field": "tone", "type": "nominal", "legend": None}
_LABELS: Spec = {"orient": "left", "labelFontSize": 12, "grid": False}
_INTERVAL: Spec = {"type": "rule", "strokeWidth": 1.5, "opacity": 0.7}
_MARK: Spec = {"type": "point", "strokeWidth": 1.5, "opacity": 1}
_SHAPE: Spec = {"condition": {"test": "datum.reported", "value": "diamond"}, "value": "circle"}
_SIZE: Spec = {"condition": {"test": "datum.reported", "value": 130}, "value": 22}


def curve_spec(
    _: Sequence[Estimate], *, curve: Curve, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return the curve above and the choices below, on one axis of analyses."""
    colours, rows = COLOURS[theme], list(curve.rows_of_choices)
    factor = 100 if curve.kind == "share" else 1
    points = [_point(k, one, factor) for k, one in enumerate(curve.analyses)]
    made = [
        {**point, "choice": choice} for point, one in zip(points, curve.analyses, strict=True) for choice in one.choices
    ]
    is_narrow = isinstance(width, int) and width < NARROW
    limit = NARROW_LABEL if is_narrow else LABEL
    height = HEIGHT + GAP + max(ROW, label_height(rows, limit)) * len(rows)
    x: Spec = {**_X, "scale": {"domain": [-1, len(points)], "nice": False}}
    color: Spec = {**_COLOR, "scale": {"domain": ["clear", "not"], "range": [colours.source, colours.muted]}}
    y: Spec = {**_Y, "title": "Share preferred, %" if curve.kind == "share" else "Difference, points of the scale"}
    # filled or not tells in grey print what the colour tells
    fill: Spec = {"condition": {"test": "datum.tone === 'clear'", "value": colours.source}, "value": "transparent"}
    null: Spec = {"type": "rule", "color": colours.muted, "strokeDash": [3, 3]}
    at_null: Spec = {"data": {"values": [{"at": curve.null * factor}]}, "mark": null}
    ends: Spec = {"y": {**y, "field": "low"}, "y2": {"field": "high"}}
    shown: Spec = {"y": {**y, "field": "estimate"}, "shape": _SHAPE, "size": _SIZE}
    below: Spec = {
        "field": "choice",
        "type": "ordinal",
        "title": None,
        "sort": rows,
        "scale": {"domain": rows, "range": [HEIGHT + GAP, height], "type": "point", "padding": 0.5},
        "axis": {**_LABELS, **row_labels(rows, limit)},
    }
    above = [
        {**at_null, "encoding": {"y": {**y, "field": "at"}}},
        {"mark": _INTERVAL, "encoding": {"x": x, "color": color, **ends}},
        {"mark": _MARK, "encoding": {"x": x, "color": color, "fill": fill, **shown}},
    ]
    choices: Spec = {"mark": {**_MARK, "size": 28}, "encoding": {"x": x, "y": below, "color": color, "fill": fill}}
    return {
        "$schema": SCHEMA,
        "title": title_of(title, SUBTITLE),
        "width": width,
        "height": height,
        "resolve": {"scale": {"y": "independent"}, "axis": {"y": "independent"}},
        "layer": [{"data": {"values": points}, "layer": above}, {"data": {"values": made}, **choices}],
        "config": config(theme),
    }


def _point(k: int, one: Analysis, factor: int) -> dict[str, Any]:
    ends = {"estimate": one.estimate * factor, "low": one.low * factor, "high": one.high * factor}
    return {"k": k, **ends, "tone": "clear" if one.is_clear else "not", "reported": one.is_reported}


def curve_table(_: Sequence[Estimate], *, curve: Curve) -> Table:
    """Return one row per analysis."""
    return Table(HEADER, curve_rows(curve))


def curve_finding(_: Sequence[Estimate], *, curve: Curve) -> str:
    """Say how many analyses are clear, and how they were chosen."""
    return curve_sentence(curve)
