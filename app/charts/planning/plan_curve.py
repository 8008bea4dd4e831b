"""How the width of an interval falls with the number of items, one line per number of raters per trial."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from app.charts.drawing.theme import COLOURS, config, series_colours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.analysis.planning.planning import PlanRow
    from app.charts.drawing.theme import Spec, Theme

WIDTH, HEIGHT = 480, 230


def curve_spec(rows: Sequence[PlanRow], goal: float, theme: Theme = "light") -> Spec:
    """Return the curve with the goal as a dashed line."""
    points = [{"items": row.n_items, "width": row.width, "line": _line(row)} for row in rows if row.width is not None]
    lines = list(dict.fromkeys(str(point["line"]) for point in points))
    base = alt.Chart(alt.InlineData(points)).encode(
        x=alt.X("items:Q", title="Items", axis=alt.Axis(tickMinStep=1, tickCount=6), scale=alt.Scale(zero=False)),
        y=alt.Y("width:Q", title="Width of the 95% CI", scale=alt.Scale(zero=True)),
        color=alt.Color(
            "line:N",
            title=None,
            legend=alt.Legend(orient="bottom"),
            scale=alt.Scale(domain=lines, range=series_colours(len(lines), theme)),
        ),
        shape=alt.Shape("line:N", title=None, legend=None, scale=alt.Scale(domain=lines)),
    )
    rule = alt.Chart(alt.InlineData([{"y": goal}])).mark_rule(color=COLOURS[theme].muted, strokeDash=[4, 4])
    layers = [rule.encode(y="y:Q"), base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=70, opacity=1)]
    return {**alt.layer(*layers).properties(width=WIDTH, height=HEIGHT).to_dict(), "config": config(theme)}


def _line(row: PlanRow) -> str:
    return f"{row.raters_per_trial} rater{'' if row.raters_per_trial == 1 else 's'} per trial"
