"""Group-sequential bounds against published tables."""

import numpy as np
import pytest

from app.stats.sequential import boundaries, crossing_probability, nominal_p, spent

# Jennison and Turnbull (2000), tables 2.1 (Pocock) and 2.3 (O'Brien and Fleming), alpha = .05, two-sided
POCOCK = {2: 2.178, 3: 2.289, 4: 2.361, 5: 2.413, 6: 2.453, 7: 2.485, 8: 2.512, 9: 2.535, 10: 2.555}
OBRIEN_FLEMING = {2: 1.977, 3: 2.004, 4: 2.024, 5: 2.040, 6: 2.053, 7: 2.063, 8: 2.072, 9: 2.080, 10: 2.087}
# R's ldbounds, ldBounds(n, iuse = 1, alpha = .05) and iuse = 2; gsDesign's recursion gives the same to .0002
LAN_DEMETS = {
    ("obrien_fleming", 2): (2.9626, 1.9686),
    ("obrien_fleming", 3): (3.7103, 2.5114, 1.9930),
    ("obrien_fleming", 5): (4.8769, 3.3569, 2.6803, 2.2898, 2.0310),
    ("pocock", 2): (2.1570, 2.2010),
    ("pocock", 5): (2.4380, 2.4268, 2.4101, 2.3966, 2.3859),
}
# further looks, most of them not equally spaced, as printed with three digits
FURTHER = {
    ("obrien_fleming", (0.2, 0.5, 1.0)): (4.877, 2.963, 1.969),
    ("pocock", (0.2, 0.5, 1.0)): (2.438, 2.333, 2.225),
    ("obrien_fleming", (0.3, 0.9, 1.0)): (3.929, 2.094, 2.053),
    ("pocock", (0.3, 0.9, 1.0)): (2.312, 2.162, 2.342),
    ("obrien_fleming", (0.25, 0.5, 0.75, 1.0)): (4.333, 2.963, 2.359, 2.014),
}


@pytest.mark.parametrize("n", POCOCK)
def test_published_bounds_for_equally_spaced_looks_are_crossed_at_their_error_rate(n: int) -> None:
    fractions = [k / n for k in range(1, n + 1)]
    sloping = [OBRIEN_FLEMING[n] * fraction**-0.5 for fraction in fractions]
    for bounds in ([POCOCK[n]] * n, sloping):
        assert crossing_probability(bounds, fractions) == pytest.approx(0.05, abs=1e-4)


@pytest.mark.parametrize(("spending", "n"), LAN_DEMETS)
def test_spending_boundaries_match_ldbounds(spending: str, n: int) -> None:
    fractions = [k / n for k in range(1, n + 1)]
    found = boundaries(fractions, alpha=0.05, spending=spending)  # type: ignore[arg-type]
    assert found == pytest.approx(LAN_DEMETS[spending, n], abs=6e-4)


@pytest.mark.parametrize(("spending", "fractions"), FURTHER)
def test_spending_boundaries_match_further_published_looks(spending: str, fractions: tuple[float, ...]) -> None:
    found = boundaries([*fractions], alpha=0.05, spending=spending)  # type: ignore[arg-type]
    assert found == pytest.approx(FURTHER[spending, fractions], abs=6e-4)


@pytest.mark.parametrize("spending", ["obrien_fleming", "pocock"])
@pytest.mark.parametrize("fractions", [[1.0], [0.2, 0.9, 1.0], [0.01, 0.5, 0.51, 1.0]])
def test_overall_crossing_probability_is_alpha(spending: str, fractions: list[float]) -> None:
    bounds = boundaries(fractions, alpha=0.05, spending=spending)  # type: ignore[arg-type]
    assert crossing_probability(bounds, fractions) == pytest.approx(0.05, abs=1e-5)


def test_single_final_look_is_fixed_sample_test() -> None:
    (z,) = boundaries([1.0], alpha=0.05, spending="obrien_fleming")
    assert nominal_p(z) == pytest.approx(0.05, abs=1e-9)


def test_early_stop_spends_only_part_of_alpha() -> None:
    bounds = boundaries([0.3, 0.6], alpha=0.05, spending="pocock")
    assert crossing_probability(bounds, [0.3, 0.6]) == pytest.approx(
        spent(0.6, alpha=0.05, spending="pocock"), abs=1e-6
    )


def test_boundaries_hold_on_random_walks() -> None:
    fractions = np.array([0.25, 0.5, 0.75, 1.0])
    bounds = boundaries([*fractions], alpha=0.05, spending="pocock")
    steps = np.random.default_rng(1).standard_normal((200_000, 4)) * 0.5
    z = steps.cumsum(axis=1) / np.sqrt(fractions)
    assert (np.abs(z) >= bounds).any(axis=1).mean() == pytest.approx(0.05, abs=0.002)


@pytest.mark.parametrize("fractions", [[], [0.0, 1.0], [0.5, 0.5], [0.8, 0.4], [0.5, 1.2]])
def test_non_ascending_looks_are_rejected(fractions: list[float]) -> None:
    with pytest.raises(ValueError, match="looks ascend"):
        boundaries(fractions, alpha=0.05, spending="pocock")


def test_look_without_alpha_to_spend_is_never_crossed() -> None:
    assert boundaries([1e-4, 1.0], alpha=0.05, spending="obrien_fleming")[0] == 9.0
