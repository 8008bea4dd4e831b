"""Forecasts agree with the reports of studies that are drawn apart from them, within the Monte Carlo error."""

import pytest

from benchmarks.planned_contrasts import CASES, calibration

N = 500
# Both widths are means over N studies. With a human sample the forecast is 3% narrower than the reports, as measured
# with this N; the rest is for the Monte Carlo error of both.
WIDTH = 0.05
# margins, Holm over the family, unequal arms with attrition, a human sample, F1, empathic accuracy and a later wave
DESIGNS = (
    "equivalence of sources",
    "two sources against a third (Holm)",
    "between unequal arms, a third of raters leave",
    "sources, people rate half of the items",
    "F1 of models and people",
    "empathic accuracy of models and people",
    "change to a later wave between arms, a fifth do not come back",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_power_and_width_are_as_forecast(name: str) -> None:
    """Both powers have an error; three standard errors of their difference are passed by chance once in 400."""
    (case,) = (one for one in CASES if one.name == name)
    found = calibration(case, N)
    assert found.forecast.power is not None
    assert found.forecast.power_error is not None
    assert found.power == pytest.approx(
        found.forecast.power, abs=3 * (found.forecast.power_error**2 + found.power_error**2) ** 0.5
    )
    assert found.width == pytest.approx(found.forecast.width, rel=WIDTH)


def test_every_design_is_a_case() -> None:
    assert {*DESIGNS} <= {case.name for case in CASES}
