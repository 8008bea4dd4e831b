"""A scale lies as the study says: in a row, or in a column where its question asks for one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builder import EMPATHY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.web.rater.conftest import Visitor


@pytest.mark.parametrize(("more", "layout"), [({}, "lies-scale"), ({"orientation": "column"}, "lies-column")])
def test_a_scale_lies_as_its_question_says(
    study: Callable[..., int], visitor: Callable[[], Visitor], more: dict[str, str], layout: str
) -> None:
    study(questions=[EMPATHY | more])
    page = visitor().begin()
    assert f"question-rating {layout}" in page.text
