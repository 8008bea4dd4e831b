"""Fits against R: ordinal::clm and ordinal::clmm 2022.11.16 on the wine data of Randall (1989)."""

from typing import Any, cast

import numpy as np
import pytest

from app.stats.arrays import Floats
from app.stats.choice.controlled_shares import preference_model
from app.stats.mixed.clmm_fit import ClmmFit, _polished, fit_clmm
from app.stats.mixed.clmm_laplace import Laplace, LinkName
from tests.kit.oracles import Oracle
from tests.stats.bounded import processor_seconds


def _fit_wine(known: dict[str, Any], *, has_judge: bool, has_bottle: bool, link: LinkName = "logit") -> ClmmFit:
    bottle, judge, rating, temperature, contact = (
        np.array(column) for column in zip(*known["input"]["rows"], strict=True)
    )
    fixed = np.array([temperature == "warm", contact == "yes"], dtype=float)
    one, none = np.ones((1, len(rating))), np.zeros((0, len(rating)))
    fit = fit_clmm(
        rating - 1,
        fixed,
        item=bottle,
        rater=judge,
        item_columns=one if has_bottle else none,
        rater_columns=one if has_judge else none,
        link=link,
    )
    assert fit is not None
    expected, tolerance = known["expected"], known["tolerance"]["default"]
    assert fit.log_likelihood == pytest.approx(expected["loglik"], abs=tolerance)
    assert fit.thresholds == pytest.approx(np.array(expected["thresholds"]), abs=tolerance)
    assert fit.beta == pytest.approx(np.array([expected["tempwarm"], expected["contactyes"]]), abs=tolerance)
    errors = np.array([expected["se_tempwarm"], expected["se_contactyes"]])
    assert fit.beta_errors == pytest.approx(errors, abs=tolerance)
    return fit


def test_fit_without_random_effects_is_proportional_odds_model(oracle: Oracle) -> None:
    known = oracle("clm_wine")
    fit = _fit_wine(known, has_judge=False, has_bottle=False)
    errors = np.sqrt(np.diag(fit.covariance))[:4]
    assert errors == pytest.approx(np.array(known["expected"]["thresholds_se"]), abs=1e-5)


def test_random_judge_effects_match_r_ordinal(oracle: Oracle) -> None:
    known = oracle("clmm_wine_judge_nagq1")
    fit = _fit_wine(known, has_judge=True, has_bottle=False)
    assert fit.sd_rater == pytest.approx([known["expected"]["sd_judge"]], abs=2e-4)
    errors = np.sqrt(np.diag(fit.covariance))[:4]
    assert errors == pytest.approx(np.array(known["expected"]["thresholds_se"]), abs=2e-4)


def test_zero_variance_does_not_disturb_crossed_probit_fit(oracle: Oracle) -> None:
    known = oracle("clmm_wine_crossed_probit")
    fit = _fit_wine(known, has_judge=True, has_bottle=True, link="probit")
    assert fit.sd_rater == pytest.approx([known["expected"]["sd_judge"]], abs=1e-3)
    assert fit.sd_item == pytest.approx([0], abs=0.02)


def _simulated(n_items: int, n_raters: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(8)
    item, rater, source = (axis.ravel() for axis in np.indices((n_items, n_raters, 2)))
    latent = rng.normal(size=n_items)[item] + 0.8 * rng.normal(size=n_raters)[rater] + 0.7 * source
    y = np.searchsorted([-1.5, 0, 1.5], latent + rng.logistic(size=len(item)))
    return {"y": y, "item": item, "rater": rater, "columns": np.array([np.ones(len(y)), source - 0.5])}


def test_fit_is_symmetric_in_items_and_raters() -> None:
    """The factor with more levels is eliminated; the results must not depend on which one that is."""
    d = _simulated(9, 14)
    both, x = d["columns"], d["columns"][1:]
    few = fit_clmm(d["y"], x, item=d["item"], rater=d["rater"], item_columns=both, rater_columns=both[:1])
    many = fit_clmm(d["y"], x, item=d["rater"], rater=d["item"], item_columns=both[:1], rater_columns=both)
    assert few is not None
    assert many is not None
    assert few.beta_errors == pytest.approx(many.beta_errors, rel=1e-5)
    assert few.sd_item == pytest.approx(many.sd_rater, abs=1e-5)
    assert few.item_effects == pytest.approx(many.rater_effects, abs=1e-5)
    sd_errors = np.sqrt(np.diag(few.covariance))[-3:], np.sqrt(np.diag(many.covariance))[-3:]
    assert sd_errors[0] == pytest.approx(sd_errors[1][[1, 2, 0]], rel=1e-4)


def test_random_effects_match_their_items_and_raters() -> None:
    d = _simulated(40, 10)
    one, x = d["columns"][:1], d["columns"][1:]
    fit = fit_clmm(d["y"], x, item=d["item"], rater=d["rater"], item_columns=one, rater_columns=one)
    assert fit is not None
    means = np.bincount(d["item"], d["y"]), np.bincount(d["rater"], d["y"])
    assert np.corrcoef(fit.item_effects[0], means[0])[0, 1] > 0.98
    assert np.corrcoef(fit.rater_effects[0], means[1])[0, 1] > 0.98


def test_unconverged_fit_returns_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.stats.mixed.clmm_fit._POLISHES", 0)
    d = _simulated(9, 14)
    columns = d["columns"]
    item, rater = d["item"], d["rater"]
    assert fit_clmm(d["y"], columns[1:], item=item, rater=rater, item_columns=columns, rater_columns=columns) is None


def test_failed_search_returns_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise np.linalg.LinAlgError

    monkeypatch.setattr("app.stats.mixed.clmm_fit._minimized", fail)
    d = _simulated(4, 3)
    none = np.zeros((0, len(d["y"])))
    fit = fit_clmm(d["y"], d["columns"][1:], item=d["item"], rater=d["rater"], item_columns=none, rater_columns=none)
    assert fit is None


def test_alternating_newton_steps_terminate() -> None:
    """Eight choices with one loss: the likelihood is unbounded, and full steps alternated forever."""
    y, first = np.array([1, 0, 1, 1, 1, 1, 1, 1]), np.array([0.5, -0.5, -0.5, -0.5, -0.5, 0.5, -0.5, -0.5])
    item, rater = np.array([0, 1, 2, 2, 3, 4, 5, 3]), np.array([0, 0, 1, 2, 2, 2, 2, 3])
    one = np.ones((1, len(y)))
    with processor_seconds(2):
        fit = fit_clmm(y, first[np.newaxis], item=item, rater=rater, item_columns=one, rater_columns=one)
        model = preference_model(y.astype(float), first[np.newaxis], item=item, rater=rater)
    assert fit is None or np.abs(fit.parameters).max() > 20
    assert model.odds.reason == "separation"


def test_step_halving_is_bounded() -> None:
    class Uphill:
        asked = 0

        def value_and_gradient(self, w: Floats) -> tuple[float, Floats]:
            self.asked += 1
            return 1e9 + self.asked, np.ones_like(w)

    f = Uphill()
    w, gain = _polished(cast("Laplace", f), np.zeros(2), np.eye(2), 0.0, np.ones(2))
    assert np.isfinite(w).all()
    assert gain > 0
    assert f.asked <= 40 * 10
