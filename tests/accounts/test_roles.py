"""Roles and their rights."""

from itertools import pairwise

from app.accounts.roles import IN_WORDS, RIGHTS, ROLES, Right, may


def test_each_role_has_fewer_rights_than_the_previous() -> None:
    assert all(RIGHTS[before] > RIGHTS[after] for before, after in pairwise(ROLES))
    assert list(IN_WORDS) == list(RIGHTS) == list(ROLES)


def test_missing_role_has_no_rights() -> None:
    assert not any(may(None, right) for right in Right)
