import numpy as np
import pytest

from app.stats.raters.severity import rater_severity
from tests.kit.oracles import Oracle

# R: ordinal 2022.11.16, ranef(clmm(rating ~ 1 + (1 | judge) + (1 | bottle), wine), condVar = TRUE)
MODES = (1.586568, -0.532975, 0.906458, -0.055097, 0.237673, 0.428519, -1.797046, -0.245508, -0.515055)
VARIANCES = (0.366252, 0.425306, 0.399277, 0.409939, 0.388654, 0.394044, 0.394311, 0.364602, 0.377607)


def test_wine_judge_severity_matches_r_ordinal(oracle: Oracle) -> None:
    """Nine judges of eight bottles; bitterness on five points (Randall 1989)."""
    rows = oracle("clmm_wine_crossed_probit")["input"]["rows"]
    bottle, judge, rating = (np.array([row[k] for row in rows]) for k in (0, 1, 2))
    found = rater_severity(rating.astype(float), unit=bottle, rater=judge)
    by_judge = {str(one.rater): one.severity for one in found}
    for k, (mode, variance) in enumerate(zip(MODES, VARIANCES, strict=True)):
        severity = by_judge[str(k + 1)]
        assert severity.estimate == pytest.approx(-mode, abs=2e-3)
        assert severity.standard_error == pytest.approx(variance**0.5, abs=2e-3)
        assert severity.n_ratings == 8
        assert severity.interval


def test_severity_order_holds_with_more_raters_than_responses() -> None:
    """The larger factor is eliminated first; the results must not depend on which one that is."""
    rng = np.random.default_rng(1)
    unit, rater = (axis.ravel() for axis in np.indices((4, 9)))
    latent = rng.normal(size=4)[unit] + 2 * rng.normal(size=9)[rater] + rng.logistic(size=36)
    value = np.searchsorted([-1.0, 0.0, 1.0], latent).astype(float)
    found = rater_severity(value, unit=unit, rater=rater)
    severities = [one.severity.estimate or 0.0 for one in found]
    assert np.corrcoef(severities, [value[rater == r].mean() for r in range(9)])[0, 1] < -0.9
    assert all(0 < (one.severity.standard_error or 0) < 3 for one in found)


def test_severe_rater_has_highest_severity() -> None:
    rng = np.random.default_rng(2)
    unit, rater = (axis.ravel() for axis in np.indices((20, 5)))
    latent = rng.normal(size=20)[unit] - 2.0 * (rater == 3) + rng.logistic(size=100)
    found = rater_severity(np.searchsorted([-1.0, 1.0], latent).astype(float), unit=unit, rater=rater)
    assert max(found, key=lambda one: one.severity.estimate or 0).rater == 3


@pytest.mark.parametrize(
    ("value", "unit", "rater", "reason"),
    [
        ([1, 2], [0, 1], [0, 1], "no_pairable_units"),
        ([1, 2, 3], [0, 0, 0], [0, 1, 2], "no_pairable_units"),
        ([2, 2, 2, 2], [0, 0, 1, 1], [0, 1, 0, 1], "no_variation"),
        ([1, 2, 1, 2, 1, 2], [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], "not_converged"),
    ],
)
def test_indistinguishable_raters_report_a_reason(
    value: list[float], unit: list[int], rater: list[int], reason: str
) -> None:
    found = rater_severity(np.array(value, float), unit=np.array(unit), rater=np.array(rater))
    assert {one.severity.reason for one in found} == {reason}


def test_no_ratings_give_no_raters() -> None:
    assert rater_severity(np.zeros(0), unit=np.zeros(0), rater=np.zeros(0)) == []
