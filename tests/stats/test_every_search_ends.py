"""Every statistic returns within two processor seconds on any tiny data set."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.stats.agreement import variance_components
from app.stats.choice.strengths import fit_davidson
from app.stats.mixed.clmm import compare_ordinal
from app.stats.mixed.lmm import mean_difference_lmm
from app.stats.raters.profiles import profiles
from app.stats.ratings import Ratings
from app.stats.scales import omega
from tests.stats.bounded import processor_seconds
from tests.stats.conftest import Where
from tests.stats.tiny import CLOSED, SEARCHING, Tiny, tiny

# every second data set tests a statistic that searches for a maximum
NAMES = st.one_of(st.sampled_from(sorted(SEARCHING)), st.sampled_from(sorted(CLOSED)))
LIMIT = 2.0


def _ends(name: str, data: Tiny) -> None:
    with processor_seconds(LIMIT):
        (SEARCHING | CLOSED)[name](data)


@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(name=NAMES, data=tiny())
def test_every_statistic_terminates_on_tiny_data(name: str, data: Tiny) -> None:
    _ends(name, data)


@pytest.mark.slow
@settings(max_examples=20_000, suppress_health_check=list(HealthCheck))
@given(name=NAMES, data=tiny())
def test_every_statistic_terminates_on_20000_tiny_data_sets(name: str, data: Tiny) -> None:
    _ends(name, data)


def _crossed() -> tuple[np.ndarray, np.ndarray, Where]:
    rng = np.random.default_rng(3)
    item, rater, source = (axis.ravel() for axis in np.indices((8, 5, 2)))
    value = rng.normal(size=8)[item] + rng.normal(size=5)[rater] + 0.5 * source + rng.normal(size=80)
    return value, source == 1, {"item": item, "rater": rater}


def test_linear_model_without_minimum_is_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    value, treated, where = _crossed()
    assert mean_difference_lmm(value, treated, **where).reason is None
    monkeypatch.setattr("app.stats.mixed.lmm._MAX_STEPS", 0)
    assert mean_difference_lmm(value, treated, **where).reason == "not_converged"
    assert profiles(value, unit=where["item"], rater=where["rater"])[0].severity.reason == "no_variation"


def test_ordinal_model_without_maximum_is_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    value, treated, where = _crossed()
    monkeypatch.setattr("app.stats.mixed.clmm_fit._POLISHES", 0)
    assert compare_ordinal(np.rint(value), treated, **where).effect.reason == "not_converged"


def test_preference_model_without_maximum_has_no_strengths(monkeypatch: pytest.MonkeyPatch) -> None:
    left, won = np.ones((6, 1)), np.array([1.0, 1, 1, 1, 0, 0])
    assert fit_davidson(left, won) is not None
    monkeypatch.setattr("app.stats.choice.strengths._MAX_STEPS", 1)
    assert fit_davidson(left, won) is None


def test_unconverged_components_fall_back_to_henderson(monkeypatch: pytest.MonkeyPatch) -> None:
    value, _, where = _crossed()
    kept = np.arange(len(value)) % 7 > 0
    ratings = Ratings(where["item"][kept], where["rater"][kept], np.rint(value[kept]))
    monkeypatch.setattr("app.stats.reliability.components.MAX_STEPS", 0)
    found = variance_components(ratings)
    assert found is not None
    assert found.method == "Henderson's method 1 (REML did not converge)"


def test_unconverged_loadings_give_no_omega(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(40, 1)) + rng.normal(size=(40, 4))
    monkeypatch.setattr("app.stats.scales._MAX_STEPS", 0)
    assert omega(scores).reason == "not_converged"
