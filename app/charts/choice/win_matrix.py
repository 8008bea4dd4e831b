"""All pairs of sources: how often the row was preferred over the column; strongest source first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.analysis.wording.formatting import estimate_text, interval_text, number
from app.charts.drawing.rows import percent
from app.charts.drawing.table import Table
from app.charts.drawing.theme import COLOURS, SCHEMA, config, diverging, ink_on, title_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.charts.drawing.theme import Spec, Theme, Width

MIN_SOURCES = 3
CELL, STEPS = 44, 9
# The width of a chart that fills its container, if that is narrow; and of a character of a label, in pixels.
LEAST_WIDTH, CHARACTER = 480, 7.5
SUBTITLE = "Share of choices in which the row was preferred over the column, ties as half. Strongest first"


def strengths_of(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the strength of each source, strongest first."""
    found = {f.scope["source"]: f for f in reversed(estimates) if _is_strength(f)}
    return sorted(found.values(), key=lambda f: -(f.estimate or 0.0))


def _is_strength(estimate: Estimate) -> bool:
    return estimate.statistic == "bt_strength" and set(estimate.scope) == {"source", "reference"}


def shares_of(estimates: Sequence[Estimate]) -> dict[tuple[str, str], float]:
    """Return how often the first of a pair was preferred over the second, for both orders."""
    found: dict[tuple[str, str], float] = {}
    for estimate in estimates:
        if estimate.statistic == "share_preferred" and set(estimate.scope) == {"source", "reference"}:
            pair = (estimate.scope["source"], estimate.scope["reference"])
            if estimate.estimate is not None and pair not in found:
                found |= {pair: estimate.estimate, pair[::-1]: 1 - estimate.estimate}
    return found


def order_of(estimates: Sequence[Estimate]) -> list[str]:
    """Return the sources, strongest first, followed by sources without a strength."""
    ranked = [f.scope["source"] for f in strengths_of(estimates) if f.estimate is not None]
    return list(dict.fromkeys([*ranked, *(source for source, _ in shares_of(estimates))]))


def win_matrix_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a matrix with one cell per pair; None for fewer than three sources, where a single bar is enough."""
    names, shares = order_of(estimates), shares_of(estimates)
    if len(names) < MIN_SOURCES:
        return None
    colours = diverging(STEPS, theme)
    rows = [_cell(pair, share, colours) for pair, share in shares.items()]
    y = {"field": "row", "type": "nominal", "title": None, "sort": names}
    x = {
        "field": "column",
        "type": "nominal",
        "title": "… over",
        "sort": names,
        "axis": {"orient": "top", "labelLimit": 160, **_turned(names, width)},
    }
    fill = {"field": "fill", "type": "nominal", "scale": None}
    ink = {"field": "ink", "type": "nominal", "scale": None}
    at = {"x": x, "y": y}
    return {
        "$schema": SCHEMA,
        "title": title_of(title, SUBTITLE),
        "width": width,
        "height": CELL * len(names),
        "data": {"values": rows},
        "layer": [
            {"mark": {"type": "rect", "stroke": COLOURS[theme].grid}, "encoding": {**at, "color": fill}},
            {"mark": {"type": "text"}, "encoding": {**at, "text": {"field": "percent"}, "color": ink}},
        ],
        "config": config(theme),
    }


def _turned(names: Sequence[str], width: Width) -> dict[str, Any]:
    """Names above the columns are horizontal, or at an angle where they would not fit side by side."""
    each = (width if isinstance(width, int) else LEAST_WIDTH) / len(names)
    do_fit = max(map(len, names)) * CHARACTER <= each
    return {"labelAngle": 0} if do_fit else {"labelAngle": -45, "labelAlign": "left"}


def _cell(pair: tuple[str, str], share: float, colours: list[str]) -> dict[str, Any]:
    fill = colours[min(int(share * STEPS), STEPS - 1)]
    place = {"row": pair[0], "column": pair[1]}
    return {**place, "share": share, "percent": percent(share), "fill": fill, "ink": ink_on(fill)}


def win_matrix_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per source: its strength, and how often it was preferred over each other source."""
    names, shares = order_of(estimates), shares_of(estimates)
    strengths = {f.scope["source"]: _strength(f) for f in strengths_of(estimates)}
    rows = tuple(
        (one, strengths.get(one, "–"), *(_share(shares.get((one, other)), one == other) for other in names))
        for one in names
    )
    return Table(("Source", "Strength (log ability)", *(f"over {name}" for name in names)), rows)


def win_matrix_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the strongest and the weakest source."""
    names, shares = order_of(estimates), shares_of(estimates)
    if len(names) < MIN_SOURCES:
        return "Fewer than three sources were compared."
    best, worst = names[0], names[-1]
    share = shares.get((best, worst))
    words = f" and was preferred over {worst}, the weakest, in {number(share, 'share')}" if share is not None else ""
    return f"{best} is the strongest source{words}."


def _share(share: float | None, is_itself: bool) -> str:  # noqa: FBT001 - whether the cell is on the diagonal
    return "" if is_itself else "–" if share is None else number(share, "share")


def _strength(estimate: Estimate) -> str:
    return f"{estimate_text(estimate)}\n{interval_text(estimate)}".strip()
