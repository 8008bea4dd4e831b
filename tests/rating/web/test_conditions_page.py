"""A rating page shows what its condition requires, and nothing of other conditions."""

from collections.abc import Callable

import pytest

from tests.kit.rater_pages import Visitor

LEVELS = {"near": "Feel along with them.", "far": "Stay outside."}
PROFILE = [{"key": f"item-{n}", "profile": "Likes long walks."} for n in range(2)]


def test_raters_see_instruction_of_own_condition(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(conditions={"told": {"kind": "instruction", "levels": LEVELS}})
    read = [visitor().begin(who).text for who in ("anna", "ben")]
    assert [sum(words in page for words in LEVELS.values()) for page in read] == [1, 1]
    assert sum("Stay outside." in page for page in read) == 1


@pytest.mark.parametrize(("profile", "is_shown"), [("shown", True), ("hidden", False)])
def test_profile_is_shown_only_where_design_says_so(
    study: Callable[..., int], visitor: Callable[[], Visitor], profile: str, *, is_shown: bool
) -> None:
    study(texts=PROFILE, design={"profile": profile})
    assert ("Likes long walks." in visitor().begin().text) is is_shown
