"""Which limits apply to a rater."""

from app.protocol.allocation.requirements import Limit, all_limits, limits_of
from app.protocol.study_design import Design

QUOTAS = Design(quotas={"site": {"north": 2, "south": 1}, "age": {"30": 5}}, max_raters=6)


def test_limits_of_a_rater_are_the_total_and_the_own_values_in_a_fixed_order() -> None:
    limits = limits_of(QUOTAS, {"site": "north", "age": "30"})
    assert limits == [Limit("", "", 6), Limit("age", "30", 5), Limit("site", "north", 2)]


def test_a_value_without_a_quota_has_a_limit_of_0_and_an_unknown_value_none() -> None:
    assert limits_of(QUOTAS, {"site": "east"}) == [Limit("", "", 6), Limit("site", "east", 0)]


def test_a_design_without_limits_has_none() -> None:
    assert limits_of(Design(), {"site": "north"}) == all_limits(Design()) == []


def test_all_limits_have_each_value_of_each_quota() -> None:
    quotas = [Limit("age", "30", 5), Limit("site", "north", 2), Limit("site", "south", 1)]
    assert all_limits(QUOTAS) == [Limit("", "", 6), *quotas]
