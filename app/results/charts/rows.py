"""The rows of a chart: each has a label on the left and optionally its values on the right.

Rows are positioned by number, not by label: two rows may have the same label, and labels may contain any character.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Literal

import altair as alt

from app.results.charts.theme import (
    COLOURS,
    LABEL_LIMIT,
    LETTER,
    LINE,
    NBSP,
    SCHEMA,
    WIDEST,
    Spec,
    Theme,
    Width,
    axis_labels,
    centred,
    config,
    lines_of,
    on_rows,
    series_colours,
    title_of,
)

# The widths of the symbol of an entry with its gaps, and of a letter of its small type, in pixels.
ENTRY, SMALL_LETTER = 25, 6.2
# The widths of a chart that fills its container, if that is narrow, and of a y axis of numbers with its title.
LEAST_WIDTH, AXIS_WIDTH = 480, 60
# The width of a character of a label within a bar, in pixels.
CHARACTER = 8.5
# Labels are above the marks of each row in charts narrower than this, and where they leave less than this to the marks.
ALL_ABOVE, LEAST_MARKS = 400, 200
ROW_GAP, ABOVE_GAP = 7, 6


PERCENT = "format(100 * abs(datum.value), '.0f') + '%'"


def percent(share: float) -> str:
    """Format a share as it appears in a bar.

    >>> percent(0.786)
    '79%'
    """
    return f"{100 * share:.0f}%"


def beside_axis(width: Width) -> int:
    """The width of a chart beside its y axis of numbers, in pixels."""
    return (width if isinstance(width, int) else LEAST_WIDTH) - AXIS_WIDTH


def legend_of(words: Sequence[str], width: Width, most: int = 4) -> Spec:
    """Return a legend of at most `most` entries in a row, and no wider than `width`, as Vega-Lite's properties.

    A legend that is wider than the chart would widen the picture, and a page would shrink or cut it. An entry that is
    longer than the legend has lines.

    >>> legend_of(["Yes", "No"], 400)["columns"], legend_of(["Yes", "No"], 60)["columns"]
    (2, 1)
    """
    room = width if isinstance(width, int) else LEAST_WIDTH
    fitting = (n for n in range(min(most, len(words)), 1, -1) if _legend_width(words, n) <= room)
    return {"title": None, "columns": next(fitting, 1), **axis_labels(words, room - ENTRY)}


def _legend_width(words: Sequence[str], n_columns: int) -> float:
    """The width of a legend in pixels; each column is as wide as its longest entry."""
    columns = [words[at::n_columns] for at in range(n_columns)]
    return sum(ENTRY + SMALL_LETTER * max(map(len, column)) for column in columns)


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a chart: their labels on the left, their values on the right, and their marks between them.

    Where that leaves too little room for the marks, label and values are above the marks of each row.

    Args:
        labels: the phrases of each row's label, each on a line of its own or behind a comma; a phrase may have a line
            break, where it is broken if it is long.
        values: the lines of each row's values; none for no values.
        headings: the rows that only name those below them, in strong type.
        row: the least height of a row with its labels beside it, and of its marks alone, in pixels.
        width: of the chart with its labels.
    """

    labels: Sequence[Sequence[str]]
    values: Sequence[Sequence[str]]
    row: tuple[int, int]
    width: Width
    headings: Sequence[int] = ()

    @property
    def is_above(self) -> bool:
        """Whether labels and values are above the marks."""
        is_narrow = isinstance(self.width, int) and self.width < ALL_ABOVE
        return is_narrow or (isinstance(self.width, int) and self._between < LEAST_MARKS)

    @property
    def marks_width(self) -> int:
        """The width that is left to the marks, and to what is above and below them, in pixels."""
        return (self.width if isinstance(self.width, int) else LEAST_WIDTH) if self.is_above else self._between

    @property
    def _between(self) -> int:
        """The width between labels and values that are beside the marks."""
        columns = [
            max((len(line) for row in each for phrase in row for line in phrase.splitlines()), default=0)
            for each in (self.labels, self.values)
        ]
        beside = sum(min(LABEL_LIMIT, LETTER * n) for n in columns)
        return (self.width if isinstance(self.width, int) else LEAST_WIDTH) - beside

    @property
    def marks(self) -> int:
        """The height of the marks of each row, in pixels."""
        return self.row[self.is_above]

    @property
    def height(self) -> int:
        """Of all rows, in pixels."""
        lines = max(map(len, self._lines))
        beside = self.row[0] if lines == 1 else max(self.row[0], LINE * lines + ROW_GAP)
        return (LINE * lines + self.row[1] + ABOVE_GAP if self.is_above else beside) * len(self.labels)

    @property
    def place(self) -> alt.Y:
        """The y encoding of field `k` without an axis, for layers that share the rows."""
        return alt.Y("k:O", title=None, axis=None, scale=self._scale)

    @property
    def named(self) -> alt.Y:
        """The y encoding of field `k` with the labels, which may repeat and contain any character."""
        return self._axis(self._lines, "left")

    @property
    def valued(self) -> alt.Y:
        """The y encoding of field `k` with the values on the right, if they are not above the marks."""
        return self.place if self.is_above or not self.values else self._axis(self.values, "right")

    def line_at(self, x: float, theme: Theme) -> alt.Chart:
        """A dashed line at `x` behind the marks of all rows, and not behind labels above them."""
        look: dict[str, Any] = {"color": COLOURS[theme].muted, "strokeDash": [3, 3]}
        if not self.is_above:
            line: alt.Chart = alt.Chart(alt.InlineData([{"x": x}])).mark_rule(**look).encode(x="x:Q")
            return line
        rows = alt.InlineData([{"x": x, "k": k} for k in range(len(self.labels)) if k not in self.headings])
        half = self.marks / 2 - 3
        lines: alt.Chart = alt.Chart(rows).mark_rule(yOffset=-half, y2Offset=half, **look)
        return lines.encode(x="x:Q", y=self.place, y2="k:O")

    @property
    def _lines(self) -> list[list[str]]:
        if not self.is_above:
            return centred([_lines_beside(label) for label in self.labels])
        assert isinstance(self.width, int)  # noqa: S101 - `is_above` says so
        values = self.values or [()] * len(self.labels)
        # counts stay on one line, strong letters are wider, and empty lines are no lines
        letters = [self.width // (LETTER + 1 + (k in self.headings)) for k in range(len(self.labels))]
        joined = [
            [*wrap(", ".join(label).replace(" = ", f"{NBSP}={NBSP}"), most), *_on_one_line(value)]
            for label, value, most in zip(self.labels, values, letters, strict=True)
        ]
        n_lines = max(map(len, joined))
        return [[NBSP] * (n_lines - len(lines)) + lines for lines in joined]

    @property
    def _scale(self) -> alt.Scale:
        domain = list(range(len(self.labels)))
        if not self.is_above:
            return alt.Scale(domain=domain)
        below = (LINE * max(map(len, self._lines)) - ABOVE_GAP) / 2
        return alt.Scale(domain=domain, range=[below, self.height + below])

    def _axis(self, lines: Sequence[Sequence[str]], orient: Literal["left", "right"]) -> alt.Y:
        n, marks = max(map(len, lines)), self.row[1]
        words = f"{json.dumps([list(label) for label in lines])}[datum.value]"
        limit, values = WIDEST * LABEL_LIMIT, list(range(len(lines)))
        axis = alt.Axis(orient=orient, labelExpr=words, labelLimit=limit, values=values, **on_rows(n))
        is_heading = {"test": f"indexof({json.dumps(list(self.headings))}, datum.value) >= 0"}
        if self.headings:
            axis.labelFontWeight = {"condition": {**is_heading, "value": "bold"}, "value": "normal"}
        if self.is_above:
            # lifted above the marks
            offset = on_rows(n)["labelOffset"] - (LINE * n + marks) / 2
            axis.labelAlign, axis.labelPadding, axis.labelLimit, axis.labelOffset = "left", 0, self.width, offset
            if self.headings:
                axis.labelOffset = {"condition": {**is_heading, "value": offset + marks}, "value": offset}
        return alt.Y("k:O", title=None, axis=axis, scale=self._scale)


def _lines_beside(label: Sequence[str]) -> list[str]:
    return [part for phrase in label for line in phrase.split("\n") for part in lines_of(line, LABEL_LIMIT)]


def _on_one_line(value: Sequence[str]) -> list[str]:
    """The first line, and the others in parentheses behind it.

    >>> _on_one_line(["61.1%", "46.6% to 73.9%"]), _on_one_line([""])
    (['61.1% (46.6% to 73.9%)'], [])
    """
    first, *others = (*filter(None, value), "")[:2]
    said = " ".join((first, *(f"({one})" for one in others if one)))
    return [said] if said else []


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
# Where there are more rows than these, charts draw them closer to each other.
MANY = 12
LOW_ROW_HEIGHT, LOW_SERIES_HEIGHT = 9, 9


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
    marks = row + each * len(series)
    rows = Rows([(name,) for name in names], [], (marks, marks), width)
    return {
        "$schema": SCHEMA,
        "title": title_of(title, subtitle),
        "width": width,
        "height": rows.height,
        "data": {"values": [_row(dot, names) for dot in dots]},
        "layer": [*_behind(axis, theme), *_points(rows, series, axis, theme)],
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


def _points(rows: Rows, series: list[str], axis: Axis, theme: Theme) -> list[Spec]:
    scale: dict[str, Any] = {"domain": list(axis.domain), "clamp": True} if axis.domain else {"zero": True}
    ticks = {"tickCount": 6, "gridOpacity": 0.7, **({"format": ".0%"} if axis.is_share else {})}
    x = {"field": "low", "type": "quantitative", "title": axis.title, "scale": scale, "axis": ticks}
    legend = legend_of(series, rows.marks_width) if len(series) > 1 else None
    colour = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": series, "range": series_colours(len(series), theme)},
        "legend": legend,
    }
    shared = {
        "y": rows.named.to_dict(),
        "yOffset": {"field": "series", "type": "nominal", "scale": {"domain": series}},
        "color": colour,
    }
    shape = {"field": "series", "type": "nominal", "scale": {"domain": series}, "legend": legend}
    at = {"field": "value", "type": "quantitative"}
    line = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**shared, "x": x, "x2": {"field": "high"}}}
    point = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    return [line, {"mark": point, "encoding": {**shared, "x": at, "shape": shape}}]
