"""Forest plot: the mean difference per source and question, with its confidence interval for new items and raters."""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from app.analysis.estimate import Estimate, without
from app.analysis.wording.formatting import (
    estimate_and_interval,
    estimate_text,
    generalizes_text,
    interval_text,
    p_cell,
    scope_text,
)
from app.base.numbers import MINUS
from app.results.charts.rows import MANY, Rows
from app.results.charts.table import Table, first_few
from app.results.charts.theme import COLOURS, Colours, Spec, Theme, Width, config, title_of

ROW_HEIGHT, LOW_ROW_HEIGHT = 30, 19
# Of the points and intervals of a row, in pixels.
MARKS_HEIGHT = 20
# Between the ends of the axis and the first and last point, in pixels: a point there would touch the labels.
EDGE = 8
# Characters of a label that fit on one line.
MAX_NAME = 34


def headlines(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the first mean difference per question and scope: that of the declared test, if there is one."""
    found = [estimate for estimate in estimates if estimate.statistic == "mean_difference"]
    return list({(estimate.measured, str(estimate.scope)): estimate for estimate in reversed(found)}.values())[::-1]


def forest_spec(
    estimates: Sequence[Estimate],
    margins: Mapping[str, float] | None = None,
    widths: Mapping[str, float] | None = None,
    *,
    title: str,
    theme: Theme = "light",
    width: Width = 400,
) -> Spec | None:
    """Return a chart with one row per estimable difference and its values beside it; None if there is none.

    `margins`: the declared equivalence margin by the question's label; shaded on both sides of zero. `widths`: the
    width of the scale by the question's label. Differences on scales of unlike widths are drawn in percent of their
    scale; the values beside them are in points.
    """
    known = [estimate for estimate in headlines(estimates) if estimate.estimate is not None]
    rows = sorted(known, key=lambda estimate: estimate.role != "primary")
    if not rows:
        return None
    margins, colours = margins or {}, COLOURS[theme]
    units = _units(rows, widths or {})
    labels, headings, places = _places(rows)
    data = alt.InlineData(
        [
            {
                "k": k,
                **_row(estimate, rows, unit),
                **_margin(estimate, margins, unit),
                **ink(estimate, colours),
            }
            for k, estimate, unit in zip(places, rows, units, strict=True)
        ]
    )
    height = LOW_ROW_HEIGHT if max(map(len, labels)) == 1 and len(labels) > MANY else ROW_HEIGHT
    is_of_width = len({*units}) > 1
    subtitle = _subtitle(rows, margins, is_of_width=is_of_width)
    names = Rows(labels, _values(rows, places), (height, MARKS_HEIGHT), width, headings)
    base = alt.Chart(data).encode(y=names.place, color=alt.Color("ink:N", scale=None))
    interval = base.mark_rule(strokeWidth=2).encode(x=_x(is_of_width=is_of_width), x2="high:Q", y=names.named)
    point = base.mark_point(size=90, opacity=1, strokeWidth=2).encode(
        x="estimate:Q", fill=alt.Fill("fill:N", scale=None), tooltip=_tooltip()
    )
    numbers = base.mark_point(opacity=0).encode(x="estimate:Q", y=names.valued)
    chart = (
        alt.layer(*_margins(base, margins, colours), names.line_at(0, theme), interval, point, numbers)
        .resolve_axis(y="independent")
        .properties(title=title_of(title, subtitle), width=width, height=names.height)
    )
    return {**chart.to_dict(validate=False), "config": config(theme)}


def _places(rows: Sequence[Estimate]) -> tuple[list[tuple[str, ...]], list[int], list[int]]:
    """The label of each row, which rows are headings, and the row of each difference: primary ones apart."""
    labels: list[tuple[str, ...]] = [_name(estimate, rows) for estimate in rows]
    n_primary = sum(estimate.role == "primary" for estimate in rows)
    if n_primary in {0, len(rows)}:
        return labels, [], [*range(len(rows))]
    first, others = labels[:n_primary], labels[n_primary:]
    places = [1 + k + (k >= n_primary) for k in range(len(rows))]
    return [("Primary",), *first, ("Exploratory",), *others], [0, n_primary + 1], places


def _values(rows: Sequence[Estimate], places: Sequence[int]) -> list[tuple[str, ...]]:
    values: list[tuple[str, ...]] = [("",)] * (places[-1] + 1)
    for place, estimate in zip(places, rows, strict=True):
        # the reason for no interval is in the table, and would be cut here
        values[place] = (
            estimate_and_interval(estimate)
            if estimate.ci_low is not None
            else f"{estimate_text(estimate)} (no interval)",
        )
    return values


def ink(estimate: Estimate, colours: Colours) -> dict[str, str]:
    """Colour and filling say the same, for print in grey: whether a difference is clear, or a margin met."""
    if estimate.verdict in {"clear", "equivalent", "non_inferior"}:
        return {"ink": colours.source, "fill": colours.source}
    return {"ink": colours.muted, "fill": "transparent"}


def ink_legend(estimates: Sequence[Estimate]) -> str:
    """What `ink` means for these estimates; margins are met or not shown to be."""
    of_margins = [one.verdict in {"equivalent", "non_inferior", "not_shown"} for one in estimates]
    said = " or ".join((*(("clear",) if not all(of_margins) else ()), *(("margin met",) if any(of_margins) else ())))
    if all(one.p_value is None for one in estimates):
        return f"Filled, blue: {said}, the 95% CI is on one side of no difference"
    return (
        f"Filled, blue: {said}, {'adjusted p' if any(one.p_adjusted is not None for one in estimates) else 'p'} < .05"
    )


def forest_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per difference: estimate, interval, p-value and counts, or the reason if it is not estimable."""
    header = ("Comparison", "Mean difference", "95% CI", "p", "Items", "Raters", "Ratings")
    rows = []
    for estimate in headlines(estimates):
        name = f"{estimate.measured}: {scope_text(estimate.scope)}"
        words = interval_text(estimate) or estimate.note
        counts = (str(n) for n in (estimate.n_items, estimate.n_raters, estimate.n_ratings))
        rows.append((name, estimate_text(estimate), words, p_cell(estimate), *counts))
    return Table(header, tuple(rows))


def _units(rows: Sequence[Estimate], widths: Mapping[str, float]) -> list[float]:
    """The points per unit of the axis for each row: 1, or a percent of its scale if the scales are of unlike widths."""
    found = [widths.get(str(estimate.measured), 1.0) for estimate in rows]
    return [width / 100 for width in found] if len({*found}) > 1 else [1.0] * len(rows)


def _x(*, is_of_width: bool) -> alt.X:
    axis = alt.Axis(tickCount=6, gridOpacity=0.7)
    title = f"Mean difference in {'percent of the width' if is_of_width else 'points'} of the scale"
    return alt.X("low:Q", title=title, axis=axis, scale=alt.Scale(zero=True, padding=EDGE))


def _row(estimate: Estimate, rows: Sequence[Estimate], unit: float) -> dict[str, Any]:
    value = estimate.estimate or 0.0
    low, high = (value if end is None else end for end in (estimate.ci_low, estimate.ci_high))
    return {
        "row": " ".join(", ".join(_name(estimate, rows)).split()),
        "estimate": value / unit,
        "text": estimate_and_interval(estimate),
        "low": low / unit,
        "high": high / unit,
        "n_items": estimate.n_items,
        "n_raters": estimate.n_raters,
        "n_ratings": estimate.n_ratings,
    }


def _name(estimate: Estimate, rows: Sequence[Estimate]) -> tuple[str, ...]:
    """Label of a row: the question, the source if there are several, and the pool on a line of its own."""
    named = _question_and_source(estimate, rows)
    # if one label is too long, all have the source on a line of its own: a long line would be cut at its end
    is_long = any(len(": ".join(_question_and_source(row, rows))) > MAX_NAME for row in rows)
    others = without(estimate.scope, "source", "reference")
    return (*(named if is_long else (": ".join(named),)), *((scope_text(others),) if others else ()))


def _question_and_source(estimate: Estimate, rows: Sequence[Estimate]) -> tuple[str, ...]:
    sources, references = ({row.scope[part] for row in rows} for part in ("source", "reference"))
    source, reference = estimate.scope["source"], estimate.scope["reference"]
    if len(references) > 1:
        between = "\n" if len(f"{source} {MINUS} {reference}") > MAX_NAME else " "
        return str(estimate.measured), f"{source} {MINUS}{between}{reference}"
    return (str(estimate.measured),) if len(sources) == 1 else (str(estimate.measured), str(source))


def _margin(estimate: Estimate, margins: Mapping[str, float], unit: float) -> dict[str, float]:
    margin = margins.get(str(estimate.measured))
    return {} if margin is None else {"margin_low": -margin / unit, "margin_high": margin / unit}


def _margins(base: alt.Chart, margins: Mapping[str, float], colours: Colours) -> list[alt.Chart]:
    """Return a layer with the equivalence margin of each row, behind its interval."""
    if not margins:
        return []
    known = base.transform_filter("isValid(datum.margin_low)")
    band: alt.Chart = known.mark_rect(fill=colours.band).encode(x="margin_low:Q", x2="margin_high:Q")
    return [band]


def _subtitle(rows: Sequence[Estimate], margins: Mapping[str, float], *, is_of_width: bool) -> str:
    sources, references = ({estimate.scope[part] for estimate in rows} for part in ("source", "reference"))
    who = next(iter(sources)) if len(sources) == 1 else "Each source"
    what = "Differences as named" if len(references) > 1 else f"{who} {MINUS} {next(iter(references))}"
    shaded = ". Shaded: equivalence margin" if margins else ""
    values = ". Values: points of each scale" if is_of_width else ""
    return f"{what}, with 95% CIs {generalizes_text(rows)}".rstrip() + f". {ink_legend(rows)}{values}{shaded}"


def forest_finding(estimates: Sequence[Estimate]) -> str:
    """Describe each difference with its interval."""
    known = [f for f in headlines(estimates) if f.estimate is not None]
    said = [f"{f.measured}, {scope_text(f.scope)}: {estimate_and_interval(f)}" for f in known]
    return f"Mean differences with 95% CIs. {first_few(said)}" if said else "No difference could be estimated."


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("row:N", title="Comparison"),
        alt.Tooltip("text:N", title="Difference"),
        alt.Tooltip("n_items:Q", title="Items"),
        alt.Tooltip("n_raters:Q", title="Raters"),
        alt.Tooltip("n_ratings:Q", title="Ratings"),
    ]
