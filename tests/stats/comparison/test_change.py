from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from app.stats.comparison.change import change, change_difference

# extra hours of sleep of ten patients with each of two drugs (Student 1908, Biometrika 6:1)
FIRST = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
SECOND = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])


def test_student_sleep_data_give_published_t() -> None:
    """R: t.test(paired = TRUE): t = -4.0621, df = 9, p = .002833, interval -2.4598858 to -0.7001142."""
    result = change(SECOND, FIRST)
    assert (result.estimate or 0) / (result.standard_error or 1) == pytest.approx(-4.062128, abs=1e-6)
    assert (result.estimate, result.df, result.p_value) == pytest.approx((-1.58, 9, 0.00283289), abs=1e-7)
    assert result.interval
    assert (result.interval.low, result.interval.high) == pytest.approx((-2.4598858, -0.7001142))


def _arm(n: int, before: tuple[float, float], after: tuple[float, float], r: float) -> np.ndarray[Any, Any]:
    """Return scores before and after, shape (n, 2), with exactly these means, standard deviations and correlation."""
    covariance = before[1] * after[1] * r
    drawn = np.random.default_rng(n).normal(size=(n, 2))
    drawn -= drawn.mean(axis=0)
    white = drawn @ np.linalg.inv(np.linalg.cholesky(np.cov(drawn.T)).T)
    wanted = np.array([[before[1] ** 2, covariance], [covariance, after[1] ** 2]])
    return np.asarray(white @ np.linalg.cholesky(wanted).T + np.array([before[0], after[0]]))


def test_acupuncture_gives_the_difference_that_its_trial_reports() -> None:
    """Vickers et al. (2004, BMJ 328:744): headache scores of 161 patients with acupuncture and 140 without.

    Printed: 16.2 (SD 13.7) and 22.3 (17.0) after a year, adjusted difference 4.6 (2.2 to 7.0, p = .0002) by analysis of
    covariance, with stratification beside the baseline score. The means, standard deviations and correlations of the
    scores are those of its published data (Vickers 2006, Trials 7:15), as R's RefbasedMI has them. The interval by one
    variance for both arms has the limits of a regression on these data, -7.050 to -2.123.
    """
    needles, usual = (
        _arm(161, (24.57609, 14.11828), (16.24679, 13.71828), 0.583423),
        _arm(140, (26.71071, 16.77966), (22.34345, 17.01089), 0.810546),
    )
    before, after = np.concatenate([needles, usual]).T
    is_treated = np.arange(301) < 161
    result = change_difference(before, after, is_treated)
    assert result.estimate == pytest.approx(-4.6, abs=0.05)
    assert result.interval
    assert (result.interval.low, result.interval.high) == pytest.approx((-7.0, -2.2), abs=0.1)
    assert result.p_value == pytest.approx(0.0002, abs=0.00015)
    equal = sm.OLS(after, np.column_stack([np.ones(301), before, is_treated])).fit()
    assert result.estimate == pytest.approx(equal.params[2])
    assert equal.conf_int()[2] == pytest.approx([-7.050, -2.123], abs=0.001)


@pytest.mark.parametrize(
    ("before", "after", "reason", "interval_reason", "n"),
    [
        ([], [], "no_pairable_units", None, 0),
        ([np.nan, 1], [2, np.nan], "no_pairable_units", None, 0),
        ([1, np.nan], [2, 3], None, "one_cluster", 1),
        ([1, 2], [2, 3], None, "no_variation", 2),
    ],
)
def test_untestable_change_reports_a_reason(
    before: list[float], after: list[float], reason: str | None, interval_reason: str | None, n: int
) -> None:
    result = change(np.array(before, float), np.array(after, float))
    assert (result.reason, result.interval_reason, result.n_raters) == (reason, interval_reason, n)


def test_arm_difference_matches_statsmodels_ancova_with_hc2() -> None:
    """Cameron and Miller (2015), J. Hum. Resour. 50:317: CR2 with one observation per cluster is HC2."""
    rng = np.random.default_rng(1)
    before, arm = rng.normal(4, 1, 30), np.arange(30) % 3 == 0
    after = 1 + 0.7 * before + 0.5 * arm + rng.normal(size=30) * np.where(arm, 3, 1)
    result = change_difference(before, after, arm)
    known = sm.OLS(after, np.column_stack([np.ones(30), before, arm])).fit(cov_type="HC2")
    assert (result.estimate, result.standard_error) == pytest.approx((known.params[2], known.bse[2]))


def test_arm_difference_has_the_degrees_of_freedom_of_bell_and_mccaffrey() -> None:
    """By matrices: 2 E(V)^2 / Var(V) of V = sum (a_i e_i)^2 with e = (I - H) u and independent u."""
    rng = np.random.default_rng(2)
    before, arm = rng.normal(4, 1, 14), np.arange(14) < 5
    after = before + rng.normal(size=14)
    design = np.column_stack([np.ones(14), before, arm])
    bread = np.linalg.inv(design.T @ design)
    residual_maker = np.eye(14) - design @ bread @ design.T
    taken = (design @ bread)[:, 2] / np.sqrt(np.diag(residual_maker))
    covariance = np.outer(taken, taken) * residual_maker
    result = change_difference(before, after, arm)
    assert result.df == pytest.approx(np.trace(covariance) ** 2 / (covariance**2).sum())


def test_final_scores_of_arms_that_differ_in_variance_match_welch() -> None:
    rng = np.random.default_rng(3)
    after, arm = rng.normal(size=26) * np.where(np.arange(26) < 6, 2.5, 1), np.arange(26) < 6
    result = change_difference(np.full(26, 3.0), after, arm)
    known = stats.ttest_ind(after[arm], after[~arm], equal_var=False)
    assert (result.estimate or 0) / (result.standard_error or 1) == pytest.approx(known.statistic)


def test_small_arm_with_larger_variance_is_covered() -> None:
    """Six raters against twenty whose residuals vary 2.5 times less; one common variance covered .80."""
    rng, held = np.random.default_rng(4), 0
    arm = np.arange(26) < 6
    for _ in range(500):
        before = rng.normal(size=26)
        after = 0.6 * before + 0.4 * arm + rng.normal(size=26) * np.where(arm, 2.5, 1)
        interval = change_difference(before, after, arm).interval
        assert interval
        held += interval.low <= 0.4 <= interval.high
    assert held / 500 >= 0.91


def test_constant_baseline_leaves_comparison_of_final_scores() -> None:
    after, arm = np.array([1.0, 2, 4, 6]), np.array([0, 0, 1, 1])
    result = change_difference(np.full(4, 3.0), after, arm)
    assert (result.estimate, result.df) == pytest.approx((3.5, 2))
    assert result.note == "The scores before do not vary."


@pytest.mark.parametrize(
    ("before", "after", "arm", "reason", "interval_reason"),
    [
        ([], [], [], "no_pairable_units", None),
        ([1, 2], [1, 2], [1, 1], "no_pairable_units", None),
        ([1, 2], [np.nan, 2], [1, 0], "no_pairable_units", None),
        ([1, 1, 2, 2], [1, 2, 3, 4], [0, 0, 1, 1], "singular", None),
        ([1, 2, 5], [1, 2, 4], [0, 0, 1], None, "one_cluster"),
        ([1, 2, 5, 6], [1, 3, 4, 6], [0, 0, 0, 1], None, "one_cluster"),
        ([1, 2, 3, 4], [2, 3, 5, 6], [0, 0, 1, 1], None, "no_variation"),
    ],
)
def test_incomparable_arms_report_a_reason(
    before: list[float], after: list[float], arm: list[int], reason: str | None, interval_reason: str | None
) -> None:
    result = change_difference(np.array(before, float), np.array(after, float), np.array(arm, bool))
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


# Two raters who wrote with each other, in each of ten pairs: scores before and after, five pairs in each arm.
PAIR = np.repeat(np.arange(10), 2)
IS_WARM = PAIR < 5
BEFORE = np.array([3, 4, 5, 5, 2, 3, 6, 4, 4, 5, 3, 3, 6, 5, 4, 2, 5, 4, 3, 5], float)
AFTER = np.array([5, 6.5, 8, 7, 3, 4.5, 8, 8.5, 6, 5, 3, 4, 5, 4.5, 6, 7, 2, 2.5, 4, 3])


def test_change_of_raters_in_pairs_is_the_paired_test_on_the_means_of_pairs() -> None:
    """As twenty raters, it had 19 degrees of freedom."""
    found = change(BEFORE, AFTER, cluster=PAIR)
    means = (AFTER - BEFORE).reshape(10, 2).mean(axis=1)
    known = stats.ttest_1samp(means, 0)
    assert (found.estimate, found.p_value, found.df) == pytest.approx((means.mean(), known.pvalue, 9))
    assert found.interval
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(known.confidence_interval()))
    assert (found.n_units, found.n_raters) == (20, 20)
    words = "t_paired: after minus before, groups of raters who wrote with each other as clusters"
    assert str(found.method) == words


def test_arms_of_raters_in_pairs_are_compared_by_welchs_test_of_the_means_of_pairs() -> None:
    """With equal scores before, the adjusted difference is that of the scores after; it had 18 degrees of freedom."""
    found = change_difference(np.full(20, 4.0), AFTER, IS_WARM, cluster=PAIR)
    means = AFTER.reshape(10, 2).mean(axis=1)
    known = stats.ttest_ind(means[:5], means[5:], equal_var=False)
    assert (found.estimate or 0) / (found.standard_error or 1) == pytest.approx(known.statistic)
    assert found.df == pytest.approx(8)
    assert str(found.method) == "ancova_cr2_t: groups of raters who wrote with each other as clusters"


def test_adjusted_difference_of_pairs_has_the_error_of_bell_and_mccaffrey() -> None:
    """By matrices: each pair's residuals times (I - H)^-1/2 within the pair."""
    found = change_difference(BEFORE, AFTER, IS_WARM, cluster=PAIR)
    design = np.column_stack([np.ones(20), BEFORE, IS_WARM])
    bread = np.linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    residual = AFTER - hat @ AFTER
    score = []
    for pair in range(10):
        own = np.arange(2 * pair, 2 * pair + 2)
        values, vectors = np.linalg.eigh(np.eye(2) - hat[np.ix_(own, own)])
        score.append((design @ bread)[own, 2] @ (vectors / np.sqrt(values)) @ vectors.T @ residual[own])
    assert found.standard_error == pytest.approx(np.sqrt(np.square(score).sum()))
    assert found.df is not None
    assert found.df < 8.5


def test_rater_whose_partner_has_no_scores_is_a_cluster_of_their_own() -> None:
    after = np.where(np.arange(20) % 2, np.nan, AFTER)
    alone = np.arange(0, 20, 2)
    assert change(BEFORE, after, cluster=PAIR) == change(BEFORE[alone], AFTER[alone])
    of_arms = change_difference(BEFORE, after, IS_WARM, cluster=PAIR)
    assert of_arms == change_difference(BEFORE[alone], AFTER[alone], IS_WARM[alone])


def test_too_few_pairs_have_no_interval_and_few_are_warned_of() -> None:
    one, four = PAIR < 1, PAIR < 4
    assert change(BEFORE[one], AFTER[one], cluster=PAIR[one]).note == (
        "An interval needs two groups of raters who wrote with each other."
    )
    some = PAIR > 2
    few = change_difference(BEFORE[some], AFTER[some], IS_WARM[some], cluster=PAIR[some])
    words = "One side has only 2 groups of raters who wrote with each other, so the interval is wide."
    assert few.interval_warnings == (words,)
    lone = change_difference(BEFORE[~four], AFTER[~four], IS_WARM[~four], cluster=PAIR[~four])
    assert (lone.interval_reason, lone.estimate is not None) == ("one_cluster", True)


def test_level_holds_where_partners_change_alike() -> None:
    """Ten pairs, whose raters share half of their variance: as independent raters, 11% of such tests were clear."""
    rng, n_clear = np.random.default_rng(5), 0
    for _ in range(400):
        shared = np.repeat(rng.normal(size=10), 2)
        before = rng.normal(size=20)
        after = 0.5 * before + shared + rng.normal(size=20)
        n_clear += (change_difference(before, after, IS_WARM, cluster=PAIR).p_value or 0) < 0.05
    assert 0.02 <= n_clear / 400 <= 0.08
