"""The mean of each source by shown label or by condition."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.analysis.wording.formatting import estimate_text, interval_text
from app.charts.drawing.lines import EVERY_SOURCE, Place, lines_spec, lines_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.estimate import Estimate
    from app.charts.drawing.table import Table
    from app.charts.drawing.theme import Spec, Theme, Width

SCOPES = ("shown_label", "condition")
NAMES = {"shown_label": "Shown label", "condition": "Condition"}


def splits_of(estimates: Sequence[Estimate]) -> list[str]:
    """Return the scope keys by which means are split; shown labels come first."""
    means = [estimate for estimate in estimates if estimate.statistic == "mean"]
    return [split for split in SCOPES if any(set(f.scope) in ({split}, {split, "source"}) for f in means)]


def places_of(estimates: Sequence[Estimate], split: str) -> list[Place]:
    """Return the mean of each source in each condition, or of all responses if none is split by source."""
    means = [f for f in estimates if f.statistic == "mean"]
    by_source = [f for f in means if set(f.scope) == {split, "source"}]
    shown = by_source or [f for f in means if set(f.scope) == {split}]
    at = list(dict.fromkeys(str(f.scope[split]) for f in shown))
    return [
        Place(str(f.scope[split]), at.index(str(f.scope[split])), f.scope.get("source", EVERY_SOURCE), f) for f in shown
    ]


def conditions_spec(
    estimates: Sequence[Estimate], split: str, *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return a line chart in which parallel lines mean that there is no interaction."""
    draw = partial(lines_spec, x=NAMES[split], y="Mean rating", title=title, theme=theme, width=width)
    return draw(places_of(estimates, split), is_ordered=False)


def conditions_table(estimates: Sequence[Estimate], split: str) -> Table:
    """One row per condition, one column per source."""
    return lines_table(places_of(estimates, split), NAMES[split])


def conditions_finding(estimates: Sequence[Estimate], split: str) -> str:
    """Describe the interaction if there is one, otherwise the means."""
    found = [f for f in estimates if f.statistic == "interaction" and split in f.scope and f.estimate is not None]
    if found:
        one = found[0]
        interval = f" (95% CI {interval_text(one)})" if one.ci_low is not None else ""
        between = f"{one.scope['source']} minus {one.scope['reference']}"
        return f"The difference {between} changes by {estimate_text(one)} points under {one.scope[split]}{interval}."
    means = [f"{place.series}, {place.at}: {estimate_text(place.estimate)}" for place in places_of(estimates, split)]
    return f"Mean ratings: {'; '.join(means)}."
