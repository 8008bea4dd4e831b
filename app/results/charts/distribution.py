"""Diverging stacked bars: how often each point of a scale was chosen, one bar per source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import altair as alt

from app.analysis.estimate import Estimate
from app.analysis.wording.formatting import estimate_text, number, scope_text
from app.results.charts.rows import PERCENT, bar_labels, percent, row_axis, row_place, top_legend
from app.results.charts.table import Table, first_few
from app.results.charts.theme import COLOURS, Spec, Theme, Width, config, diverging, ink_on, title_of

STATISTICS = ("median", "mode")
ROW_HEIGHT = 46


def distribution_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return one bar per `median` (or `mode`) estimate that has ratings, centred on the middle of the scale.

    With an odd number of points, the middle point extends equally to both sides. None if there are no ratings.
    """
    bars = [estimate for estimate in estimates if estimate.statistic in STATISTICS and estimate.n_ratings]
    if not bars:
        return None
    words = list(bars[0].detail["words"])
    colours = diverging(len(words), theme)
    segments = [{"k": k, **row} for k, estimate in enumerate(bars) for row in _segments(estimate, colours)]
    span = max(row["high"] for row in segments) - min(row["low"] for row in segments)
    data = alt.InlineData(segments)
    base = alt.Chart(data).encode(y=row_place(len(bars)))
    named = base.encode(
        y=row_axis([(scope_text(estimate.scope), f"{estimate.n_ratings:,} ratings") for estimate in bars])
    )
    zero = alt.Chart(alt.InlineData([{"x": 0}])).mark_rule(strokeDash=[3, 3], color=COLOURS[theme].muted)
    chart = (
        alt.layer(zero.encode(x="x:Q"), _bars(named, words, colours), bar_labels(base, span))
        .resolve_axis(y="independent")
        .properties(title=title_of(title), width=width, height=ROW_HEIGHT * len(bars))
    )
    return {**chart.to_dict(), "config": config(theme)}


def distribution_table(estimates: Sequence[Estimate]) -> Table:
    """Return counts and shares per point, and the number, median, mean and standard deviation; one row per source."""
    bars = [estimate for estimate in estimates if estimate.statistic in STATISTICS]
    words = tuple(bars[0].detail["words"]) if bars else ()
    rest = {(str(estimate.scope), estimate.statistic): estimate for estimate in estimates}
    rows = []
    for estimate in bars:
        counts, n = estimate.detail["counts"], estimate.n_ratings
        cells = [f"{count} ({number(count / n, 'share')})" if n else "0" for count in counts]
        others = [rest.get((str(estimate.scope), name)) for name in ("mean", "sd")]
        rows.append(
            (
                scope_text(estimate.scope),
                *cells,
                str(n),
                *(estimate_text(other) if other else "–" for other in (estimate, *others)),
            )
        )
    return Table(("Source", *words, "Ratings", "Median", "Mean", "SD"), tuple(rows))


def distribution_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the median (or most frequent) rating of each bar."""
    bars = [estimate for estimate in estimates if estimate.statistic in STATISTICS and estimate.n_ratings]
    said = [f"{scope_text(f.scope)} {estimate_text(f)}" for f in bars]
    kind = "Most frequent" if bars and bars[0].statistic == "mode" else "Median"
    return f"{kind} rating: {first_few(said)}" if said else "There are no ratings."


def _bars(base: alt.Chart, words: list[str], colours: list[str]) -> alt.Chart:
    side = "lower points to the left, higher to the right"
    axis = alt.Axis(labelExpr=PERCENT, grid=False, tickCount=9)
    bars: alt.Chart = base.mark_bar(height={"band": 0.74}).encode(
        x=alt.X("low:Q", title=f"Share of ratings, {side}", axis=axis, scale=alt.Scale(nice=False, padding=6)),
        x2="high:Q",
        color=alt.Color(
            "point:N",
            scale=alt.Scale(domain=words, range=colours),
            legend=top_legend(words, 6),
        ),
        tooltip=[
            alt.Tooltip("name:N", title="Source"),
            alt.Tooltip("point:N", title="Rating"),
            alt.Tooltip("count:Q", title="Ratings"),
            alt.Tooltip("share:Q", title="Share", format=".1%"),
        ],
    )
    return bars


def _segments(estimate: Estimate, colours: list[str]) -> list[dict[str, Any]]:
    """Return the segment of each point, positioned so that the middle of the scale is at 0."""
    words, counts = estimate.detail["words"], estimate.detail["counts"]
    shares = [count / sum(counts) for count in counts]
    half, is_odd = divmod(len(shares), 2)
    start = -sum(shares[:half]) - (shares[half] / 2 if is_odd else 0)
    ends = list(accumulate(shares, initial=start))
    return [
        {
            "name": scope_text(estimate.scope),
            "point": words[k],
            "count": counts[k],
            "share": shares[k],
            "percent": percent(shares[k]),
            "low": ends[k],
            "high": ends[k + 1],
            "middle": (ends[k] + ends[k + 1]) / 2,
            "ink": ink_on(colours[k]),
        }
        for k in range(len(shares))
    ]


# Distributions of several questions in one chart, one bar per question, if all responses are of one source.

WHOLE = frozenset({"source", "rater_kind"})


def grouped_by_scale(estimates: Sequence[Estimate]) -> Iterator[tuple[Estimate, ...]]:
    """Yield groups of estimates over all responses whose scales have the same labels; each question becomes a row.

    If the estimates are split by source, each question belongs in a chart of its own instead. The title of the chart,
    not the rows, names the kind of raters.
    """
    groups: dict[tuple[str, ...], list[Estimate]] = {}
    words: dict[str | None, tuple[str, ...]] = {}
    for estimate in estimates:
        if estimate.scope.keys() <= WHOLE:
            if estimate.statistic in STATISTICS:
                words[estimate.asked] = tuple(estimate.detail["words"])
            key = words.get(estimate.asked)
            if key:
                named = replace(estimate, scope={"source": str(estimate.asked)})
                groups.setdefault(key, []).append(named)
    yield from (tuple(group) for group in groups.values())
