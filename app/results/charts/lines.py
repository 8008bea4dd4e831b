"""Means with intervals along an axis, one line per series: conditions, shown labels and turns."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from app.analysis.estimate import Estimate
from app.analysis.wording.formatting import estimate_text, interval_text, on_two_lines
from app.results.charts.rows import beside_axis, legend_of
from app.results.charts.table import Table
from app.results.charts.theme import (
    LETTER,
    SCHEMA,
    Spec,
    Theme,
    Width,
    axis_labels,
    config,
    row_labels,
    series_colours,
    title_of,
)

HEIGHT = 220
# The width of the space between two labels, and of turned labels, in pixels.
GAP, MIN_TURNED, MAX_TURNED = 8, 112, 200
EVERY_SOURCE = "All"


@dataclass(frozen=True, slots=True)
class Place:
    """The mean of one series at one position of the axis; `order` sorts the positions."""

    at: str
    order: float
    series: str
    estimate: Estimate


def lines_spec(
    places: Sequence[Place],
    *,
    x: str,
    y: str,
    title: str,
    theme: Theme,
    width: Width,
    is_ordered: bool,
    points: Sequence[float] = (),
) -> Spec | None:
    """Return points with intervals, joined by lines; ordered positions (turns) show the intervals as a band.

    The axis spans the `points` of the scale, so that a small difference looks small; without any, the means.
    """
    drawn = _drawn(places)
    if not drawn:
        return None
    series = list(dict.fromkeys(place.series for place in drawn))
    at = list(dict.fromkeys(place.at for place in sorted(drawn, key=lambda place: place.order)))
    colour = {
        "field": "series",
        "type": "nominal",
        "title": None,
        "scale": {"domain": series, "range": series_colours(len(series), theme)},
        "legend": {"symbolOpacity": 1, **legend_of(series, beside_axis(width))},
    }
    axis = {"labelAngle": 0, **_place_labels(at, width)}
    axis_x = {"field": "at", "type": "ordinal", "title": x, "sort": at, "axis": axis}
    rows = [_row(place) for place in drawn]
    axis_y = {"field": "low", "type": "quantitative", "title": y, **_span(rows, points)}
    beside = {"field": "series", "type": "nominal", "scale": {"domain": series, "paddingOuter": 3}}
    shared = {"x": axis_x, "color": colour, **({} if is_ordered else {"xOffset": beside})}
    mean = {"field": "mean", "type": "quantitative"}
    shape = {"field": "series", "type": "nominal", "title": None, "scale": {"domain": series}}
    band = {"mark": {"type": "area", "opacity": 0.18}, "encoding": {**shared, "y": axis_y, "y2": {"field": "high"}}}
    rule = {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {**shared, "y": axis_y, "y2": {"field": "high"}}}
    line = {"mark": {"type": "line", "strokeWidth": 2}, "encoding": {**shared, "y": mean}}
    point = {"mark": {"type": "point", "filled": True, "size": 80, "opacity": 1}}
    means = {**point, "encoding": {**shared, "y": mean, "shape": shape}}
    layers = [band, line, means] if is_ordered else [rule, line, means]
    return {
        "$schema": SCHEMA,
        "title": title_of(title, means_words([place.estimate for place in drawn])),
        "width": width,
        "height": HEIGHT,
        "data": {"values": rows},
        "layer": layers,
        "config": config(theme),
    }


def _row(place: Place) -> dict[str, Any]:
    estimate = place.estimate
    low, high = (estimate.estimate if end is None else end for end in (estimate.ci_low, estimate.ci_high))
    return {"at": place.at, "series": place.series, "mean": estimate.estimate, "low": low, "high": high}


def _span(rows: Sequence[dict[str, Any]], points: Sequence[float]) -> dict[str, Any]:
    """The scale of the y axis, and its ticks: none between two points of the scale."""
    if len(points) < len(("first", "last")):
        return {"scale": {"zero": False}}
    low, high = min(points[0], *(row["low"] for row in rows)), max(points[-1], *(row["high"] for row in rows))
    return {
        "scale": {"zero": False, "nice": False, "domain": [low, high]},
        "axis": {"tickMinStep": points[1] - points[0]},
    }


def _drawn(places: Sequence[Place]) -> list[Place]:
    """The places that have a mean."""
    return [place for place in places if place.estimate.estimate is not None]


def means_words(drawn: Sequence[Estimate]) -> str:
    """What is drawn: means without an interval are not said to have one."""
    without = [one for one in drawn if one.ci_low is None]
    if not without:
        return "Means with 95% CIs"
    why = next((interval_text(one) for one in without if one.ci_reason), "no interval")
    return f"Means; {why}" if len(without) == len(drawn) else f"Means with 95% CIs; where none is drawn, {why}"


def lines_table(places: Sequence[Place], first: str) -> Table:
    """Return a table with one row per position and one column per series; each mean has its interval."""
    series = list(dict.fromkeys(place.series for place in places))
    at = list(dict.fromkeys(place.at for place in sorted(places, key=lambda place: place.order)))
    cells = {(place.at, place.series): on_two_lines(place.estimate) for place in places}
    rows = tuple((one, *(cells.get((one, name), "–") for name in series)) for one in at)
    return Table((first, *series), rows)


def _place_labels(at: Sequence[str], width: Width) -> dict[str, Any]:
    """The labels below the places in lines of the width that each place has beside the y axis.

    Labels with a word that is wider than that are turned: half a word tells nobody anything.
    """
    each = beside_axis(width) // len(at) - GAP
    longest = LETTER * max(len(word) for name in at for word in name.split())
    if longest <= each:
        return axis_labels(at, each)
    turned = {"labelAngle": -90, "labelAlign": "right", "labelBaseline": "middle"}
    return {**row_labels(at, min(max(longest, MIN_TURNED), MAX_TURNED)), **turned}


# The mean of each source by shown label or by condition.

Shown = Literal["shown_label", "condition"]
NAMES: dict[Shown, str] = {"shown_label": "Shown label", "condition": "Condition"}


def splits_of(estimates: Sequence[Estimate]) -> list[Shown]:
    """Return the scope keys by which means are split; shown labels come first."""
    return [split for split in NAMES if (shown := split_means(estimates, split)) and not _is_of_sources(shown, split)]


def split_means(estimates: Sequence[Estimate], split: Shown) -> list[Estimate]:
    """Return the mean of each source in each condition, or of all responses if none is split by source."""
    means = [f for f in estimates if f.statistic == "mean"]
    by_source = [f for f in means if set(f.scope) == {split, "source"}]
    return by_source or [f for f in means if set(f.scope) == {split}]


def _is_of_sources(means: Sequence[Estimate], split: Shown) -> bool:
    """Whether each condition shows one source, and each source is in one condition: there is nothing to cross."""
    known = [(f.scope[split], f.scope["source"]) for f in means if "source" in f.scope and f.estimate is not None]
    conditions, sources = ({pair[side] for pair in known} for side in (0, 1))
    return 1 < len(known) == len(conditions) == len(sources)


def places_of(shown: Sequence[Estimate], split: Shown) -> list[Place]:
    """Where the means of `split_means` are drawn."""
    at = list(dict.fromkeys(str(f.scope[split]) for f in shown))
    return [
        Place(str(f.scope[split]), at.index(str(f.scope[split])), f.scope.get("source", EVERY_SOURCE), f) for f in shown
    ]


def conditions_spec(
    estimates: Sequence[Estimate],
    split: Shown,
    *,
    title: str,
    theme: Theme = "light",
    width: Width = 560,
    points: Sequence[float] = (),
) -> Spec | None:
    """Return a chart in which parallel lines mean that there is no interaction, on an axis of the scale's `points`."""
    draw = partial(lines_spec, x=NAMES[split], y="Mean rating", title=title, theme=theme, width=width, points=points)
    return draw(places_of(estimates, split), is_ordered=False)


def conditions_table(estimates: Sequence[Estimate], split: Shown) -> Table:
    """One row per condition, one column per source."""
    return lines_table(places_of(estimates, split), NAMES[split])


def conditions_finding(means: Sequence[Estimate], split: Shown, among: Sequence[Estimate] = ()) -> str:
    """Describe the interaction if there is one `among` the estimates, otherwise the means."""
    found = [f for f in among if f.statistic == "interaction" and split in f.scope and f.estimate is not None]
    if found:
        one = found[0]
        interval = f" (95% CI {interval_text(one)})" if one.ci_low is not None else ""
        between = f"{one.scope['source']} minus {one.scope['reference']}"
        return f"The difference {between} changes by {estimate_text(one)} points under {one.scope[split]}{interval}."
    said = [
        f"{'' if place.series == EVERY_SOURCE else f'{place.series}, '}{place.at}: {estimate_text(place.estimate)}"
        for place in _drawn(places_of(means, split))
    ]
    return f"Mean ratings: {'; '.join(said)}."


# The course of a dialogue: the mean rating after each turn with its interval as a band, one line per source.


def turn_means(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the mean at each turn."""
    return [f for f in estimates if f.statistic == "mean" and set(f.scope) in ({"turn"}, {"turn", "source"})]


def turn_places(means: Sequence[Estimate]) -> list[Place]:
    """Where the means of `turn_means` are drawn."""
    return [Place(str(f.scope["turn"]), f.scope["turn"], f.scope.get("source", EVERY_SOURCE), f) for f in means]


def turns_spec(
    estimates: Sequence[Estimate],
    *,
    title: str,
    theme: Theme = "light",
    width: Width = 560,
    points: Sequence[float] = (),
) -> Spec | None:
    """Return a chart with one line per source over the turns, on an axis of the `points`."""
    draw = partial(lines_spec, x="Turn", y="Mean rating", title=title, theme=theme, width=width, points=points)
    return draw(turn_places(estimates), is_ordered=True)


def turns_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per turn and one column per source."""
    return lines_table(turn_places(estimates), "Turn")


def turns_finding(means: Sequence[Estimate], among: Sequence[Estimate] = ()) -> str:
    """Describe the slope of each source if it is `among` the estimates, or its first and last mean."""
    slopes = [f for f in among if f.statistic == "turn_slope" and f.estimate is not None]
    if slopes:
        said = [f"{f.scope.get('source', EVERY_SOURCE)} {estimate_text(f)} ({interval_text(f)})" for f in slopes]
        return f"Change of the mean rating per turn, with 95% CIs: {'; '.join(said)}."
    by_series: dict[str, list[Place]] = {}
    for place in turn_places(means):
        by_series.setdefault(place.series, []).append(place)
    ends = [
        f"{name} from {estimate_text(places[0].estimate)} at turn {places[0].at} to "
        f"{estimate_text(places[-1].estimate)} at turn {places[-1].at}"
        for name, places in by_series.items()
    ]
    return f"Mean ratings: {'; '.join(ends)}."
