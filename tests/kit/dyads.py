"""Raters who write with each other, or with a model, by the pages without scripts."""

import re
from collections.abc import Callable
from typing import Any

from tests.kit.builder import EMPATHY
from tests.kit.rater_pages import Visitor

CONSENT = {"version": "1", "text": "Another participant reads what you write.", "sends_to_rater": True}
ROLES = {
    "seeker": {"label": "Seeker", "task": "Tell what has been on your mind."},
    "supporter": {"label": "Supporter", "task": "Listen."},
}
PERSON: dict[str, Any] = {"replies": "person", "roles": ROLES}


def dyads(study: Callable[..., int], person: dict[str, Any] | None = None, **parts: Any) -> int:  # noqa: ANN401
    """Open a study in which raters write with each other about one item; `conversation` has its bounds."""
    bounds = {"min_messages": 1, **parts.pop("conversation", {})}
    design = {"trials": "conversation", "raters_per_trial": 4, "trials_per_rater": 1, **parts.pop("design", {})}
    usual = {
        "sources": {"peer": {"kind": "human"}},
        "questions": [EMPATHY],
        "flow": {"consent": CONSENT},
        "texts": [{"key": "week", "text": "Your week", "responses": {}}],
        "completion": {"code": "PAID1"},
    }
    partners = {"peer": PERSON | (person or {})}
    return study(**{**usual, **parts, "design": design, "conversation": {"partners": partners, **bounds}})


def begin(visitor: Callable[[], Visitor], who: str = "anna") -> tuple[Visitor, Any]:
    """A rater in front of their first trial."""
    one = visitor()
    one.arrive(who)
    one.post("/s/study/consent", data={"consent": "agree"})
    return one, one.post("/s/study/start")


def two(visitor: Callable[[], Visitor], *who: str) -> tuple[tuple[Visitor, Any], tuple[Visitor, Any]]:
    """Two raters who were matched: the seeker and the supporter."""
    first, second = who or ("anna", "ben")
    one, _ = begin(visitor, first)
    other, page = begin(visitor, second)
    both = ((one, one.get("/s/study/rate")), (other, page))
    seeker, supporter = both if "Tell what has been" in both[0][1].text else both[::-1]
    return seeker, supporter


def address(page: Any) -> str:  # noqa: ANN401 - httpx's response
    """The address of the trial that a page shows."""
    found = re.search(r'action="(/s/[^"/]+/rate/[^"/]+)/\w+"', page.text)
    assert found, page.text
    return found[1]


def say(one: Visitor, page: Any, words: str, number: int | None = None) -> Any:  # noqa: ANN401 - httpx's response
    """Send a message, as the one with the number of the page unless another is given."""
    found = re.search(r'name="number" value="(\d+)"', page.text)
    now = str(number) if number is not None else found[1] if found else ""
    return one.post(f"{address(page)}/say", data={"number": now, "message": words})


def end(one: Visitor, page: Any) -> Any:  # noqa: ANN401 - httpx's response
    """End the conversation."""
    return one.post(f"{address(page)}/end")


def rate_address(page: Any) -> str:  # noqa: ANN401 - httpx's response
    """Where the answers of a page go."""
    found = re.search(r"/s/[^/\"]+/rate/[0-9a-f-]{36}", page.text)
    assert found
    return found[0]
