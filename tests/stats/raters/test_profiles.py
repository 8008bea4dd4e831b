import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.raters.profiles import profiles, share_of_others
from tests.stats.conftest import RandomRatings


def _study() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Simulate forty responses by five raters; the second is a point more severe, the third answers at random."""
    rng = np.random.default_rng(1)
    unit, rater = (axis.ravel() for axis in np.indices((40, 5)))
    value = 2 * rng.normal(size=40)[unit] - (rater == 1) + 0.4 * rng.normal(size=200)
    return np.where(rater == 2, 3 * rng.normal(size=200), value), unit, rater


def test_severe_and_random_raters_stand_out() -> None:
    value, unit, rater = _study()
    found = profiles(value, unit=unit, rater=rater)
    assert [profile.rater for profile in found] == [0, 1, 2, 3, 4]
    severity = [profile.severity.estimate or 0 for profile in found]
    assert np.argmax(severity) == 1
    assert sum(severity) == pytest.approx(0, abs=1e-6)
    consistency = [profile.consistency.estimate or 0 for profile in found]
    assert np.argmax(consistency) == 2
    agreement = [profile.leave_one_out.estimate or 0 for profile in found]
    assert agreement[2] < 0.3
    assert min(agreement[:2]) > 0.7
    assert found[0].leave_one_out.interval is not None
    assert (found[0].leave_one_out.n_units, found[0].leave_one_out.n_raters) == (40, 1)


def test_balanced_severity_is_shrunken_rater_mean() -> None:
    """Best linear unbiased prediction by hand: the deviation of the rater's mean times its reliability."""
    from app.stats.mixed.lmm import fit_lmm

    value, unit, rater = _study()
    one = np.ones((1, 200))
    fit = fit_lmm(value, one, item=unit, rater=rater, item_columns=one, rater_columns=one)
    assert fit is not None
    between, residual = fit.sd_rater[0] ** 2, fit.sd_residual**2
    means = np.array([value[rater == k].mean() for k in range(5)])
    shrunk = (means - means.mean()) * between / (between + residual / 40)
    assert [profile.severity.estimate for profile in profiles(value, unit=unit, rater=rater)] == pytest.approx(
        -shrunk, rel=1e-3
    )


@pytest.mark.parametrize(
    ("value", "unit", "rater"),
    [
        ([1, 2], [0, 1], [0, 0]),
        ([1, 2], [0, 1], [0, 1]),
        ([2, 2, 2, 2], [0, 0, 1, 1], [0, 1, 0, 1]),
        ([1, 1, 2, 2], [0, 0, 1, 1], [0, 1, 0, 1]),
    ],
    ids=["one rater", "nobody twice", "all the same", "nothing left over"],
)
def test_unmodelled_raters_report_a_reason(value: list[float], unit: list[int], rater: list[int]) -> None:
    found = profiles(np.array(value, float), unit=np.array(unit), rater=np.array(rater))
    assert {profile.severity.reason for profile in found} == {"no_variation"}


def test_responses_rated_once_give_severity_without_agreement() -> None:
    rng = np.random.default_rng(2)
    found = profiles(rng.normal(size=30), unit=np.arange(30), rater=np.append(np.arange(29) // 10, 3))
    assert found[0].severity.estimate is not None
    assert found[0].leave_one_out.reason == "no_pairable_units"
    assert found[3].consistency.reason == "no_pairable_units"


@settings(max_examples=40)
@given(data=st.data())
def test_profile_reports_estimate_or_reason_for_any_ratings(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    for profile in profiles(r.value, unit=r.item, rater=r.rater):
        for result in (profile.severity, profile.consistency, profile.leave_one_out):
            assert (result.estimate is None) != (result.reason is None)


def test_selected_profiles_still_use_all_raters() -> None:
    value, unit, rater = _study()
    every = profiles(value, unit=unit, rater=rater)
    assert profiles(value, unit=unit, rater=rater, named=np.array([3, 1])) == [every[1], every[3]]


def test_profile_without_model_keeps_agreement_with_others() -> None:
    value, unit, rater = _study()
    every = profiles(value, unit=unit, rater=rater)
    found = profiles(value, unit=unit, rater=rater, is_modelled=False)
    assert [profile.leave_one_out for profile in found] == [profile.leave_one_out for profile in every]
    assert {profile.severity.reason for profile in found} == {"not_run"}


def test_share_of_others_excludes_self_and_other_units() -> None:
    share = share_of_others(np.array([1.0, 1, 2, 1, 3]), np.array(["a", "a", "a", "b", "c"]))
    np.testing.assert_allclose(share, [0.5, 0.5, 0, np.nan, np.nan])
