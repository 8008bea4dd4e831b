"""The course of a dialogue: the mean rating after each turn with its interval as a band, one line per source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.wording.formatting import estimate_text, interval_text
from app.charts.drawing.lines import EVERY_SOURCE, Place, lines_spec, lines_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.charts.drawing.table import Table
    from app.charts.drawing.theme import Spec, Theme, Width


def turn_places(estimates: Sequence[Estimate]) -> list[Place]:
    """Return the mean at each turn."""
    means = [f for f in estimates if f.statistic == "mean" and set(f.scope) in ({"turn"}, {"turn", "source"})]
    return [Place(str(f.scope["turn"]), f.scope["turn"], f.scope.get("source", EVERY_SOURCE), f) for f in means]


def turns_spec(estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560) -> Spec | None:
    """Return a chart with one line per source over the turns."""
    places = turn_places(estimates)
    return lines_spec(places, x="Turn", y="Mean rating", title=title, theme=theme, width=width, is_ordered=True)


def turns_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per turn and one column per source."""
    return lines_table(turn_places(estimates), "Turn")


def turns_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the slope of each source, or its first and last mean."""
    slopes = [f for f in estimates if f.statistic == "turn_slope" and f.estimate is not None]
    if slopes:
        said = [f"{f.scope.get('source', EVERY_SOURCE)} {estimate_text(f)} ({interval_text(f)})" for f in slopes]
        return f"Change of the mean rating per turn, with 95% CIs: {'; '.join(said)}."
    by_series: dict[str, list[Place]] = {}
    for place in turn_places(estimates):
        by_series.setdefault(place.series, []).append(place)
    ends = [
        f"{name} from {estimate_text(places[0].estimate)} at turn {places[0].at} to "
        f"{estimate_text(places[-1].estimate)} at turn {places[-1].at}"
        for name, places in by_series.items()
    ]
    return f"Mean ratings: {'; '.join(ends)}."
