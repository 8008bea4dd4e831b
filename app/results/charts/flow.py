"""The flow of participants: who arrived, who was assigned to which arm, who finished, and whose answers count.

As in the diagram of the CONSORT statement (Hopewell et al. 2025), one box per step and one column per arm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from textwrap import wrap
from typing import Any

from app.analysis.data.flow import Arm, Flow
from app.analysis.estimate import Estimate
from app.analysis.findings.participants import NOT_ASSIGNED, arm_name, ends_of, exclusions_of, in_words
from app.base.numbers import whole
from app.protocol.study import Protocol
from app.results.charts.table import Table, first_few
from app.results.charts.theme import COLOURS, SCHEMA, Spec, Theme, Width, config, title_of

# More columns have no room for words; the table has all arms.
MAX_ARMS = 4
SUBTITLE = "Numbers of people"
LINE, PADDING, GAP = 16, 9, 22
# The width of a character in pixels, and that of a chart in a container of unknown width.
CHARACTER, CONTAINER = 6.9, 560
# The space between columns, as a share of the width.
BETWEEN = 0.03


@dataclass(frozen=True, slots=True)
class _Box:
    """Lines of text between two places, as shares of the width; the first line is strong."""

    left: float
    right: float
    top: int
    lines: tuple[str, ...]
    is_beside: bool = False

    @property
    def bottom(self) -> int:
        return self.top + LINE * len(self.lines) + 2 * PADDING

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


def flow_spec(
    _: Sequence[Estimate], *, flow: Flow, protocol: Protocol, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return the diagram; None without anybody, or with more than MAX_ARMS arms."""
    if not flow.arms or len(flow.arms) > MAX_ARMS:
        return None
    pixels = width if isinstance(width, int) else CONTAINER
    boxes, lines = _drawn(flow, protocol, pixels)
    height = max(box.bottom for box in boxes) + 1
    colours = COLOURS[theme]
    x: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [0, 1], "nice": False, "zero": False}}
    y: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [height, -1], "nice": False, "zero": False}}
    ends = {"x": {"field": "x", **x}, "y": {"field": "y", **y}, "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    text: Spec = {"x": {"field": "x", **x}, "y": {"field": "y", **y}, "text": {"field": "text"}}
    words = [word for box in boxes for word in _words(box)]
    fill = {"condition": {"test": "datum.beside", "value": "transparent"}, "value": colours.band}
    return {
        "$schema": SCHEMA,
        "title": title_of(title, SUBTITLE),
        "width": width,
        "height": height,
        "layer": [
            {"data": {"values": lines}, "mark": {"type": "rule", "color": colours.muted}, "encoding": ends},
            {
                "data": {"values": [_place(box) for box in boxes]},
                "mark": {"type": "rect", "stroke": colours.muted, "strokeWidth": 1, "cornerRadius": 4},
                "encoding": {**ends, "fill": fill},
            },
            *(
                {
                    "data": {"values": [word for word in words if word["strong"] == is_strong]},
                    "mark": {"type": "text", "baseline": "middle", "fontWeight": 600 if is_strong else "normal"},
                    "encoding": text,
                }
                for is_strong in (True, False)
            ),
        ],
        "config": config(theme),
    }


def _drawn(flow: Flow, protocol: Protocol, pixels: int) -> tuple[list[_Box], list[dict[str, float]]]:
    """Return the boxes and the lines that connect them."""
    room = (1 - BETWEEN) / 2
    first = _Box(0.5 - room / 2, 0.5 + room / 2, 0, _lines([f"Arrived: {whole(flow.n_arrived)}"], room, pixels))
    boxes, lines, top = [first], [], first.bottom + GAP
    n_before = sum(flow.before.values())
    if n_before:
        said = [f"Not assigned: {whole(n_before)}", *in_words(flow.before, NOT_ASSIGNED)]
        beside = _Box(0.5 + BETWEEN, 1.0, top, _lines(said, 0.5 - BETWEEN, pixels), is_beside=True)
        boxes.append(beside)
        half = (beside.top + beside.bottom) / 2
        lines.append(_line(0.5, half, beside.left, half))
        top = beside.bottom + GAP
    n, above = len(flow.arms), first
    if n > 1:
        above = _Box(first.left, first.right, top, _lines([f"Assigned: {whole(flow.n_assigned)}"], room, pixels))
        boxes.append(above)
        lines.append(_line(0.5, first.bottom, 0.5, above.top))
        top = above.bottom + GAP
    wide = (1 - BETWEEN * (n - 1)) / n
    rows = [[_lines(said, wide, pixels) for said in _steps(arm, protocol, n)] for arm in flow.arms]
    starts, fork = top, top - GAP / 2
    tops = []
    for row in zip(*rows, strict=True):
        tops.append(starts)
        tallest = max(map(len, row))
        starts += LINE * tallest + 2 * PADDING + GAP if tallest else 0
    middles = []
    for number, steps in enumerate(rows):
        left = number * (wide + BETWEEN)
        column = [
            _Box(left, left + wide, at, said, is_beside=place == 1)
            for place, (at, said) in enumerate(zip(tops, steps, strict=True))
            if said
        ]
        boxes += column
        middles.append(column[0].middle)
        lines += [_line(a.middle, a.bottom, b.middle, b.top) for a, b in pairwise(column)]
        lines.append(_line(column[0].middle, fork, column[0].middle, column[0].top))
    lines.append(_line(0.5, above.bottom, 0.5, fork))
    if n > 1:
        lines.append(_line(min(middles), fork, max(middles), fork))
    return boxes, lines


def _steps(arm: Arm, protocol: Protocol, n_arms: int) -> list[list[str]]:
    """The boxes of an arm, from top to bottom; an empty one is left out."""
    of_arm = [arm_name(arm.name, protocol), f"assigned: {whole(arm.n_assigned)}"]
    n_ended = arm.n_assigned - arm.n_finished
    not_finished = [f"Not finished: {whole(n_ended)}", *ends_of(arm)] if n_ended else []
    partial = [f"{whole(arm.n_partial)} of them did not finish"] if arm.n_partial else []
    return [
        of_arm if n_arms > 1 else [f"Assigned: {whole(arm.n_assigned)}"],
        not_finished,
        [f"Finished: {whole(arm.n_finished)}"],
        [f"Analyzed: {whole(arm.n_analyzed)}", *partial, *exclusions_of(arm)],
    ]


def _lines(said: Sequence[str], share: float, pixels: int) -> tuple[str, ...]:
    return tuple(line for one in said for line in wrap(one, max(8, int((share * pixels - 2 * PADDING) / CHARACTER))))


def _place(box: _Box) -> dict[str, Any]:
    return {"x": box.left, "x2": box.right, "y": box.top, "y2": box.bottom, "beside": box.is_beside}


def _line(x: float, y: float, x2: float, y2: float) -> dict[str, float]:
    return {"x": x, "y": y, "x2": x2, "y2": y2}


def _words(box: _Box) -> list[dict[str, Any]]:
    first = box.top + PADDING + LINE / 2
    return [
        {"x": box.middle, "y": first + LINE * number, "text": line, "strong": number == 0}
        for number, line in enumerate(box.lines)
    ]


def flow_table(_: Sequence[Estimate], *, flow: Flow, protocol: Protocol) -> Table:
    """Return one row per step, with one column per arm."""
    names = [arm_name(arm.name, protocol) or "All raters" for arm in flow.arms]
    rows = [("Arrived", "", whole(flow.n_arrived))]
    rows += [
        (f"Not assigned: {said}", "", whole(flow.before[state]))
        for state, said in NOT_ASSIGNED.items()
        if flow.before.get(state)
    ]
    for name, arm in zip(names, flow.arms, strict=True):
        steps = [("Assigned", arm.n_assigned), ("Finished", arm.n_finished), ("Analyzed", arm.n_analyzed)]
        rows += [(step, name, whole(n)) for step, n in steps]
        rows += [("Not finished, or excluded", name, said) for said in (*ends_of(arm), *exclusions_of(arm))]
    return Table(("Step", "Arm", "People"), tuple(rows))


def flow_finding(_: Sequence[Estimate], *, flow: Flow, protocol: Protocol) -> str:
    """Describe how many arrived, and how many of each arm finished."""
    parts = [
        f"{arm_name(arm.name, protocol) or 'all raters'}: {whole(arm.n_assigned)} assigned, "
        f"{whole(arm.n_finished)} finished, {whole(arm.n_analyzed)} analyzed"
        for arm in flow.arms
    ]
    return first_few([f"{whole(flow.n_arrived)} arrived", *parts])
