"""The bootstrap of alpha and alpha without each rater, against naive implementations of both."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.stats.agreement import alpha as resampled_alpha
from app.stats.agreement import alpha_bootstrap, alpha_without_each_rater, krippendorff_alpha
from app.stats.agreement.alpha import _alphas, bootstrap_alphas
from app.stats.agreement.disagreement import Level, patterns
from app.stats.ratings import Ratings

LEVELS: list[Level] = ["nominal", "ordinal", "interval", "ratio"]


def panel(scale: int = 5, n_units: int = 120) -> Ratings:
    rng = np.random.default_rng(11)
    seen = rng.normal(size=(n_units, 1)) + rng.normal(size=(n_units, 4))
    unit, rater = (index.ravel() for index in np.indices(seen.shape))
    value = np.clip(np.round((seen + 3) / 6 * (scale - 1)), 0, scale - 1) + 1
    return Ratings(unit, rater, value.ravel())


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("scale", "n_units"), [(5, 120), (41, 60)])
def test_pattern_bootstrap_equals_unit_bootstrap(level: Level, scale: int, n_units: int) -> None:
    ratings = panel(scale, n_units)
    fast = bootstrap_alphas(ratings, level=level, n_resamples=600, seed=1)
    rng = np.random.default_rng(2)
    by_unit = ratings.value.reshape(-1, 4)
    slow = []
    for _ in range(300):
        value = by_unit[rng.integers(0, len(by_unit), len(by_unit))]
        estimate = krippendorff_alpha(Ratings(ratings.unit, ratings.rater, value.ravel()), level=level).estimate
        assert estimate is not None
        slow.append(estimate)
    assert np.mean(fast) == pytest.approx(np.mean(slow), abs=0.015)
    assert np.std(fast) == pytest.approx(np.std(slow), rel=0.15)


@pytest.mark.parametrize("level", LEVELS)
def test_resample_with_original_frequencies_has_original_alpha(level: Level) -> None:
    ratings = panel()
    counts, weight = patterns(ratings.paired.counts)
    alphas = _alphas(counts, weight[None].astype(int), ratings.values, level)
    assert alphas[0] == pytest.approx(krippendorff_alpha(ratings, level=level).estimate, abs=1e-9)


def test_bootstrap_is_reproducible_and_near_analytic_interval() -> None:
    first, again = (alpha_bootstrap(panel(), level="ordinal", seed=3) for _ in range(2))
    analytic = krippendorff_alpha(panel(), level="ordinal")
    assert first == again
    assert first.interval is not None
    assert analytic.interval is not None
    assert str(first.interval.method) == "bootstrap_units"
    assert (first.interval.low, first.interval.high) == pytest.approx(
        (analytic.interval.low, analytic.interval.high), abs=0.03
    )


def test_slider_bootstrap_runs_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.stats.agreement.alpha.CHUNK", 1000)
    ratings = panel(101)
    assert len(bootstrap_alphas(ratings, level="ordinal", n_resamples=50, seed=0)) == 50


def test_resamples_without_variation_are_counted_in_note() -> None:
    ratings = Ratings(np.repeat(np.arange(3), 2), np.tile([0, 1], 3), np.array([1.0, 1, 1, 1, 1, 2]))
    result = alpha_bootstrap(ratings, level="nominal", n_resamples=200)
    assert "of 200 resamples show no variation" in result.note


def test_bootstrap_interval_contains_alpha_that_resamples_do_not_reach() -> None:
    """Only 58 occurs twice: nearly every resample repeats units without agreement, which lowers alpha; limit -.031."""
    value = np.array([45.0, 5, 83, 36, 18, 89, 58, 61, 23, 58, 95, 28])
    result = alpha_bootstrap(Ratings(np.tile(np.arange(6), 2), np.repeat([0, 1], 6), value), level="nominal")
    assert result.interval is not None
    assert result.estimate == result.interval.high == pytest.approx(-1 / 65)


@settings(max_examples=50)
@given(ratings=st.from_type(Ratings), level=st.sampled_from(LEVELS))
def test_bootstrap_and_analytic_intervals_are_defined_together(ratings: Ratings, level: Level) -> None:
    result = alpha_bootstrap(ratings, level=level, n_resamples=40)
    analytic = krippendorff_alpha(ratings, level=level)
    assert (result.estimate, result.reason, result.interval_reason) == (
        analytic.estimate,
        analytic.reason,
        analytic.interval_reason,
    )
    assert (result.interval is None) == (analytic.interval is None)


@given(ratings=st.from_type(Ratings), level=st.sampled_from(LEVELS))
@example(Ratings(np.ones(3, int), np.arange(3), np.array([1e300, 0.0, 1.0])), "interval")
def test_leave_one_rater_out_alpha_is_alpha_of_remaining_raters(ratings: Ratings, level: Level) -> None:
    without = alpha_without_each_rater(ratings, level=level)
    assert list(without.rater) == np.unique(ratings.rater).tolist()
    for rater, alpha in zip(without.rater, without.alpha, strict=True):
        others = krippendorff_alpha(ratings.select(ratings.rater != rater), level=level)
        assert alpha == pytest.approx(others.estimate, abs=1e-8)
    known = [alpha for alpha in without.alpha if alpha is not None]
    assert without.range == ((min(known), max(known)) if known else None)


@pytest.mark.parametrize("scale", [5, 41])
def test_leave_one_rater_out_paths_agree(scale: int) -> None:
    ratings = panel(scale, 60)
    assert (resampled_alpha._numbered(ratings) is None) == (scale == 41)
    at_once = alpha_without_each_rater(ratings, level="ordinal").alpha
    assert at_once == pytest.approx(resampled_alpha._one_by_one(ratings, "ordinal"), rel=1e-12)
