"""Who may do what with a study: roles, and the rights that each of them has."""

from enum import StrEnum
from typing import Literal, get_args

Role = Literal["owner", "editor", "analyst", "monitor"]
ROLES: tuple[Role, ...] = get_args(Role)


class Right(StrEnum):
    """What a page or a form asks of the person who uses it."""

    FOLLOW = "follow"
    READ = "read"
    EDIT = "edit"
    OWN = "own"


RIGHTS: dict[Role, frozenset[Right]] = {
    "owner": frozenset(Right),
    "editor": frozenset({Right.FOLLOW, Right.READ, Right.EDIT}),
    "analyst": frozenset({Right.FOLLOW, Right.READ}),
    "monitor": frozenset({Right.FOLLOW}),
}
IN_WORDS: dict[Role, str] = {
    "owner": "Everything, including people, archive and deletion",
    "editor": "Design, texts, opening and closing, decisions about raters, results and downloads",
    "analyst": "Progress, design, results and downloads; changes nothing",
    "monitor": "Progress and raters only; does not see results",
}


def may(role: Role | None, right: Right) -> bool:
    """Whether this role has this right; nobody has none.

    >>> may("analyst", Right.READ), may("analyst", Right.EDIT), may(None, Right.FOLLOW)
    (True, False, False)
    """
    return role is not None and right in RIGHTS[role]


def weaker_of(one: Role, other: Role) -> Role:
    """The role with fewer rights: each role has all rights of those after it.

    >>> weaker_of("owner", "analyst"), weaker_of("monitor", "editor")
    ('analyst', 'monitor')
    """
    return max(one, other, key=ROLES.index)
