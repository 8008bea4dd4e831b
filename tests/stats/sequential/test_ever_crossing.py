"""The rate of ever crossing under the null, with crossed raters and items."""

from __future__ import annotations

import pytest

from benchmarks.sequential import DESIGNS, LOOKS, SPENDINGS, ever_crossing_rate

N = 2000
# three Monte Carlo standard errors of .05
SLACK = 0.0147


@pytest.mark.slow
@pytest.mark.parametrize("spending", SPENDINGS)
@pytest.mark.parametrize("n_looks", LOOKS)
def test_bounds_are_ever_crossed_in_at_most_five_percent_of_studies_without_a_difference(
    n_looks: int, spending: str
) -> None:
    rates = [ever_crossing_rate(one, LOOKS[n_looks], spending, n=N, seed=1) for one in DESIGNS]  # type: ignore[arg-type]
    assert max(rates) <= 0.05 + SLACK
