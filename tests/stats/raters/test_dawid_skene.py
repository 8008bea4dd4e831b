import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.raters.dawid_skene import dawid_skene
from tests.kit.oracles import Oracle


def test_dawid_and_skene_anaesthetists_are_reproduced(oracle: Oracle) -> None:
    """Dawid and Skene (1979): 45 patients, five raters, the first of whom rated each patient three times."""
    known = oracle("dawid_skene_1979")
    unit, rater, value = (np.array(column) for column in zip(*known["input"]["rows"], strict=True))
    fit = dawid_skene(unit, rater, value - 1, n_categories=4)
    assert fit is not None
    expected, tolerance = known["expected"], known["tolerance"]["default"]
    assert fit.is_converged
    assert fit.prior == pytest.approx(np.array(expected["prior"]), abs=tolerance)
    assert fit.prior == pytest.approx(np.array(known["published"]["prior"]), abs=0.005)
    assert fit.log_likelihood == pytest.approx(expected["loglik"], abs=tolerance)
    assert fit.accuracy == pytest.approx(np.array(expected["accuracy_by_rater"]), abs=tolerance)
    assert (fit.category + 1).tolist() == expected["labels"]
    assert fit.posterior.max(axis=1) == pytest.approx(np.array(expected["posterior_max"]), abs=tolerance)
    assert fit.error_rates[0] == pytest.approx(np.array(expected["error_rates_rater1"]), abs=tolerance)


def test_unanimous_raters_leave_no_uncertainty() -> None:
    unit, rater = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    fit = dawid_skene(unit, rater, np.repeat([0, 1, 1, 0], 3), n_categories=3)
    assert fit is not None
    assert fit.category.tolist() == [0, 1, 1, 0]
    assert fit.accuracy.tolist() == [1, 1, 1]
    assert fit.prior.tolist() == [0.5, 0.5, 0]


def test_no_ratings_give_no_fit() -> None:
    empty = np.array([], dtype=np.int64)
    assert dawid_skene(empty, empty, empty, n_categories=2) is None


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30))
def test_posteriors_are_probabilities_for_any_answers(rows: list[tuple[int, int, int]]) -> None:
    unit, rater, category = (np.array(column) for column in zip(*rows, strict=True))
    fit = dawid_skene(unit, rater, category, n_categories=3)
    assert fit is not None
    assert fit.posterior.sum(axis=1) == pytest.approx(np.ones(len(set(unit.tolist()))))
    assert fit.error_rates.sum(axis=2) == pytest.approx(np.ones((len(set(rater.tolist())), 3)))


def test_rising_likelihood_is_not_reported_as_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.stats.raters.dawid_skene._MAX_STEPS", 1)
    unit, rater = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    fit = dawid_skene(unit, rater, np.array([0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 1]), n_categories=2)
    assert fit is not None
    assert not fit.is_converged
