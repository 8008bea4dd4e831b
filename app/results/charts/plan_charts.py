"""Expected results of a planned study: the interval width and power of each statistic by number of raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from app.analysis.planning.plan import Plan, PlanRow
from app.analysis.statistic import Kind, declared
from app.analysis.wording.formatting import IN_PERCENT, number
from app.results.charts.table import Table
from app.results.charts.theme import COLOURS, Spec, Theme, Width, config, series_colours, title_of

Measure = Literal["width", "power"]
HEIGHT, PRINT_WIDTH = 220, 560
DEFAULT_POWER = 0.8
# Two standard errors to each side.
REACH = 2
TITLES: dict[Measure, str] = {"width": "Width of the 95% CI", "power": "Power"}


@dataclass(frozen=True, slots=True)
class PlanChart:
    """One chart. `key` is unique in a plan and valid in file names."""

    key: str
    title: str
    measure: Measure
    rows: tuple[PlanRow, ...]

    def spec(self, theme: Theme = "light", width: Width = PRINT_WIDTH) -> Spec:
        """Return one line per number of items and raters per trial, with bars of two Monte Carlo errors."""
        colours = COLOURS[theme]
        lines = list(dict.fromkeys(_line(row) for row in self.rows))
        palette = [colours.source, colours.reference, colours.ink, colours.muted]
        base = alt.Chart(alt.InlineData([self._point(row) for row in self.rows])).encode(
            x=alt.X("raters:Q", title="Raters", axis=alt.Axis(tickMinStep=1, tickCount=6), scale=alt.Scale(zero=False)),
            color=alt.Color(
                "line:N",
                title=None,
                legend=alt.Legend() if len(lines) > 1 else None,
                scale=alt.Scale(domain=lines, range=[palette[k % len(palette)] for k in range(len(lines))]),
            ),
        )
        y = alt.Y("value:Q", title=_axis(self.rows[0], self.measure), scale=alt.Scale(zero=True))
        tooltips = [alt.Tooltip("line:N", title="Size"), alt.Tooltip("raters:Q", title="Raters"), alt.Tooltip("text:N")]
        layers = [
            base.mark_line(strokeWidth=2).encode(y=y),
            base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q"), y2="high:Q"),
            base.mark_point(filled=True, size=70, opacity=1).encode(y=y, tooltip=tooltips),
        ]
        if self.measure == "power":
            goal = alt.Chart(alt.InlineData([{"y": DEFAULT_POWER}]))
            layers.insert(0, goal.mark_rule(color=colours.muted, strokeDash=[3, 3]).encode(y="y:Q"))
        chart = alt.layer(*layers).properties(title=title_of(self.title), width=width, height=HEIGHT)
        return {**chart.to_dict(validate=False), "config": config(theme)}

    def _point(self, row: PlanRow) -> dict[str, Any]:
        times = _times(row) if self.measure == "width" else 1
        value, error = times * getattr(row, self.measure), times * (getattr(row, f"{self.measure}_error") or 0.0)
        return {
            "line": _line(row),
            "raters": row.n_raters,
            "value": value,
            "text": f"{value:.2f} ± {error:.2f}",
            "low": max(value - REACH * error, 0.0),
            "high": value + REACH * error,
        }


def planning_charts(plan: Plan) -> list[PlanChart]:
    """Return charts of each statistic's interval width, and of its power if it is tested."""
    charts = []
    for place, statistic in enumerate(dict.fromkeys(row.statistic for row in plan.rows), start=1):
        for measure in ("width", "power"):
            rows = [row for row in plan.rows if row.statistic == statistic and getattr(row, measure) is not None]
            if rows:
                title = f"{declared(statistic).label}: {TITLES[measure].lower()}"
                charts.append(PlanChart(f"plan-{place}-{measure}", title, measure, tuple(rows)))
    return charts


def planning_table(rows: Sequence[PlanRow]) -> Table:
    """Return all expected results, one row per scenario and statistic."""
    header = (
        "Statistic",
        "Items",
        "Raters",
        "Raters per trial",
        "Total ratings",
        "Max. trials per rater",
        "Expected",
        "Width of the 95% CI",
        "Power",
    )
    return Table(header, tuple(_cells(row) for row in rows))


def _cells(row: PlanRow) -> tuple[str, ...]:
    words, kind = declared(row.statistic).label, declared(row.statistic).kind
    counts = (row.n_items, row.n_raters, row.raters_per_trial)
    places = f"{row.n_seats:,}" + (f" ({row.n_unfilled:,} unfilled)" if row.n_unfilled else "")
    estimate = "–" if row.estimate is None else number(row.estimate, kind)
    width = "no interval" if row.width is None else _with_error(row.width, row.width_error, kind)
    if row.width is not None and row.n_without:
        width += f", {row.n_without} of {row.n_simulations} simulations without an interval"
    power = "" if row.power is None else _with_error(row.power, row.power_error, "share")
    return (words, *map(str, counts), places, str(row.most_trials), estimate, width, power)


def _with_error(value: float, error: float | None, kind: Kind) -> str:
    return f"{number(value, kind)} ± {number(error or 0.0, kind)}"


def _times(row: PlanRow) -> int:
    """100 if widths of the statistic are said in percentage points."""
    return 100 if declared(row.statistic).kind in IN_PERCENT else 1


def _axis(row: PlanRow, measure: Measure) -> str:
    return TITLES[measure] + (" (percentage points)" if measure == "width" and _times(row) > 1 else "")


def _line(row: PlanRow) -> str:
    return f"{row.n_items} items, {row.raters_per_trial} raters per trial"


# How the width of an interval falls with the number of items, one line per number of raters per trial.

WIDTH, CURVE_HEIGHT = 480, 230


def curve_spec(rows: Sequence[PlanRow], goal: float, theme: Theme = "light") -> Spec:
    """Return the curve with the goal as a dashed line, in the unit in which pages say a width."""
    times = _times(rows[0])
    points = [
        {"items": row.n_items, "width": times * row.width, "line": _curve_line(row)}
        for row in rows
        if row.width is not None
    ]
    lines = list(dict.fromkeys(str(point["line"]) for point in points))
    base = alt.Chart(alt.InlineData(points)).encode(
        x=alt.X("items:Q", title="Items", axis=alt.Axis(tickMinStep=1, tickCount=6), scale=alt.Scale(zero=False)),
        y=alt.Y("width:Q", title=_axis(rows[0], "width"), scale=alt.Scale(zero=True)),
        color=alt.Color(
            "line:N",
            title=None,
            legend=alt.Legend(orient="bottom"),
            scale=alt.Scale(domain=lines, range=series_colours(len(lines), theme)),
        ),
        shape=alt.Shape("line:N", title=None, legend=None, scale=alt.Scale(domain=lines)),
    )
    rule = alt.Chart(alt.InlineData([{"y": times * goal}])).mark_rule(color=COLOURS[theme].muted, strokeDash=[4, 4])
    layers = [rule.encode(y="y:Q"), base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=70, opacity=1)]
    return {
        **alt.layer(*layers).properties(width=WIDTH, height=CURVE_HEIGHT).to_dict(validate=False),
        "config": config(theme),
    }


def _curve_line(row: PlanRow) -> str:
    return f"{row.raters_per_trial} rater{'' if row.raters_per_trial == 1 else 's'} per trial"
