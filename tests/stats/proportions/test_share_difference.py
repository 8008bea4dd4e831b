import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.clusters import t_quantile
from app.stats.proportions.share_difference import share_difference
from tests.stats.conftest import RandomRatings

ITEM, RATER, SOURCE = (axis.ravel() for axis in np.indices((8, 6, 2)))


def test_interval_is_plain_when_small_and_bounded_when_large() -> None:
    rng = np.random.default_rng(1)
    small = share_difference((rng.random(96) < 0.5).astype(float), SOURCE == 1, item=ITEM, rater=RATER)
    assert small.interval
    assert small.standard_error
    reach = t_quantile(small.df or 1, 0.95) * small.standard_error
    assert small.interval.high - small.interval.low == pytest.approx(2 * reach, rel=0.1)
    nearly = np.where(rng.random(96) < 0.05, 1.0 - SOURCE, SOURCE * 1.0)
    large = share_difference(nearly, SOURCE == 1, item=ITEM, rater=RATER)
    assert large.interval
    assert (large.estimate or 0) > 0.8
    assert large.interval.high < 1


def test_complete_difference_has_no_interval() -> None:
    found = share_difference(SOURCE * 1.0, SOURCE == 1, item=ITEM, rater=RATER)
    assert found.estimate == pytest.approx(1)
    assert (found.interval, found.interval_reason) == (None, "no_variation")


@pytest.mark.parametrize(("treated", "side"), [(SOURCE < 9, "the reference"), (SOURCE > 9, "the source")])
def test_single_source_has_no_difference(treated: np.ndarray, side: str) -> None:
    found = share_difference(SOURCE * 1.0, treated, item=ITEM, rater=RATER)
    assert (found.reason, found.note) == ("no_pairable_units", f"There are no ratings of {side}.")


@given(data=st.data())
def test_share_difference_interval_stays_in_range(random_shares: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_shares)
    found = share_difference(r.value, r.is_treated, **r.clusters)
    if found.interval:
        assert -1 <= found.interval.low <= (found.estimate or 0) <= found.interval.high <= 1
