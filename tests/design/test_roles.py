"""Roles and their rights."""

from __future__ import annotations

from itertools import pairwise

from app.design.roles import IN_WORDS, RIGHTS, ROLES, Right, may


def test_each_role_may_do_less_than_the_one_before() -> None:
    assert all(RIGHTS[before] > RIGHTS[after] for before, after in pairwise(ROLES))
    assert list(IN_WORDS) == list(RIGHTS) == list(ROLES)


def test_someone_without_a_role_may_do_nothing() -> None:
    assert not any(may(None, right) for right in Right)
