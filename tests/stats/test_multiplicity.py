from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.multiplicity import adjusted, benjamini_hochberg, benjamini_yekutieli, holm
from tests.kit.oracles import Oracle


def test_benjamini_hochberg_1995_p_values_are_reproduced(oracle: Oracle) -> None:
    """p.adjust of R 4.2.2; the paper rejects four by BH, three by Holm."""
    known = oracle("p_adjust_bh1995")
    p, expected = known["input"]["p"], known["expected"]
    holm, bh = adjusted(p, "holm"), adjusted(p, "benjamini_hochberg")
    assert holm == pytest.approx(expected["holm"], abs=known["tolerance"]["default"])
    assert bh == pytest.approx(expected["BH"], abs=known["tolerance"]["default"])
    assert sum(q <= 0.05 for q in bh if q is not None) == expected["n_reject_BH_05"]
    assert sum(q <= 0.05 for q in holm if q is not None) == expected["n_reject_holm_05"]


@settings(max_examples=30)
@given(st.lists(st.none() | st.floats(0, 1)))
def test_adjusted_p_value_is_never_smaller(p_values: list[float | None]) -> None:
    holm, bh = adjusted(p_values, "holm"), adjusted(p_values, "benjamini_hochberg")
    for p, by_holm, by_bh in zip(p_values, holm, bh, strict=True):
        if p is None or by_holm is None or by_bh is None:
            assert p is by_holm is by_bh is None
        else:
            assert p <= by_bh * (1 + 1e-9)
            assert by_bh <= by_holm * (1 + 1e-9) <= 1 + 1e-9


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05]), min_size=1, max_size=30))
def test_adjusted_p_values_match_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    given_ps = np.array(p_values)
    for ours, theirs in ((holm, "holm"), (benjamini_hochberg, "fdr_bh"), (benjamini_yekutieli, "fdr_by")):
        with patch("gc.collect"):  # statsmodels runs the garbage collector for every p-value
            expected = multipletests(given_ps, method=theirs)[1]
        assert ours(given_ps) == pytest.approx(expected, rel=1e-12)
