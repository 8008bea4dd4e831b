"""Min F' against its definition by mean squares (Clark 1973, J. Verbal Learn. Verbal Behav. 12:335)."""

import numpy as np
import pytest
from scipy import stats

from app.stats.arrays import Bools, Floats, Ints
from app.stats.comparison.t_tests import mean_difference_responders

N_ITEMS, N_PER_SOURCE = 5, 4
ROUNDED = 1e-10


def balanced(seed: int) -> tuple[Floats, Bools, Ints, Ints]:
    """Return two ratings of the response of each responder (four per source) to each of five items."""
    rng = np.random.default_rng(seed)
    responder, item, _ = (code.ravel() for code in np.indices((2 * N_PER_SOURCE, N_ITEMS, 2)))
    is_treated = responder >= N_PER_SOURCE
    level = rng.normal(size=2 * N_PER_SOURCE)[responder] + rng.normal(size=(2, N_ITEMS))[is_treated * 1, item]
    return np.rint(3 + level + rng.normal(size=len(item)) + is_treated), is_treated, item, responder


@pytest.mark.parametrize("seed", range(5))
def test_balanced_design_gives_min_f_of_the_mean_squares(seed: int) -> None:
    """F1 = MS(source) / MS(responders within source), F2 = MS(source) / MS(source x items)."""
    value, is_treated, item, responder = balanced(seed)
    table = value.reshape(2, N_PER_SOURCE, N_ITEMS, 2)
    per_cell = value.size
    of_source = table.mean(axis=(1, 2, 3))
    ms_source = per_cell / 2 * ((of_source - of_source.mean()) ** 2).sum()
    of_responder = table.mean(axis=(2, 3))
    ms_responder = 2 * N_ITEMS * ((of_responder - of_source[:, None]) ** 2).sum() / (2 * (N_PER_SOURCE - 1))
    of_item = table.mean(axis=(1, 3))
    gap = of_item - of_source[:, None] - of_item.mean(axis=0) + of_item.mean()
    ms_item = 2 * N_PER_SOURCE * (gap**2).sum() / (N_ITEMS - 1)
    f1, f2, df1, df2 = ms_source / ms_responder, ms_source / ms_item, 2 * (N_PER_SOURCE - 1), N_ITEMS - 1
    min_f, df = f1 * f2 / (f1 + f2), (f1 + f2) ** 2 / (f1**2 / df2 + f2**2 / df1)

    found = mean_difference_responders(value, is_treated, item=item, responder=responder)
    assert found.estimate is not None
    assert found.standard_error is not None
    assert (found.estimate / found.standard_error) ** 2 == pytest.approx(min_f, rel=ROUNDED)
    assert found.df == pytest.approx(df, rel=ROUNDED)
    assert found.p_value == pytest.approx(stats.f.sf(min_f, 1, df), rel=ROUNDED)
    assert (found.n_items, found.n_units, found.n_ratings) == (N_ITEMS, 2 * N_PER_SOURCE, per_cell)
    assert found.interval_warnings == ("One arm has only 4 responders, so the interval is wide.",)


def test_direction_and_same_name_in_both_sources() -> None:
    value, is_treated, item, responder = balanced(1)
    there = mean_difference_responders(value, is_treated, item=item, responder=responder % N_PER_SOURCE)
    back = mean_difference_responders(value, ~is_treated, item=item, responder=responder)
    assert there.estimate == pytest.approx(-(back.estimate or 0))
    assert there.p_value == pytest.approx(back.p_value)
    assert there.n_units == 2 * N_PER_SOURCE


def test_missing_ratings_are_dropped() -> None:
    value, is_treated, item, responder = balanced(2)
    value[3] = np.nan
    found = mean_difference_responders(value, is_treated, item=item, responder=responder)
    kept = np.isfinite(value)
    same = mean_difference_responders(value[kept], is_treated[kept], item=item[kept], responder=responder[kept])
    assert found == same
    assert found.n_ratings == len(value) - 1


def test_single_source_responder_or_item_has_no_test() -> None:
    value, is_treated, item, responder = balanced(3)
    assert mean_difference_responders(value, np.ones_like(is_treated), item=item, responder=responder).reason
    lone = np.where(is_treated, responder, 0)
    of_one = mean_difference_responders(value, is_treated, item=item, responder=lone)
    of_one_item = mean_difference_responders(value, is_treated, item=np.zeros_like(item), responder=responder)
    assert {of_one.interval_reason, of_one_item.interval_reason} == {"one_cluster"}
    assert of_one.estimate is not None


def test_equal_ratings_of_each_source_have_no_interval() -> None:
    _, is_treated, item, responder = balanced(4)
    value = np.where(is_treated, 2.0, 1.0)
    found = mean_difference_responders(value, is_treated, item=item, responder=responder)
    assert found.estimate == pytest.approx(1)
    assert found.interval_reason == "no_variation"
