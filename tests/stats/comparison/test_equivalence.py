import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from app.stats.comparison.describe import mean_difference
from app.stats.comparison.t_tests import equivalence, non_inferiority
from app.stats.mixed.clmm_fit import fit_clmm
from app.stats.mixed.clmm_laplace import LinkName
from app.stats.result import Interval, Method, Result, undefined

# number of ratings at each of five points
REFERENCE, SOURCE = (10, 22, 40, 30, 18), (8, 18, 40, 34, 20)
POINT = np.concatenate([np.repeat(np.arange(5), REFERENCE), np.repeat(np.arange(5), SOURCE)])
IS_SOURCE = np.repeat([False, True], 120)
EACH = np.arange(240)


@pytest.mark.parametrize(
    ("link", "margin", "shift", "p_equivalent", "p_not_worse", "low", "high"),
    [
        ("probit", 0.5, 0.120286575571, 0.002482042275, 0.000002224053, -0.102032412563, 0.342605563705),
        ("logit", np.log(2), 0.212498841102, 0.019003891570, 0.000046278248, -0.168553450996, 0.593551133200),
    ],
)
def test_shift_on_the_ordinal_scale_matches_r(
    link: LinkName, margin: float, shift: float, p_equivalent: float, p_not_worse: float, low: float, high: float
) -> None:
    """ordinal::clm 2022.11.16 of R 4.2.2: estimate and standard error; the two normal tests by `pnorm`."""
    none = np.empty((0, len(POINT)))
    fit = fit_clmm(
        POINT, IS_SOURCE[np.newaxis] * 1.0, item=EACH, rater=EACH, item_columns=none, rater_columns=none, link=link
    )
    assert fit is not None
    interval = Interval(-1, 1, Method(words="wald"), inference="ratings")
    found = Result(float(fit.beta[0]), interval=interval, standard_error=float(fit.beta_errors[0]), df=1e9)
    both, one = equivalence(found, margin), non_inferiority(found, margin)
    assert both.interval is not None
    assert (both.estimate, both.interval.low, both.interval.high) == pytest.approx((shift, low, high), abs=1e-7)
    assert (both.p_value, one.p_value) == pytest.approx((p_equivalent, p_not_worse), abs=1e-8)


def test_ordinal_ratings_match_two_welch_tests_of_r() -> None:
    """`t.test` with mu = -.5 and .5: p = .0000125 and .0067452, df = 237.82; ours are 238 for 240 clusters."""
    difference = mean_difference(POINT.astype(float), IS_SOURCE, item=EACH, rater=EACH)
    assert equivalence(difference, 0.5).p_value == pytest.approx(0.006745216509, rel=1e-3)
    assert non_inferiority(difference, 0.5).p_value == pytest.approx(0.000012499708, rel=1e-2)


def test_one_rater_per_item_matches_paired_test_of_statsmodels() -> None:
    rng = np.random.default_rng(12)
    means = rng.normal(size=(25, 2)) * 0.5
    item = np.repeat(np.arange(25), 2)
    difference = mean_difference(means.ravel(), np.tile([True, False], 25), item=item, rater=item)
    p_value, lower, upper = ttost_paired(means[:, 0], means[:, 1], -0.4, 0.4)
    assert equivalence(difference, 0.4).p_value == pytest.approx(p_value)
    assert non_inferiority(difference, 0.4).p_value == pytest.approx(lower[1])
    assert max(lower[1], upper[1]) == p_value


@pytest.mark.parametrize(
    ("estimate", "is_equivalent", "is_not_worse"), [(0.0, True, True), (0.4, False, True), (-0.4, False, False)]
)
def test_equivalence_interval_and_p_value_agree(estimate: float, *, is_equivalent: bool, is_not_worse: bool) -> None:
    base = mean_difference(
        np.array([1.0, 2, 3, 5]), np.array([True, False] * 2), item=np.array([0, 0, 1, 1]), rater=np.array([0, 0, 1, 1])
    )
    assert base.interval is not None
    difference = Result(estimate, Method(words=""), interval=base.interval, standard_error=0.2, df=20.0)
    both, one = equivalence(difference, 0.5), non_inferiority(difference, 0.5)
    assert both.interval is not None
    assert one.interval is not None
    assert (both.p_value or 0) < 0.05 if is_equivalent else (both.p_value or 1) > 0.05
    assert (both.interval.low > -0.5 and both.interval.high < 0.5) == is_equivalent
    assert (one.p_value or 0) < 0.05 if is_not_worse else (one.p_value or 1) > 0.05
    assert (one.interval.low > -0.5) == is_not_worse
    assert (both.interval.level, str(both.method)) == (0.9, "two_way_cluster_t: equivalence within 0.5")


def test_difference_without_standard_error_is_not_tested() -> None:
    bare = Result(0.1, Method("two_way_cluster_t"), interval_reason="one_cluster")
    assert equivalence(bare, 0.5) == bare
    nothing = undefined("no_pairable_units")
    assert non_inferiority(nothing, 0.5) == nothing


def test_zero_margin_is_rejected() -> None:
    with pytest.raises(ValueError, match="above 0"):
        equivalence(Result(0.1), 0)
