"""Linear mixed models against R: lme4 1.1.31 and lmerTest 3.1.3."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from app.stats.arrays import Floats
from app.stats.mixed.lmm import fit_lmm, mean_difference_lmm
from tests.kit.oracles import Oracle
from tests.stats.conftest import RandomRatings, Where


@pytest.mark.parametrize("is_plate_first", [True, False])
def test_penicillin_model_matches_lme4(oracle: Oracle, *, is_plate_first: bool) -> None:
    """Bates et al. (2015); Davies and Goldsmith (1972)."""
    known = oracle("lmm_penicillin")
    expected, tolerance = known["expected"], known["tolerance"]["default"]
    plate, sample, diameter = (np.array(column) for column in zip(*known["input"]["rows"], strict=True))
    one = np.ones((1, len(plate)))
    item, rater = (plate, sample) if is_plate_first else (sample, plate)
    fit = fit_lmm(diameter.astype(float), one, item=item, rater=rater, item_columns=one, rater_columns=one)
    assert fit is not None
    sds = (fit.sd_item[0], fit.sd_rater[0]) if is_plate_first else (fit.sd_rater[0], fit.sd_item[0])
    assert sds == pytest.approx((expected["sd_plate"], expected["sd_sample"]), abs=tolerance)
    assert fit.sd_residual == pytest.approx(expected["sd_residual"], abs=tolerance)
    assert fit.reml_criterion == pytest.approx(expected["reml_criterion"], abs=tolerance)
    assert fit.beta == pytest.approx([expected["intercept"]], abs=tolerance)
    assert np.sqrt(fit.covariance) == pytest.approx(np.array([[expected["se_intercept"]]]), abs=tolerance)


def test_ham_model_matches_lmertest(oracle: Oracle) -> None:
    """648 ratings on nine points; products nested in consumers; type III with sum contrasts."""
    known = oracle("lmm_ham_satterthwaite")
    expected, tolerance = known["expected"], known["tolerance"]["default"]
    rater, product, shown, value = (np.array(column) for column in zip(*known["input"]["rows"], strict=True))
    products = np.array([(product == name) * 1.0 - (product == "4") for name in "123"])
    informed = (shown == "1") * 1.0 - (shown == "2")
    fixed: Floats = np.vstack([np.ones(len(value)), products, informed, products * informed])
    one = np.ones((1, len(value)))
    cell = np.char.add(rater, np.char.add("-", product))
    fit = fit_lmm(value.astype(float), fixed, item=cell, rater=rater, item_columns=one, rater_columns=one)
    assert fit is not None
    information = np.eye(8)[4]
    t, df = fit.beta[4] / np.sqrt(fit.covariance[4, 4]), fit.df(information)
    answer = tuple(expected[f"{part}_Information"] for part in ("F", "dendf", "p"))
    assert (t**2, df, 2 * stats.t.sf(abs(t), df)) == pytest.approx(answer, abs=tolerance)
    variances = (fit.sd_item[0] ** 2, fit.sd_rater[0] ** 2, fit.sd_residual**2)
    named = (expected["var"][name] for name in ("Product_x_Consumer", "Consumer", "Residual"))
    assert variances == pytest.approx(tuple(named), abs=tolerance)


def test_balanced_design_has_the_degrees_of_freedom_of_analysis_of_variance() -> None:
    """Each item, rater and source once, effects of items and raters only: what is left has the degrees of freedom."""
    item, rater, source = (axis.ravel() for axis in np.indices((8, 5, 2)))
    rng = np.random.default_rng(4)
    value = 0.3 * source + rng.normal(size=8)[item] + rng.normal(size=5)[rater] + rng.normal(size=len(item))
    effects = sum(
        len(value) * np.var([value[labels == k].mean() for k in np.unique(labels)]) for labels in (item, rater, source)
    )
    df_left = len(value) - 8 - 5 - 2 + 2
    f = len(value) * np.var([value[source == k].mean() for k in range(2)])
    f /= (len(value) * np.var(value) - effects) / df_left
    one = np.ones((1, len(value)))
    fit = fit_lmm(value, np.vstack([one, source]), item=item, rater=rater, item_columns=one, rater_columns=one)
    assert fit is not None
    found = fit.beta[1] ** 2 / fit.covariance[1, 1], fit.df(np.eye(2)[1])
    assert found == pytest.approx((f, df_left), rel=1e-4)


def _crossed(n_items: int, n_raters: int, noise: float = 1.0) -> tuple[Floats, Floats, Where]:
    rng = np.random.default_rng(6)
    item, rater, source = (axis.ravel() for axis in np.indices((n_items, n_raters, 2)))
    by_rater = rng.normal(size=(n_raters, 2))
    value = rng.normal(size=(n_items, 2))[item, source] + by_rater[rater, source] + noise * rng.normal(size=len(item))
    return value, source, {"item": item, "rater": rater}


def test_balanced_model_without_slopes_matches_classical_test() -> None:
    """Items, raters and source are additive: the standard error is that of least squares with all as factors."""
    value, source, where = _crossed(8, 5)
    result = mean_difference_lmm(value, source == 1, **where, has_slopes=False)
    dummies = [np.eye(8)[where["item"]][:, 1:], np.eye(5)[where["rater"]][:, 1:], np.eye(2)[source]]
    design = np.concatenate(dummies, axis=1)
    beta, rss, *_ = np.linalg.lstsq(design, value)
    df = len(value) - design.shape[1]
    assert result.estimate == pytest.approx(beta[-1] - beta[-2])
    assert result.standard_error == pytest.approx(float(np.sqrt(rss[0] / df * 4 / len(value))), rel=1e-4)
    assert result.df == pytest.approx(df, rel=1e-3)


def test_rater_slopes_alone_match_paired_t_test() -> None:
    """Two identical items: only raters are a sample, so the test is the paired test of raters' differences."""
    value, source, where = _crossed(40, 6, noise=0.1)
    by_item = np.array([value[(where["item"] == i) & (source == s)].mean() for i in range(40) for s in (0, 1)])
    value = value - by_item[where["item"] * 2 + source] + 0.7 * source
    result = mean_difference_lmm(value, source == 1, **where)
    of_rater = [[value[(where["rater"] == r) & (source == s)].mean() for r in range(6)] for s in (0, 1)]
    known = stats.ttest_rel(of_rater[1], of_rater[0])
    assert (result.estimate, result.df) == pytest.approx((0.7, 5), rel=1e-3)
    assert result.p_value == pytest.approx(known.pvalue, rel=1e-3)


@pytest.mark.parametrize(
    ("value", "treated", "reason", "interval_reason"),
    [
        ([], [], "no_pairable_units", None),
        ([1, 2], [True, True], "no_pairable_units", None),
        ([1, 2], [False, False], "no_pairable_units", None),
        ([1, 2], [True, False], None, "no_variation"),
        ([0, 0, 0, 0], [True, True, False, False], None, "no_variation"),
    ],
)
def test_unfittable_model_reports_a_reason(
    value: list[float], treated: list[bool], reason: str | None, interval_reason: str | None
) -> None:
    place = np.arange(len(value))
    result = mean_difference_lmm(np.array(value, float), np.array(treated, bool), item=place % 2, rater=place // 2)
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


def test_items_that_explain_everything_leave_no_residual() -> None:
    item = np.repeat(np.arange(3), 4)
    treated = np.tile([True, True, False, False], 3)
    result = mean_difference_lmm(item + treated * 1.0, treated, item=item, rater=np.tile(np.arange(4), 3))
    assert result.estimate == pytest.approx(1)
    assert result.interval_reason == "no_variation"


def test_diverging_search_falls_back_to_difference_of_means() -> None:
    """Seven ratings that are fully explained by one item and one rater."""
    value, treated = np.array([1.0, 1, 1, 1, 1, 1, 2]), np.arange(7) > 4
    item, rater = np.array([0, 0, 0, 1, 2, 0, 1]), np.array([0, 0, 0, 0, 1, 0, 0])
    result = mean_difference_lmm(value, treated, item=item, rater=rater)
    assert (result.estimate, result.interval_reason) == (0.5, "no_variation")


def test_single_rater_has_estimate_without_interval() -> None:
    value, source, where = _crossed(10, 3)
    one = where["rater"] == 1
    result = mean_difference_lmm(value[one], source[one] == 1, item=where["item"][one], rater=where["rater"][one])
    assert result.interval_reason == "one_cluster"
    assert result.estimate is not None


def test_single_item_and_rater_have_estimate_without_interval() -> None:
    value, place = np.array([1.0, 2, 4, 3]), np.zeros(4)
    result = mean_difference_lmm(value, value > 2, item=place, rater=place)
    assert result.estimate == pytest.approx(2)
    assert result.interval_reason == "one_cluster"


@settings(max_examples=60)
@given(data=st.data())
def test_lmm_difference_is_symmetric_for_any_ratings(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    there = mean_difference_lmm(r.value, r.is_treated, **r.clusters)
    assert there.reason or there.interval or there.interval_reason
    back = mean_difference_lmm(r.value, ~r.is_treated, **r.clusters)
    if there.estimate is not None:
        assert back.estimate == pytest.approx(-there.estimate, rel=1e-4, abs=1e-6)
