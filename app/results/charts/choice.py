"""Stacked bars of a forced choice: source, tie, neither, reference, and the share preferred with its interval."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import altair as alt

from app.analysis.estimate import Estimate, without
from app.analysis.findings.main_contrasts import n_answers
from app.analysis.wording.formatting import (
    estimate_text,
    generalizes_text,
    interval_text,
    number,
    of_text,
    on_two_lines,
    p_cell,
    scope_text,
)
from app.base.words import counted
from app.results.charts.rows import LEAST_WIDTH, PERCENT, Rows, bar_labels, legend_of, percent
from app.results.charts.table import Table, first_few
from app.results.charts.theme import (
    COLOURS,
    LABEL_LIMIT,
    SCHEMA,
    Colours,
    Spec,
    Theme,
    Width,
    config,
    diverging,
    ink_on,
    label_height,
    lines_of,
    row_labels,
    series_colours,
    title_of,
)

ROW_HEIGHT, MARKS_HEIGHT, BAR_HEIGHT = 66, 56, 29
# Offset of the bar below the middle of its row, and of the interval above it.
BELOW, ABOVE = 8, -14
SUBTITLE = "Point and line: share preferred{ties}, with 95% CI"


def shares_preferred(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Return the first share preferred against each reference, whose interval is for new items and raters."""
    shares = [
        estimate for estimate in estimates if estimate.statistic == "share_preferred" and "reference" in estimate.scope
    ]
    first = list({str(estimate.scope): estimate for estimate in reversed(shares)}.values())[::-1]
    return [estimate for estimate in first if estimate.scope["reference"] == first[0].scope["reference"]]


def preference_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return one bar per source, against the reference; None if there are no choices."""
    rows = [estimate for estimate in shares_preferred(estimates) if estimate.estimate is not None]
    if not rows:
        return None
    colours = COLOURS[theme]
    data = alt.InlineData(
        [{"k": k, **segment} for k, estimate in enumerate(rows) for segment in _segments(estimate, rows, theme)]
    )
    places = Rows([*map(_label, rows)], [*map(_numbers, rows)], (ROW_HEIGHT, MARKS_HEIGHT), width)
    base = alt.Chart(data).encode(y=places.place)
    named = base.encode(y=places.named)
    points = alt.InlineData([{"k": k, **_interval(estimate)} for k, estimate in enumerate(rows)])
    above = alt.Chart(points).encode(y=places.place)
    has_ties = any(estimate.detail["counts"][1] for estimate in rows)
    subtitle = f"{SUBTITLE.format(ties=', ties as half' if has_ties else '')} {generalizes_text(rows)}".rstrip()
    bars = [places.line_at(0.5, theme), _bars(named, rows, theme, places), bar_labels(base, 1, BELOW)]
    layers = [*bars, *_estimates(above, places.valued, colours)]
    chart = (
        alt.layer(*layers)
        .resolve_axis(y="independent")
        .properties(
            title=title_of(title, subtitle),
            width=width,
            height=places.height,
        )
    )
    return {**chart.to_dict(validate=False), "config": config(theme)}


def preference_table(estimates: Sequence[Estimate]) -> Table:
    """Return one row per source: counts of each outcome, share preferred, interval and p-value."""
    header = (
        "Comparison",
        "Preferred",
        "Tie",
        "Neither",
        "Reference preferred",
        "Share preferred",
        "95% CI",
        "p",
    )
    rows = []
    for estimate in shares_preferred(estimates):
        counts, n = estimate.detail["counts"], estimate.n_ratings
        cells = [f"{count} ({number(count / n, 'share')})" if n else "0" for count in counts]
        words = interval_text(estimate) or estimate.note
        rows.append((of_text(estimate), *cells, estimate_text(estimate), words, p_cell(estimate)))
    return Table(header, tuple(rows))


def preference_finding(estimates: Sequence[Estimate]) -> str:
    """Describe each share preferred with its interval."""
    known = [estimate for estimate in shares_preferred(estimates) if estimate.estimate is not None]
    said = [
        f"{f.scope['source']} preferred over {f.scope['reference']} in {estimate_text(f)} of "
        f"{counted(n_answers(f) or 0, 'choice')} ({interval_text(f)})"
        for f in known
    ]
    return first_few(said) if said else "No share could be estimated."


def _bars(base: alt.Chart, rows: Sequence[Estimate], theme: Theme, places: Rows) -> alt.Chart:
    words = _words(rows)
    used = [k for k in range(len(words)) if any(estimate.detail["counts"][k] for estimate in rows)]
    scale = alt.Scale(domain=[words[k] for k in used], range=[_ramp(theme)[k] for k in used])
    axis = alt.Axis(labelExpr=PERCENT, grid=False, tickCount=5)
    sides = f"Share of choices: {words[0]} on the left, {words[-1]} on the right"
    bars: alt.Chart = base.mark_bar(height=BAR_HEIGHT, yOffset=BELOW).encode(
        x=alt.X(
            "low:Q",
            title=lines_of(sides, places.marks_width),
            axis=axis,
            scale=alt.Scale(domain=[0, 1]),
        ),
        x2="high:Q",
        color=alt.Color("word:N", scale=scale, legend=legend_of([words[k] for k in used], places.marks_width)),
        tooltip=[
            alt.Tooltip("name:N", title="Comparison"),
            alt.Tooltip("word:N", title="Outcome"),
            alt.Tooltip("count:Q", title="Choices"),
            alt.Tooltip("share:Q", title="Share", format=".1%"),
        ],
    )
    return bars


def _estimates(above: alt.Chart, numbers: alt.Y, colours: Colours) -> list[alt.Chart]:
    ink = colours.ink
    line = above.mark_rule(strokeWidth=2, color=ink, yOffset=ABOVE, y2Offset=ABOVE).encode(x="low:Q", x2="high:Q")
    point = above.mark_point(filled=True, size=80, opacity=1, color=ink, yOffset=ABOVE)
    return [line, point.encode(x="estimate:Q", y=numbers, tooltip="text:N")]


def _segments(estimate: Estimate, rows: Sequence[Estimate], theme: Theme) -> list[dict[str, Any]]:
    counts = estimate.detail["counts"]
    shares = [count / sum(counts) for count in counts]
    ends = list(accumulate(shares, initial=0.0))
    return [
        {
            "name": of_text(estimate),
            "word": word,
            "count": counts[k],
            "share": shares[k],
            "percent": percent(shares[k]),
            "low": ends[k],
            "high": ends[k + 1],
            "middle": (ends[k] + ends[k + 1]) / 2,
            "ink": ink_on(_ramp(theme)[k]),
        }
        for k, word in enumerate(_words(rows))
    ]


def _interval(estimate: Estimate) -> dict[str, Any]:
    low, high = (estimate.estimate if end is None else end for end in (estimate.ci_low, estimate.ci_high))
    text = " ".join(_numbers(estimate))
    return {"estimate": estimate.estimate, "low": low, "high": high, "text": text}


def _numbers(estimate: Estimate) -> tuple[str, str]:
    # the reason for no interval is in the table, and would be cut here
    return estimate_text(estimate), "no interval" if estimate.ci_low is None else interval_text(estimate)


def _label(estimate: Estimate) -> tuple[str, ...]:
    others = without(estimate.scope, "source", "reference")
    who = f", {scope_text(others)}" if others else ""
    return (
        f"{estimate.scope['source']}\nagainst {estimate.scope['reference']}{who}",
        counted(estimate.n_ratings or 0, "choice"),
    )


def _words(rows: Sequence[Estimate]) -> tuple[str, ...]:
    sources = {estimate.scope["source"] for estimate in rows}
    source = f"{next(iter(sources))} preferred" if len(sources) == 1 else "source preferred"
    return source, "tie", "neither", f"{rows[0].scope['reference']} preferred"


def _ramp(theme: Theme) -> tuple[str, str, str, str]:
    """The reference and the source have the colours that they have as the first and second series of other charts."""
    reference, source = series_colours(2, theme)
    return source, COLOURS[theme].tie, COLOURS[theme].neither, reference


# All pairs of sources: how often the row was preferred over the column; strongest source first.

MIN_SOURCES = 3
CELL, STEPS = 44, 9
# The width of a character of a label, in pixels.
CHARACTER = 7.5
WIN_MATRIX_SUBTITLE = "Share of choices in which the row was preferred over the column, ties as half. Strongest first"


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
    limit = min(LABEL_LIMIT, (width if isinstance(width, int) else LEAST_WIDTH) // 3)
    # columns, whose names are those of the rows, have no room for lines
    y = {"field": "row", "type": "nominal", "title": None, "sort": names, "axis": row_labels(names, limit)}
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
        "title": title_of(title, WIN_MATRIX_SUBTITLE),
        "width": width,
        "height": max(CELL, label_height(names, limit)) * len(names),
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
    strengths = {f.scope["source"]: on_two_lines(f) for f in strengths_of(estimates)}
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
