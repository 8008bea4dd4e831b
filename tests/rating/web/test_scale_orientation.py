"""A scale has the declared orientation: a row, or a column if its question declares one."""

from collections.abc import Callable

import pytest

from tests.kit.builder import EMPATHY
from tests.kit.rater_pages import Visitor


@pytest.mark.parametrize(("more", "layout"), [({}, "lies-scale"), ({"orientation": "column"}, "lies-column")])
def test_scale_layout_follows_question(
    study: Callable[..., int], visitor: Callable[[], Visitor], more: dict[str, str], layout: str
) -> None:
    study(questions=[EMPATHY | more])
    page = visitor().begin()
    assert f"question-rating {layout}" in page.text
