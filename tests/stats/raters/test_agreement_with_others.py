"""The correlation with the mean of the others is that of the rater profiles, for all raters at once."""

import numpy as np
import pytest

from app.stats.raters.agreement_with_others import agreement_with_others
from app.stats.raters.profiles import profiles


def test_correlations_are_those_of_the_profiles() -> None:
    rng = np.random.default_rng(3)
    rater, unit = np.repeat(np.arange(5), 12), np.tile(np.arange(12), 5)
    value = (unit % 5 + rng.integers(0, 3, 60)).astype(float)
    kept = rng.permutation(60)[:50]
    found = agreement_with_others(value[kept], unit[kept], rater[kept], 5)
    for profile in profiles(value[kept], unit=unit[kept], rater=rater[kept], is_modelled=False):
        place = int(str(profile.rater))
        assert found.correlation[place] == pytest.approx(profile.leave_one_out.estimate)


def test_correlation_is_missing_where_nothing_varies_or_nobody_else_rated() -> None:
    value, unit = np.array([4.0, 4, 1, 3, 5]), np.array([1, 2, 1, 2, 9])
    found = agreement_with_others(value, unit, np.array([0, 0, 1, 1, 2]), 4)
    assert found.n_compared.tolist() == [2, 2, 0, 0]
    assert np.isnan(found.correlation).all()
    empty = agreement_with_others(value[:0], unit[:0], unit[:0], 2)
    assert empty.n_compared.tolist() == [0, 0]
