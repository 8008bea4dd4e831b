"""Diverging stacked bars: how often each point of a scale was chosen, one bar per question and source."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import altair as alt

from app.analysis.estimate import Estimate
from app.analysis.wording.formatting import estimate_text, number, scope_text
from app.base.numbers import whole
from app.results.charts.rows import MANY, PERCENT, Rows, bar_labels, legend_of, percent
from app.results.charts.table import Table, first_few
from app.results.charts.theme import Spec, Theme, Width, config, diverging, ink_on, lines_of, title_of

STATISTICS = ("median", "mode")
ROW_HEIGHT, LOW_ROW_HEIGHT, MARKS_HEIGHT = 46, 20, 26
# Of what a row has for its marks.
BAR = 0.74
ABOUT = "How often each point of the scale was chosen, centred on the middle of the scale"
# Bars of one chart; more are drawn in several.
MAX_BARS = 60
# The name of the data.
BARS = "bars"


def distribution_spec(
    estimates: Sequence[Estimate], *, title: str, theme: Theme = "light", width: Width = 560
) -> Spec | None:
    """Return one bar per `median` (or `mode`) estimate that has ratings, centred on the middle of the scale.

    With an odd number of points, the middle point extends equally to both sides. All scales have as many points; bars
    of several questions share the axis and the legend, which has the words of the points if they are the same for all.
    None if there are no ratings.
    """
    bars = _bars_of(estimates)
    if not bars:
        return None
    words = _words_of(bars)
    colours = diverging(len(words), theme)
    labels, headings, places = _rows(bars)
    segments = [
        {"k": k, **row} for k, estimate in zip(places, bars, strict=True) for row in _segments(estimate, colours, words)
    ]
    span = max(row["high"] for row in segments) - min(row["low"] for row in segments)
    height = LOW_ROW_HEIGHT if len(labels[-1]) == 1 else ROW_HEIGHT
    rows = Rows(labels, [], (height, MARKS_HEIGHT), width, headings)
    # named, because the library copies what is inline a dozen times
    base = alt.Chart(alt.NamedData(BARS)).encode(y=rows.place)
    named = base.encode(y=rows.named)
    chart = (
        alt.layer(rows.line_at(0, theme), _bars(named, words, colours, rows), bar_labels(base, span))
        .resolve_axis(y="independent")
        .properties(title=title_of(title, ABOUT), width=width, height=rows.height)
    )
    made = chart.to_dict(validate=False)
    return {**made, "datasets": {**made.get("datasets", {}), BARS: segments}, "config": config(theme)}


def distribution_table(estimates: Sequence[Estimate]) -> Table:
    """Return counts and shares per point, and the number, median, mean and standard deviation; one row per bar."""
    bars = [estimate for estimate in estimates if estimate.statistic in STATISTICS]
    words = tuple(_words_of(bars)) if bars else ()
    are_several = len({estimate.measured for estimate in bars}) > 1
    rest = {(estimate.measured, str(estimate.scope), estimate.statistic): estimate for estimate in estimates}
    rows = []
    for estimate in bars:
        counts, n = estimate.detail["counts"], estimate.n_ratings
        cells = [f"{count} ({number(count / n, 'share')})" if n else "0" for count in counts]
        others = [rest.get((estimate.measured, str(estimate.scope), name)) for name in ("mean", "sd")]
        rows.append(
            (
                *((str(estimate.measured),) if are_several else ()),
                scope_text(estimate.scope),
                *cells,
                str(n),
                *(estimate_text(other) if other else "–" for other in (estimate, *others)),
            )
        )
    named = ("Question", "Source") if are_several else ("Source",)
    return Table((*named, *words, "Ratings", "Median", "Mean", "SD"), tuple(rows))


def distribution_finding(estimates: Sequence[Estimate]) -> str:
    """Describe the median (or most frequent) rating of each bar."""
    bars = _bars_of(estimates)
    are_several = len({bar.measured for bar in bars}) > 1
    said = [f"{_name(bar) if are_several else scope_text(bar.scope)} {estimate_text(bar)}" for bar in bars]
    kind = "Most frequent" if bars and bars[0].statistic == "mode" else "Median"
    return f"{kind} rating: {first_few(said)}" if said else "There are no ratings."


def _bars_of(estimates: Sequence[Estimate]) -> list[Estimate]:
    return [estimate for estimate in estimates if estimate.statistic in STATISTICS and estimate.n_ratings]


def _words_of(bars: Sequence[Estimate]) -> list[str]:
    """The words of the points if all scales have the same, else the number of each point."""
    scales = {tuple(bar.detail["words"]) for bar in bars}
    if len(scales) == 1:
        return list(scales.pop())
    n = len(bars[0].detail["words"])
    return ["1 (lowest)", *map(str, range(2, n)), f"{n} (highest)"]


def _rows(bars: Sequence[Estimate]) -> tuple[list[tuple[str, ...]], list[int], list[int]]:
    """The label of each row, which rows only name a question, and the row of each bar."""
    questions = [bar.measured for bar in bars]
    n_questions = len(set(questions))
    if n_questions == 1 and len(bars) > MANY:
        return [(_counted(scope_text(bar.scope), bar),) for bar in bars], [], [*range(len(bars))]
    if n_questions == 1:
        return (
            [(scope_text(bar.scope), f"{whole(bar.n_ratings)} ratings") for bar in bars],
            [],
            [*range(len(bars))],
        )
    if n_questions == len(bars):
        return [(_counted(str(bar.measured), bar),) for bar in bars], [], [*range(len(bars))]
    labels: list[tuple[str, ...]] = []
    headings, places = [], []
    for k, bar in enumerate(bars):
        if k == 0 or questions[k - 1] != bar.measured:
            headings.append(len(labels))
            labels.append((str(bar.measured),))
        places.append(len(labels))
        labels.append((_counted(scope_text(bar.scope), bar),))
    return labels, headings, places


def _counted(name: str, bar: Estimate) -> str:
    return f"{name} (n = {whole(bar.n_ratings)})"


def _name(bar: Estimate) -> str:
    return f"{bar.measured}, {scope_text(bar.scope)}" if bar.scope else str(bar.measured)


def _bars(base: alt.Chart, words: list[str], colours: list[str], rows: Rows) -> alt.Chart:
    title = lines_of("Share of ratings, lower points to the left, higher to the right", rows.marks_width)
    axis = alt.Axis(labelExpr=PERCENT, grid=False, tickCount=9)
    bars: alt.Chart = base.mark_bar(height=BAR * rows.marks).encode(
        x=alt.X("low:Q", title=title, axis=axis, scale=alt.Scale(nice=False, padding=6)),
        x2="high:Q",
        color=alt.Color(
            "point:N",
            scale=alt.Scale(domain=words, range=colours),
            legend=legend_of(words, rows.marks_width, most=6),
        ),
        tooltip=[
            alt.Tooltip("question:N", title="Question"),
            alt.Tooltip("name:N", title="Source"),
            alt.Tooltip("words:N", title="Rating"),
            alt.Tooltip("count:Q", title="Ratings"),
            alt.Tooltip("share:Q", title="Share", format=".1%"),
        ],
    )
    return bars


def _segments(estimate: Estimate, colours: list[str], points: Sequence[str]) -> list[dict[str, Any]]:
    """Return the segment of each point, positioned so that the middle of the scale is at 0."""
    words, counts = estimate.detail["words"], estimate.detail["counts"]
    shares = [count / sum(counts) for count in counts]
    half, is_odd = divmod(len(shares), 2)
    start = -sum(shares[:half]) - (shares[half] / 2 if is_odd else 0)
    ends = list(accumulate(shares, initial=start))
    return [
        {
            "name": scope_text(estimate.scope),
            "question": estimate.measured,
            "point": points[k],
            "words": words[k],
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


# Distributions of several questions in one chart.

WHOLE = frozenset({"source", "rater_kind"})


def grouped_by_points(estimates: Sequence[Estimate]) -> Iterator[tuple[Estimate, ...]]:
    """Yield groups of estimates whose scales have as many points, each for one chart of at most MAX_BARS bars.

    With a single source, only the estimates over all responses are kept.
    """
    if len({one.scope["source"] for one in estimates if "source" in one.scope}) <= 1:
        estimates = [replace(one, scope={}) for one in estimates if one.scope.keys() <= WHOLE]
    by_question: dict[str | None, list[Estimate]] = {}
    for one in estimates:
        by_question.setdefault(one.measured, []).append(one)
    groups: dict[int, list[list[Estimate]]] = {}
    for mine in by_question.values():
        n_points = next((len(one.detail["words"]) for one in mine if one.statistic in STATISTICS), 0)
        of_points = groups.setdefault(n_points, [[]])
        if of_points[-1] and len(_bars_of([*of_points[-1], *mine])) > MAX_BARS:
            of_points.append([])
        of_points[-1] += mine
    yield from (tuple(group) for n_points, of_points in groups.items() if n_points for group in of_points)
