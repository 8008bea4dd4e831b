"""The rate of ever crossing under the null, with crossed raters and items."""

import pytest

from benchmarks.sequential import DESIGNS, LOOKS, SPENDINGS, ever_crossing_rate

N = 2000
# three Monte Carlo standard errors of .05
SLACK = 0.0147


@pytest.mark.slow
@pytest.mark.parametrize("spending", SPENDINGS)
@pytest.mark.parametrize("n_looks", LOOKS)
def test_at_most_five_percent_of_null_studies_ever_cross(n_looks: int, spending: str) -> None:
    rates = [ever_crossing_rate(one, LOOKS[n_looks], spending, n=N, seed=1) for one in DESIGNS]  # type: ignore[arg-type]
    assert max(rates) <= 0.05 + SLACK
