"""The charts and the table of a plan show its rows and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

from app.analysis.planning.plan import Plan, PlanRow
from app.analysis.planning.scenario import Assumed
from app.results.charts.plan_charts import curve_spec, planning_charts, planning_table
from app.stats.simulated_ratings import Sds

ROW = PlanRow("mean_difference", 50, 20, 3, 150, 0, 8, 0.4, 0.5, 0.01, 0.8, 0.02, 100, 0)
ALPHA = replace(ROW, statistic="krippendorff_alpha_ordinal", power=None, power_error=None)
NONE = replace(ALPHA, width=None, width_error=None, estimate=None, n_without=100, n_unfilled=30)


def _plan(*rows: PlanRow) -> Plan:
    return Plan("s", "empathy", "model", "human", 1, Assumed(Sds(1, 1, 1, 1, 1), 3, 0.4, "stated"), rows)


def _points(spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for table in spec["datasets"].values() for row in table if "line" in row]


def test_each_statistic_has_width_chart_and_tests_have_power() -> None:
    charts = planning_charts(_plan(ALPHA, ROW, replace(ROW, n_raters=40)))
    assert [chart.key for chart in charts] == ["plan-1-width", "plan-2-width", "plan-2-power"]
    assert charts[2].title == "Mean difference: power"
    first, second = _points(charts[1].spec())
    assert (first["raters"], second["raters"], first["value"]) == (20, 40, 0.5)
    assert (first["low"], first["high"]) == pytest.approx((0.48, 0.52))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_several_sizes_have_separate_lines_and_a_legend(theme: Any) -> None:  # noqa: ANN401 - a theme
    one, several = (planning_charts(_plan(*rows))[0].spec(theme) for rows in ((ROW,), (ROW, replace(ROW, n_items=100))))
    color = [spec["layer"][0]["encoding"]["color"] for spec in (one, several)]
    assert color[0]["legend"] is None
    assert color[1]["scale"]["domain"] == ["50 items, 3 raters per trial", "100 items, 3 raters per trial"]


def test_plan_without_intervals_is_not_drawn_and_table_says_so() -> None:
    assert not planning_charts(_plan(NONE))
    cells = planning_table([NONE, replace(ROW, n_without=5)]).rows
    assert cells[0][4:] == ("150 (30 unfilled)", "8", "–", "no interval", "")
    assert cells[1][6:] == ("0.40", "0.50 ± 0.01, 5 of 100 simulations without an interval", "80.0% ± 2.0%")


def test_widths_of_shares_are_drawn_in_percentage_points_as_they_are_said() -> None:
    row = replace(ROW, statistic="share_preferred")
    width, power = (chart.spec() for chart in planning_charts(_plan(row)))
    assert (_points(width)[0]["value"], _points(power)[0]["value"]) == (50, 0.8)
    assert width["layer"][0]["encoding"]["y"]["title"] == "Width of the 95% CI (percentage points)"
    assert power["layer"][-1]["encoding"]["y"]["title"] == "Power"
    curve = curve_spec([row], 0.2)
    assert [{"y": 20}] in curve["datasets"].values()
    assert curve["layer"][1]["encoding"]["y"]["title"] == "Width of the 95% CI (percentage points)"
