"""Progress over time: trials rated so far against the number needed, and what each hour, day or week added."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, assert_never

from app.analysis.data.progress import Progress, ProgressStep, Unit
from app.results.charts.table import Table
from app.results.charts.theme import COLOURS, SCHEMA, Spec, Theme, Width, config, title_of

KEY = "progress"
PRINT_WIDTH = 560
HEIGHT, LOW_HEIGHT = 180, 70
# Of the axis beside each panel, in pixels.
AXIS_WIDTH = 70
# Counts have no ticks between whole numbers; a lower panel has fewer of them.
MAX_TICKS, MAX_LOW_TICKS = 5, 2
# Up to so many hours, days or weeks with ratings are points: bars and areas would be blocks without a shape.
SPARSE = 5
POINT = {"filled": True, "size": 70, "opacity": 1}
HEADS: dict[Unit, str] = {"hour": "Hour (UTC)", "day": "Day (UTC)", "week": "Week from (UTC)"}


@dataclass(frozen=True, slots=True)
class ProgressChart:
    """The chart of a study's progress; it has the same attributes as a `Chart`, but comes from counts."""

    progress: Progress
    key: str = KEY
    title: str = "Progress over time"
    spans: bool = False

    def spec(self, theme: Theme = "light", width: Width = PRINT_WIDTH) -> Spec | None:
        """Return the Vega-Lite specification; None before the first rating."""
        if not self.is_drawn:
            return None
        wide = (PRINT_WIDTH if width == "container" else width) - AXIS_WIDTH
        panels = [_so_far(self.progress, theme, wide), _per_step(self.progress, theme, wide, "ratings")]
        if any(step.n_finished for step in self.progress.steps):
            panels.append(_per_step(self.progress, theme, wide, "finished"))
        return {
            "$schema": SCHEMA,
            "title": title_of(self.title, _subtitle(self.progress)),
            "data": {"values": [_row(step) for step in self.progress.steps]},
            "vconcat": panels,
            "spacing": 14,
            "config": config(theme),
            "description": f"{self.title}. {self.finding}",
        }

    @property
    def is_drawn(self) -> bool:
        """Whether anything has been rated."""
        return bool(self.progress.steps)

    @property
    def table(self) -> Table:
        """One row per hour, day or week in which something happened."""
        noun = self.progress.noun.capitalize()
        header = (HEADS[self.progress.unit], noun, f"{noun} so far", "Raters finished")
        shown = (step for step in self.progress.steps if step.n_ratings or step.n_finished)
        return Table(header, tuple(_cells(step, self.progress.unit) for step in shown))

    @property
    def finding(self) -> str:
        """How far the study is, since when, and which hour, day or week added most."""
        if not self.is_drawn:
            return _without_time(self.progress) or "No ratings yet."
        return " ".join(_sentences(self.progress))


def _subtitle(progress: Progress) -> str:
    return "In UTC. Dashed: the number of trials to rate" if progress.goal else _without_time(progress)


def _without_time(progress: Progress) -> str:
    """How many answers are in no step; empty if all of them are."""
    n = progress.n_without_time
    return f"{_counted(n, progress.noun)} without a time {'is' if n == 1 else 'are'} not shown." if n else ""


def _sentences(progress: Progress) -> Iterator[str]:
    steps, noun = progress.steps, progress.noun
    total, goal = steps[-1].n_so_far, progress.goal
    between = _between(steps[0].start, steps[-1].start)
    yield f"{total:,} of {goal:,} {noun} {between}." if goal else f"{_counted(total, noun)} {between}."
    reached = next((step for step in steps if goal and step.n_so_far >= goal), None)
    if reached is not None:
        yield f"The goal of {goal:,} {noun} was reached on {_day(reached.start)}."
    if len(steps) > 1:
        most = max(steps, key=lambda step: step.n_ratings)
        yield f"Most in one {progress.unit}: {most.n_ratings:,}, {_in_words(most.start, progress.unit)}."
    if n_finished := sum(step.n_finished for step in steps):
        yield f"{_counted(n_finished, 'raters')} finished."
    if progress.n_without_time:
        yield _without_time(progress)


def _counted(n: int, nouns: str) -> str:
    """A count with its noun.

    >>> _counted(1, "trials rated"), _counted(1200, "answers")
    ('1 trial rated', '1,200 answers')
    """
    first, *others = nouns.split(" ")
    return " ".join((f"{n:,}", first[:-1] if n == 1 else first, *others))


def _between(first: datetime, last: datetime) -> str:
    """Two days in words.

    >>> from datetime import datetime
    >>> _between(datetime(2026, 5, 3), datetime(2026, 5, 14, 9))
    'from 3 to 14 May 2026'
    >>> _between(datetime(2026, 5, 3), datetime(2026, 6, 2)), _between(datetime(2026, 5, 3), datetime(2026, 5, 3, 9))
    ('from 3 May 2026 to 2 June 2026', 'on 3 May 2026')
    """
    if first.date() == last.date():
        return f"on {_day(first)}"
    is_one_month = (first.year, first.month) == (last.year, last.month)
    return f"from {first.day if is_one_month else _day(first)} to {_day(last)}"


def _in_words(start: datetime, unit: Unit) -> str:
    match unit:
        case "hour":
            return f"from {start:%H:%M} UTC on {_day(start)}"
        case "day":
            return f"on {_day(start)}"
        case "week":
            return f"from {_day(start)}"
        case _:
            assert_never(unit)


def _day(at: datetime) -> str:
    return f"{at.day} {at:%B %Y}"


def _cells(step: ProgressStep, unit: Unit) -> tuple[str, ...]:
    time = f", {step.start:%H:%M}" if unit == "hour" else ""
    return (f"{_day(step.start)}{time}", f"{step.n_ratings:,}", f"{step.n_so_far:,}", f"{step.n_finished:,}")


def _row(step: ProgressStep) -> dict[str, str | int]:
    return {
        "start": _iso(step.start),
        "middle": _iso(step.start + (step.end - step.start) / 2),
        "end": _iso(step.end),
        "ratings": step.n_ratings,
        "finished": step.n_finished,
        "total": step.n_so_far,
    }


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _x(field: str, progress: Progress, *, has_labels: bool) -> Spec:
    is_one_day = progress.steps[0].start.date() == progress.steps[-1].start.date()
    words = ("%H:%M" if is_one_day else "%-d %b, %H:%M") if progress.unit == "hour" else "%-d %b"
    shown = {"format": words, "tickCount": 6} if has_labels else {"labels": False, "ticks": False}
    axis = {"grid": False, "labelOverlap": True, **shown}
    ends = [1000 * at.timestamp() for at in (progress.steps[0].start, progress.steps[-1].end)]
    return {"field": field, "type": "temporal", "title": None, "scale": {"type": "utc", "domain": ends}, "axis": axis}


def _so_far(progress: Progress, theme: Theme, width: int) -> Spec:
    """The total as a line through the ends of the steps, from 0, with the goal as a dashed line."""
    colours = COLOURS[theme]
    title = f"{progress.noun.capitalize()} so far"
    most = max(progress.steps[-1].n_so_far, progress.goal or 0)
    y = {"field": "total", "type": "quantitative", "title": title, "axis": _whole_ticks(most, MAX_TICKS)}
    area = {"type": "area", "line": {"color": colours.source, "strokeWidth": 2}, "opacity": 0.25}
    first = {"end": _iso(progress.steps[0].start), "total": 0}
    line = {
        "data": {"values": [first, *map(_row, progress.steps)]},
        "mark": {"type": "line", "point": POINT, "strokeWidth": 2} if _is_sparse(progress) else area,
        "encoding": {"x": _x("end", progress, has_labels=False), "y": y, "color": {"value": colours.source}},
    }
    goal = {
        "data": {"values": [{"total": progress.goal}]},
        "mark": {"type": "rule", "strokeDash": [6, 4], "strokeWidth": 2, "color": colours.ink},
        "encoding": {"y": {"field": "total", "type": "quantitative"}},
    }
    return {"width": width, "height": HEIGHT, "layer": [line, goal] if progress.goal else [line]}


def _per_step(progress: Progress, theme: Theme, width: int, field: Literal["ratings", "finished"]) -> Spec:
    """Bars of the counts of each step; the lowest panel has the labels of the time axis."""
    is_lowest = field == "finished" or not any(step.n_finished for step in progress.steps)
    noun = "Finished" if field == "finished" else progress.noun.capitalize()
    y_title = [noun, f"per {progress.unit}"]
    most = max(step.n_finished if field == "finished" else step.n_ratings for step in progress.steps)
    y_axis = _whole_ticks(most, MAX_LOW_TICKS)
    colour = COLOURS[theme].reference if field == "finished" else COLOURS[theme].source
    x = _x("middle" if _is_sparse(progress) else "start", progress, has_labels=is_lowest)
    y = {"field": field, "type": "quantitative", "title": y_title, "axis": y_axis, "scale": {"zero": True}}
    whole = {"width": width, "height": LOW_HEIGHT}
    if _is_sparse(progress):
        return {**whole, "mark": {"type": "point", **POINT, "color": colour}, "encoding": {"x": x, "y": y}}
    bar = {"x": x, "x2": {"field": "end"}, "y": y, "y2": {"datum": 0}}
    return {**whole, "mark": {"type": "rect", "color": colour, "x2Offset": -1}, "encoding": bar}


def _whole_ticks(most: int, n: int) -> Spec:
    """The axis of counts up to `most`: at most about `n` ticks, and never more than there are whole numbers."""
    return {"tickCount": min(n, max(most, 1)), "format": ",d"}


def _is_sparse(progress: Progress) -> bool:
    return sum(step.n_ratings > 0 for step in progress.steps) <= SPARSE
