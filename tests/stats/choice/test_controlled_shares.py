import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from app.stats.arrays import Floats
from app.stats.choice.controlled_shares import preference_model, share_at_equal
from app.stats.comparison.describe import share
from tests.stats.conftest import RandomRatings, Where

NONE = np.zeros((0, 0))


def _votes(n_items: int = 60, n_raters: int = 12, ties: float = 0.0) -> tuple[Floats, Floats, Where]:
    """Simulate choices: the source wins with log odds 0.3 at equal length, plus 0.8 per unit of length."""
    rng = np.random.default_rng(5)
    item, rater = (axis.ravel() for axis in np.indices((n_items, n_raters)))
    length = rng.normal(0.7, 0.5, n_items)[item]
    latent = 0.3 + 0.8 * length + 0.5 * rng.normal(size=n_items)[item] + 0.5 * rng.normal(size=n_raters)[rater]
    won = (rng.random(len(item)) < special.expit(latent)).astype(float)
    won[rng.random(len(item)) < ties] = 0.5
    return won, length[np.newaxis], {"item": item, "rater": rater}


def test_equal_length_share_matches_logistic_regression() -> None:
    won, length, where = _votes()
    fit = sm.Logit(won, sm.add_constant(length[0])).fit(disp=False)
    found = share_at_equal(won, length, **where)
    assert found.share.estimate == pytest.approx(special.expit(fit.params[0]))
    assert found.slopes[0].estimate == pytest.approx(fit.params[1])
    raw = share(won, **where).estimate
    assert raw is not None
    assert found.share.estimate is not None
    assert found.share.estimate < raw - 0.05


@pytest.mark.parametrize("ties", [0.0, 0.2])
def test_share_without_covariates_matches_raw_share(ties: float) -> None:
    won, _, where = _votes(ties=ties)
    found, raw = share_at_equal(won, np.zeros((0, len(won))), **where).share, share(won, **where, null=0.5)
    assert found.estimate == pytest.approx(raw.estimate)
    assert found.standard_error == pytest.approx(raw.standard_error, rel=1e-6)
    assert found.p_value == pytest.approx(raw.p_value)


def test_choices_with_unknown_length_are_excluded() -> None:
    won, length, where = _votes()
    length[0, :100] = np.nan
    assert share_at_equal(won, length, **where).share.n_ratings == len(won) - 100


def test_mixed_model_recovers_simulated_parameters() -> None:
    won, length, where = _votes(150, 25)
    found = preference_model(won, length, **where)
    for result, truth in ((found.odds, np.exp(0.3)), (found.slopes[0], 0.8)):
        assert result.interval is not None
        assert result.interval.low < truth < result.interval.high
    assert found.sds is not None
    assert found.sds["rater"] == pytest.approx(0.5, abs=0.2)
    assert found.share.estimate is not None
    assert 0.5 < found.share.estimate < special.expit(np.log(found.odds.estimate or 0)) + 1e-9


def test_mixed_model_excludes_ties() -> None:
    won, length, where = _votes(ties=0.3)
    assert preference_model(won, length, **where).odds.n_ratings == int((won != 0.5).sum())


@pytest.mark.parametrize(
    ("won", "covariate", "marginal", "mixed"),
    [
        ([], [], "no_pairable_units", "no_pairable_units"),
        ([1, 0, 1, 0], [2, 2, 2, 2], "singular", "singular"),
        ([1, 1, 1, 1], [1, 2, 3, 4], "separation", "separation"),
        ([0, 0, 1, 1], [1, 2, 3, 4], "separation", "separation"),
        ([0.5, 0.5], [1, 2], "separation", "no_pairable_units"),
    ],
)
def test_unfittable_choices_report_a_reason(
    won: list[float], covariate: list[float], marginal: str, mixed: str
) -> None:
    place = np.arange(len(won))
    where: Where = {"item": place // 2, "rater": place % 2}
    covariates = np.array([covariate], float)
    found = share_at_equal(np.array(won, float), covariates, **where)
    assert [found.share.reason, found.slopes[0].reason] == [marginal, marginal]
    model = preference_model(np.array(won, float), covariates, **where)
    assert [model.odds.reason, model.share.reason, model.slopes[0].reason] == [mixed] * 3


def test_single_rater_has_estimate_without_interval() -> None:
    won, length, where = _votes()
    one = where["rater"] == 0
    found = preference_model(won[one], length[:, one], item=where["item"][one], rater=where["rater"][one])
    assert found.odds.estimate is not None
    assert found.odds.interval_reason == "one_cluster"


def test_barely_overlapping_odds_are_reported_as_separated() -> None:
    where: Where = {"item": np.arange(3), "rater": np.array([0, 0, 1])}
    found = preference_model(np.array([0.0, 0.0, 1.0]), np.array([[2.0, 1.0, 1.0]]), **where)
    assert (found.odds.estimate, found.odds.reason, found.share.reason) == (None, "separation", "separation")


def test_odds_with_unbounded_interval_keep_estimate_and_reason() -> None:
    where: Where = {"item": np.array([0, 0, 1, 1]), "rater": np.array([0, 1, 0, 1])}
    found = preference_model(np.array([0.0, 1.0, 1.0, 0.0]), np.zeros((0, 4)), **where, level=0.9999).odds
    assert found.estimate == pytest.approx(1, abs=1e-6)
    assert (found.interval, found.interval_reason) == (None, "separation")


@settings(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 99))
def test_controlled_share_reports_result_or_reason(
    random_shares: RandomRatings, data: st.DataObject, seed: int
) -> None:
    r = data.draw(random_shares)
    covariates = np.random.default_rng(seed).choice([-0.5, 0.5, 0.0], (1, len(r.value)))
    found = share_at_equal(r.value, covariates, **r.clusters)
    model = preference_model(r.value, covariates, **r.clusters)
    for result in (found.share, *found.slopes, model.odds, model.share, *model.slopes):
        assert result.reason or result.interval or result.interval_reason
