"""Progress: items, turns, minutes at the rater's own pace, a break offered halfway, and the last page."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY
from tests.kit.rater_pages import Visitor, heading

SINGLE = {"questions": [EMPATHY], "design": {"trials": "single"}}
SAID = [{"speaker": who, "text": f"{who} speaks"} for who in "ABA"]
TURN = {**EMPATHY, "key": "now", "target": "turn"}
BUTTON = re.compile(r'id="next">(.*?) <kbd')


def progress(page: Any) -> str:  # noqa: ANN401
    found = re.search(r'<progress value="([\d.]+)"', page.text)
    assert found
    return found[1]


def minutes_left(page: Any) -> list[str]:  # noqa: ANN401
    return re.findall(r"about (\d+) min left", page.text)


def test_minutes_left_follow_own_pace_from_third_item_on(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**SINGLE, n_items=3)
    anna = visitor()
    page, seen = anna.begin(), []
    for _ in range(6):
        seen.append(minutes_left(page))
        page = anna.rate(page, {"q0r0": "3"})
        with engine.begin() as db:
            db.execute(text("UPDATE assignments SET active_ms = 120000 WHERE state = 'done'"))
        page = anna.get("/s/study/rate")
    assert seen == [[], [], [], ["6"], ["4"], ["2"]]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_break_is_offered_once_halfway(
    study: Callable[..., int], visitor: Callable[[], Visitor], headers: dict[str, str]
) -> None:
    study(**SINGLE, n_items=5)
    anna = visitor()
    page, offered = anna.begin(), []
    anna.headers.update(headers)
    for number in range(1, 11):
        if "You are halfway" in page.text:
            offered.append(number)
            assert minutes_left(page) == ["1"]
        page = anna.rate(page, {"q0r0": "3"})
    assert offered == [6]


@pytest.mark.parametrize(
    "parts", [{"n_items": 4}, {"n_items": 5, "design": {"trials": "single", "blocks": {"size": 3}}}]
)
def test_no_break_in_short_list_nor_beside_planned_breaks(
    study: Callable[..., int], visitor: Callable[[], Visitor], parts: dict[str, Any]
) -> None:
    study(**SINGLE | parts)
    anna = visitor()
    page = anna.begin()
    for _ in range(2 * parts["n_items"]):
        assert "You are halfway" not in page.text
        anna.rate(page, {"q0r0": "3"})
        page = anna.get("/s/study/rate")


def test_turns_are_progress(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    texts = [{"key": f"item-{n}", "responses": {"person": SAID}} for n in range(2)]
    study(questions=[TURN, EMPATHY], design={"trials": "single", "reveal": "turns"}, texts=texts)
    anna = visitor()
    page, seen = anna.begin(), []
    for form in ({"q0r0t1": "1"}, {"q0r0t2": "2"}, {"q0r0t3": "2"}, {"q1r0": "4"}):
        seen.append((heading(page), progress(page)))
        page = anna.rate(page, form)
    assert seen == [
        ("Item 1 of 2 · Turn 1 of 3", "0"),
        ("Item 1 of 2 · Turn 2 of 3", "0.25"),
        ("Item 1 of 2 · Turn 3 of 3", "0.50"),
        ("Item 1 of 2", "0.75"),
    ]


@pytest.mark.parametrize(("flow", "last"), [({}, "Finish"), ({"debrief": {"text": "It was about warmth."}}, "Next")])
def test_last_page_finishes_if_nothing_follows(
    study: Callable[..., int], visitor: Callable[[], Visitor], flow: dict[str, Any], last: str
) -> None:
    study(**SINGLE, n_items=1, flow=flow)
    anna = visitor()
    page = anna.begin()
    assert BUTTON.findall(page.text) == ["Next"]
    assert BUTTON.findall(anna.rate(page, {"q0r0": "3"}).text) == [last]
