"""How often 95 % intervals of contrasts hold the truth, with few raters and unequal arms: seeded simulations."""

from __future__ import annotations

import pytest

from benchmarks.coverage import N_RATERS, SIMULATIONS, SLOW, arms_of, coverage

N_STUDIES, N_OF_MODELS = 400, 150
# three Monte Carlo standard errors below .93; an arm of two raters among many may be too wide, never too narrow
LOWEST, HIGHEST, LOWEST_OF_MODELS = 0.89, 0.999, 0.875

CASES = [(name, n, first) for name in SIMULATIONS for n in N_RATERS for first in arms_of(name, n)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_raters", "n_first"), CASES)
def test_the_truth_is_covered_for_new_items_and_raters(name: str, n_raters: int, n_first: int) -> None:
    is_slow = name in SLOW
    found = coverage(name, n_raters, n_first, N_OF_MODELS if is_slow else N_STUDIES)
    assert (LOWEST_OF_MODELS if is_slow else LOWEST) <= found <= HIGHEST
