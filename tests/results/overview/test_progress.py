"""The chart of a study's progress: steps without gaps, the number needed, and what the chart says."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.analysis.data.progress import Progress, Unit, steps_of
from app.results.charts.render import render
from app.results.charts.theme import Spec, Theme
from app.results.overview.progress_chart import ProgressChart

MAY = datetime(2026, 5, 3, tzinfo=UTC)
DAYS = {MAY: 20, MAY + timedelta(days=3): 35, MAY + timedelta(days=5): 5}


def progress(goal: int | None = 80, unit: Unit = "day", counts: dict[datetime, int] | None = None) -> Progress:
    found = DAYS if counts is None else counts
    finished = {at: n // 10 for at, n in found.items()} if goal else {}
    return Progress(unit, steps_of(unit, found, finished), goal, "trials rated" if goal else "answers")


def panels(spec: Spec | None) -> list[dict[str, Any]]:
    assert spec is not None
    found: list[dict[str, Any]] = spec["vconcat"]
    return found


def test_days_without_ratings_are_steps_too() -> None:
    assert [step.n_ratings for step in progress().steps] == [20, 0, 0, 35, 0, 5]
    assert [step.n_so_far for step in progress().steps] == [20, 20, 20, 55, 55, 60]


def test_goal_is_a_line_and_part_of_the_finding() -> None:
    chart = ProgressChart(progress())
    (_, goal) = panels(chart.spec())[0]["layer"]
    assert goal["data"]["values"] == [{"total": 80}]
    assert chart.finding == (
        "60 of 80 trials rated from 3 to 8 May 2026. Most in one day: 35, on 6 May 2026. 5 raters finished."
    )


def test_finding_says_when_the_goal_was_reached() -> None:
    assert "The goal of 50 trials rated was reached on 6 May 2026." in ProgressChart(progress(goal=50)).finding


def test_few_times_are_points_and_many_are_bars_on_one_axis() -> None:
    """A single hour was a block as wide as the chart, below a triangle."""
    many = {MAY + timedelta(days=day): 10 for day in range(6)}
    for counts, marks in ((DAYS, ["line", "point", "point"]), (many, ["area", "rect", "rect"])):
        so_far, *per_day = panels(ProgressChart(progress(counts=counts)).spec())
        shown = [so_far["layer"][0], *per_day]
        assert [one["mark"]["type"] for one in shown] == marks
        assert len({str(one["encoding"]["x"]["scale"]) for one in shown}) == 1


def test_loaded_answers_have_no_goal_and_no_finished_raters() -> None:
    chart = ProgressChart(progress(goal=None))
    assert len(panels(chart.spec())) == len(("so far", "per day"))
    assert len(panels(chart.spec())[0]["layer"]) == 1
    assert chart.finding.startswith("60 answers from 3 to 8 May 2026.")


def test_answers_without_a_time_are_counted_in_words() -> None:
    words = "1,200 answers without a time are not shown."
    some = replace(progress(goal=None), n_without_time=1200)
    assert ProgressChart(some).finding.endswith(words)
    assert (ProgressChart(some).spec() or {})["title"]["subtitle"] == [words]
    assert ProgressChart(replace(some, steps=())).finding == words


def test_table_leaves_out_steps_without_ratings() -> None:
    assert ProgressChart(progress()).table.rows == (
        ("3 May 2026", "20", "20", "2"),
        ("6 May 2026", "35", "55", "3"),
        ("8 May 2026", "5", "60", "0"),
    )


def test_hours_are_named_with_their_time() -> None:
    hours = {MAY + timedelta(hours=9): 2, MAY + timedelta(hours=11): 7}
    chart = ProgressChart(progress(unit="hour", counts=hours))
    assert "9 of 80 trials rated on 3 May 2026. Most in one hour: 7, from 11:00 UTC on 3 May 2026." in chart.finding
    assert chart.table.rows[0][0] == "3 May 2026, 09:00"


def test_weeks_are_named_by_their_first_day() -> None:
    weeks = {MAY: 2, MAY + timedelta(days=14): 7}
    assert "Most in one week: 7, from 17 May 2026." in ProgressChart(progress(unit="week", counts=weeks)).finding


def test_nothing_is_drawn_before_the_first_rating() -> None:
    chart = ProgressChart(progress(counts={}))
    assert not chart.is_drawn
    assert chart.spec() is None
    assert chart.finding == "No ratings yet."


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_progress_renders(theme: Theme) -> None:
    spec = ProgressChart(progress()).spec(theme, width=260)
    assert spec is not None
    assert b"<svg" in render(spec, "svg")


@pytest.mark.parametrize(("n", "n_finished"), [(1, 1), (3, 1), (2, 2)])
def test_axes_of_small_counts_have_whole_numbers_once_each(n: int, n_finished: int) -> None:
    """One rater who had finished was at the upper of two ticks called 1."""
    steps = steps_of("hour", {MAY: n}, {MAY: n_finished})
    spec = ProgressChart(Progress("hour", steps, None)).spec()
    assert spec is not None
    for panel in panels(spec):
        drawn = render({**spec, "vconcat": [panel]}, "svg").decode()
        ticks = re.findall(r'text-anchor="end"[^>]*>([^<]*)<', drawn)
        counts = [int(tick) for tick in ticks if ":" not in tick]
        assert len(set(counts)) == len(counts) > 1
