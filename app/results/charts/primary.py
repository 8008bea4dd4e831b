"""The primary contrasts of every kind as points with intervals, one chart for each unit."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import altair as alt

from app.analysis.estimate import Estimate
from app.analysis.report.report import Report
from app.analysis.report.verdicts import effect_behind
from app.analysis.statistic import declared
from app.analysis.wording.formatting import (
    ci_heading,
    estimate_and_interval,
    estimate_text,
    generalizes_text,
    interval_text,
    kind_of,
    of_text,
    p_cell,
    scope_text,
)
from app.base.numbers import whole
from app.results.charts.forest import EDGE, MARKS_HEIGHT, ROW_HEIGHT, ink, ink_legend
from app.results.charts.rows import Axis, Rows
from app.results.charts.table import Table, first_few
from app.results.charts.theme import COLOURS, Spec, Theme, Width, config, title_of

HEADER = ("Comparison or group", "Estimate", "95% CI", "p", "Items", "Raters", "Ratings")
PERCENT = 100
ENDS = ("estimate", "low", "high")
SLOPES = ("turn_slope", "turn_slope_difference")


def effects_of(report: Report) -> list[Estimate]:
    """The effect that each primary contrast is about, in the order of the protocol."""
    return [shown for _, shown in _contrasts(report)]


def _contrasts(report: Report) -> list[tuple[Estimate, Estimate]]:
    """The estimate of each primary contrast, with the effect that it is about."""
    return [(one, effect_behind(one, report.estimates)) for one in report.primary_estimates]


def primary_effects(report: Report, shown_elsewhere: Sequence[Estimate]) -> list[list[Estimate]]:
    """The effects of the primary contrasts in the order of the protocol, those of one unit together.

    Without those that another chart shows: differences in ratings between two sources are beside the exploratory ones,
    and those `shown_elsewhere` in charts of their own.
    """
    found: dict[tuple[str, float | None], list[Estimate]] = {}
    for contrast, shown in _contrasts(report):
        is_elsewhere = shown.statistic == "mean_difference" or shown in shown_elsewhere
        if not is_elsewhere and (axis := axis_of(shown)) is not None:
            decided = {name: getattr(contrast, name) for name in ("verdict", "p_value", "p_adjusted")}
            found.setdefault((axis.title, axis.rule), []).append(replace(shown, **decided))
    return [[*group] for group in found.values() if any(one.estimate is not None for one in group)]


def axis_of(estimate: Estimate) -> Axis | None:
    """The axis of an effect, with a line at no difference; None for ratios and test statistics."""
    kind, null = kind_of(estimate), declared(estimate.statistic).no_difference
    if estimate.statistic in SLOPES:
        return Axis("Points of the scale per turn", null)
    if kind == "points":
        return Axis("d\N{PRIME}" if estimate.statistic == "dprime" else "Points of the scale", null)
    if kind == "share_points":
        return Axis("Percentage points", null)
    if kind == "share":
        return Axis("Share", null, is_share=True)
    return Axis("Coefficient", null) if kind == "coefficient" else None


def primary_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 400
) -> Spec | None:
    """Return a chart with a row for each effect that could be estimated; `estimates` have the same unit."""
    known = [one for one in estimates if one.estimate is not None]
    axis = axis_of(known[0])
    assert axis is not None  # noqa: S101 - others are in no group
    labels = [_lines(one, known) for one in known]
    values = [(estimate_and_interval(one),) for one in known]
    rows = Rows(labels, values, (ROW_HEIGHT, MARKS_HEIGHT), width)
    has_verdicts = any(one.verdict is not None for one in known)
    colours = COLOURS[theme]
    plain = {"ink": colours.source, "fill": colours.source}
    marks = [{**_row(k, one), **(ink(one, colours) if has_verdicts else plain)} for k, one in enumerate(known)]
    base = alt.Chart(alt.InlineData(marks)).encode(y=rows.place, color=alt.Color("ink:N", scale=None))
    ticks = alt.Axis(tickCount=6, gridOpacity=0.7, format=".0%" if axis.is_share else alt.Undefined)
    x = alt.X("low:Q", title=axis.title, axis=ticks, scale=alt.Scale(zero=not axis.is_share, padding=EDGE))
    interval = base.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q", y=rows.named)
    point = base.mark_point(size=90, opacity=1, strokeWidth=2).encode(
        x="estimate:Q", fill=alt.Fill("fill:N", scale=None)
    )
    layers = [interval, point, base.mark_point(opacity=0).encode(x="estimate:Q", y=rows.valued)]
    if axis.rule is not None:
        layers.insert(0, rows.line_at(axis.rule, theme))
    held = generalizes_text(one for one in known if one.ci_low is not None)
    rule = "" if axis.rule is None else "; dashed: no difference"
    legend = f". {ink_legend(known)}" if has_verdicts else ""
    named = title_of(title, f"Estimates with {ci_heading(known)}s {held}".rstrip() + rule + legend)
    chart = alt.layer(*layers).resolve_axis(y="independent").properties(title=named, width=width, height=rows.height)
    return {**chart.to_dict(validate=False), "config": config(theme)}


def _row(k: int, one: Estimate) -> dict[str, float]:
    times = PERCENT if kind_of(one) == "share_points" else 1
    low, high = (one.estimate if end is None else end for end in (one.ci_low, one.ci_high))
    return {"k": k, **{name: times * (x or 0.0) for name, x in zip(ENDS, (one.estimate, low, high), strict=True)}}


def _lines(estimate: Estimate, among: Iterable[Estimate]) -> tuple[str, ...]:
    """What the effect is of, in phrases; its question first if the chart has several."""
    of, question = of_text(estimate) if estimate.scope else "", str(estimate.measured or "")
    has_question = not of or len({one.measured for one in among}) > 1
    return tuple(filter(None, (question if has_question else "", of)))


def primary_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per effect, or the reason if it cannot be estimated."""
    return Table(
        HEADER,
        tuple(
            (
                f"{one.measured}: {scope_text(one.scope)}",
                estimate_text(one),
                interval_text(one) or one.note,
                p_cell(one),
                *("–" if n is None else whole(n) for n in (one.n_items, one.n_raters, one.n_ratings)),
            )
            for one in estimates
        ),
    )


def primary_finding(estimates: Sequence[Estimate]) -> str:
    """Describe each effect with its interval."""
    known = [one for one in estimates if one.estimate is not None]
    said = [f"{one.measured}, {scope_text(one.scope)}: {estimate_and_interval(one)}" for one in known]
    return f"Estimates with {ci_heading(known)}s. {first_few(said)}"
