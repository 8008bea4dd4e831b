"""Steps of raters in a browser, and the studies that they rate."""

from typing import Any

from playwright.sync_api import Page
from sqlalchemy import Engine

from app.rating.life_cycle import open_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.database import rows

QUALITY = {
    "key": "quality",
    "target": "response",
    "type": "rating",
    "text": "The quality of information provided is",
    "scale": {1: "very poor", 2: "poor", 3: "acceptable", 4: "good", 5: "very good"},
}


def open_a_study(engine: Engine, **parts: Any) -> None:  # noqa: ANN401 - parts of a protocol
    """Open a study of pairs: one choice, then two ratings of each response."""
    build = {name: parts.pop(name) for name in ("n_items", "texts") if name in parts}
    protocol = protocol_of(**{"questions": [PREFERENCE, QUALITY, EMPATHY], "completion": {"code": "C0DE42"}, **parts})
    with engine.begin() as db:
        build_study(db, protocol, **build)
        open_study(db, protocol["slug"])


def arrive(page: Page, who: str = "anna", *, by: str = "participant") -> None:
    """Open the link, press *Begin*, and wait until the scripts of the first page run."""
    page.goto(f"/s/study?{by}={who}")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#rate-form")
    page.wait_for_load_state()


def rate(page: Page, keys: str) -> None:
    """Answer by keys, on any page."""
    for key in keys:
        page.keyboard.press(key)


def all_is_well(engine: Engine, n_items: int, n_answers: int) -> bool:
    """Return whether every item is done and every answer is stored, exactly once each."""
    states = rows(engine, "SELECT state, count(*) FROM assignments GROUP BY state")
    answers = rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NULL")
    return states == [("done", n_items)] and answers == [(n_items * n_answers,)]
