from __future__ import annotations

from app.stats.comparison.source_pairs import all_pairs
from app.stats.core.result import Result, undefined

P_VALUES = {("plain", "human"): 0.01, ("prompted", "human"): 0.02}


def _compare(source: str, reference: str) -> Result:
    p = P_VALUES.get((source, reference))
    return Result(1.0, p_value=p) if p else undefined("no_pairable_units")


def test_each_pair_is_compared_once_with_holm_adjustment() -> None:
    """Holm over the two pairs that have a test: .01 x 2, .02 x 1."""
    found = all_pairs(["human", "plain", "prompted"], _compare)
    assert [(pair.source, pair.reference, pair.p_adjusted) for pair in found] == [
        ("plain", "human", 0.02),
        ("prompted", "human", 0.02),
        ("prompted", "plain", None),
    ]
    assert found[2].result.reason == "no_pairable_units"


def test_single_source_has_no_pairs() -> None:
    assert all_pairs(["human"], _compare) == []
