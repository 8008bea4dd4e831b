"""Attrition by arm, and Lee's bounds."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog
from scipy.special import ndtr

from app.stats.attrition import attrition_difference, attrition_share, lee_bounds


def ends(found: object) -> tuple[float, float]:
    interval = found.interval  # type: ignore[attr-defined]
    return interval.low, interval.high


def test_share_has_the_wilson_interval() -> None:
    found = attrition_share(15, 60)
    wilson = stats.binomtest(15, 60).proportion_ci(method="wilson")
    assert found.estimate == 0.25
    assert ends(found) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
    assert found.p_value is None
    assert attrition_share(0, 0).reason == "no_pairable_units"


def test_difference_is_that_of_newcombe_with_fishers_test() -> None:
    # Newcombe (1998, Stat. Med. 17:873), table II, method 10: 56/70 - 48/80, and 9/10 - 3/10.
    found = attrition_difference((56, 48), (70, 80))
    assert ends(found) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert ends(attrition_difference((9, 3), (10, 10))) == pytest.approx((0.1705, 0.8090), abs=5e-5)
    # Fisher's tea: three of four cups against one of four, two-sided p = 34 / 70.
    assert attrition_difference((3, 1), (4, 4)).p_value == pytest.approx(34 / 70)
    assert attrition_difference((0, 0), (0, 4)).reason == "no_pairable_units"


def test_p_value_is_that_of_scipys_exact_test() -> None:
    rng = np.random.default_rng(1)
    for n_assigned in [*rng.integers(1, 40, (200, 2)).tolist(), [3000, 2800]]:
        n_left = [int(rng.integers(0, of + 1)) for of in n_assigned]
        table = [n_left, [of - left for of, left in zip(n_assigned, n_left, strict=True)]]
        found = attrition_difference((n_left[0], n_left[1]), (n_assigned[0], n_assigned[1])).p_value
        assert found == pytest.approx(stats.fisher_exact(np.array(table)).pvalue, rel=1e-9, abs=1e-300), table


# Ten raters of the arm, of whom eight finished, and ten of the reference, of whom four did: half of the arm is trimmed.
SCORES = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 2, 4, 4, 6, np.nan])
IS_TREATED = np.array([True] * 8 + [False] * 5)


def test_bounds_by_hand() -> None:
    found = lee_bounds(SCORES, IS_TREATED, (10, 10))
    # means of 1 to 4 and of 5 to 8, less 4
    assert found.lower.estimate == pytest.approx(-1.5)
    assert found.upper.estimate == pytest.approx(2.5)
    assert found.lower.interval_reason == "too_few"
    mirrored = lee_bounds(SCORES, ~IS_TREATED, (10, 10))
    assert (mirrored.lower.estimate, mirrored.upper.estimate) == pytest.approx((-2.5, 1.5))


def test_score_that_only_part_of_the_trimming_falls_on_counts_in_part() -> None:
    # 8 of 10 against 5 of 10 finished: 5 of 8 are kept. Of 4 of 11, kept is 4 / 11 / .8 = 5/11, or 3 7/11 scores.
    found = lee_bounds(SCORES, IS_TREATED, (10, 11))
    low = (1 + 2 + 3 + 4 * 7 / 11) / (3 + 7 / 11)
    assert found.lower.estimate == pytest.approx(low - 4)
    assert found.upper.estimate == pytest.approx(9 - low - 4)


def test_interval_follows_lee_and_imbens_and_manski() -> None:
    value = np.concatenate([np.arange(1.0, 9), [2, 3, 4, 4, 5, 6]])
    treated = np.arange(14) < 8
    found = lee_bounds(value, treated, (10, 12))
    # 8 of 10 and 6 of 12 finished: 5 of 8 are kept, 1 to 5 or 4 to 8.
    kept, n = 5 / 8, 5
    of_share = kept**2 * (0.2 / (0.8 * 10) + 0.5 / (0.5 * 12))
    beside = np.var(value[8:], ddof=1) / 6
    variance = 2.5 / n + (1 - kept) * 2**2 / n + (2 / kept) ** 2 * of_share + beside
    assert found.lower.standard_error == pytest.approx(variance**0.5)
    assert found.upper.standard_error == pytest.approx(variance**0.5)
    low, high = ends(found.lower)
    assert ends(found.upper) == (low, high)
    lower, upper = found.lower.estimate or 0.0, found.upper.estimate or 0.0
    assert (lower, upper) == pytest.approx((-1.0, 2.0))
    reach = (lower - low) / variance**0.5
    assert (high - upper) / variance**0.5 == pytest.approx(reach)
    assert ndtr(reach + 3 / variance**0.5) - ndtr(-reach) == pytest.approx(0.95)
    assert "37.5%" in found.lower.note


@pytest.mark.parametrize("seed", range(6))
def test_bounds_are_the_least_and_the_greatest_that_any_choice_of_raters_gives(seed: int) -> None:
    """Which of the treated would have finished in either arm is not known: a linear program tries every choice."""
    rng = np.random.default_rng(seed)
    n, finished, of = 23, 14 + seed, 30
    value = np.round(rng.normal(3, 1, n + finished), 1 if seed % 2 else 6)
    found = lee_bounds(value, np.arange(n + finished) < n, (25, of))
    kept = finished / of / (n / 25)
    mine, others = value[:n], value[n:]
    found_by_program = (linprog(s * mine, A_eq=np.ones((1, n)), b_eq=[kept * n], bounds=(0, 1)) for s in (1, -1))
    least, most = (float(mine @ np.asarray(one.x)) / (kept * n) for one in found_by_program)
    assert found.lower.estimate == pytest.approx(least - others.mean())
    assert found.upper.estimate == pytest.approx(most - others.mean())


def test_bounds_are_those_that_stata_prints() -> None:
    """Bought condoms, of 98 people offered their HIV status and 24 not, of whom 42 and 10 were asked later.

    The trial of Thornton (2008, Am. Econ. Rev. 98:1829), HIV-positive and sexually active; printed by `leebounds`
    (Tauchmann 2014, Stata J. 14:884): 122 people, 52 selected, .0278 trimmed. 18 of 42 and 2 of 10 bought some.
    """
    value = np.concatenate([np.ones(18), np.zeros(24), np.ones(2), np.zeros(8)])
    found = lee_bounds(value, np.arange(52) < 42, (98, 24))
    assert "2.8% of the scores" in found.lower.note
    assert found.lower.estimate == pytest.approx(0.2122449, abs=5e-8)
    assert found.upper.estimate == pytest.approx(0.2408163, abs=5e-8)
    # Stata divides the squares of the n scores that are left by n, here it is n - 1
    n = 42 * 35 / 36
    for end, printed in ((found.lower, 0.2209034), (found.upper, 0.1947452)):
        share = (end.estimate or 0.0) + 0.2
        assert end.standard_error is not None
        variance = end.standard_error**2 - share * (1 - share) / (n * (n - 1))
        assert variance**0.5 == pytest.approx(printed, abs=5e-8)


def test_bounds_are_one_number_where_as_many_finish() -> None:
    found = lee_bounds(np.array([1.0, 2, 3, 4, 5, 3, 4, 5, 6, 7]), np.arange(10) < 5, (6, 6))
    assert found.lower.estimate == found.upper.estimate == pytest.approx(-2)


def test_bounds_need_raters_who_finished_and_differ() -> None:
    nobody = lee_bounds(np.array([1.0, 2]), np.array([True, True]), (2, 2))
    assert nobody.lower.reason == nobody.upper.reason == "no_pairable_units"
    same = lee_bounds(np.full(12, 3.0), np.arange(12) < 6, (6, 8))
    assert (same.lower.estimate, same.lower.interval_reason) == (0.0, "no_variation")
