"""A reversed scale is shown in the other direction and has the same meaning in the database."""

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY
from tests.kit.rater_pages import Visitor

SLIDER = {
    "key": "close",
    "target": "response",
    "type": "slider",
    "text": "How close?",
    "min_words": "Far",
    "max_words": "Near",
}
PARTS = {
    "questions": [EMPATHY, SLIDER],
    "design": {"trials": "single"},
    "n_items": 1,
    "conditions": {"direction": {"kind": "scale_direction"}},
}


def values(page: Any) -> list[str]:  # noqa: ANN401
    return re.findall(r'name="q0r0"\s+id="[^"]+"\s+value="(\d)"', page.text)


def ends(page: Any) -> list[str]:  # noqa: ANN401
    return re.findall(r'<span dir="auto">(Far|Near)</span>', page.text)


def test_reversed_scale_is_balanced_and_stores_same_meaning(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**PARTS)
    raters = {who: visitor() for who in ("anna", "ben")}
    pages = {who: rater.begin(who) for who, rater in raters.items()}
    turned, plain = sorted(pages, key=lambda who: values(pages[who]), reverse=True)
    assert (values(pages[plain]), ends(pages[plain])) == (list("12345"), ["Far", "Near"])
    assert (values(pages[turned]), ends(pages[turned])) == (list("54321"), ["Near", "Far"])
    assert "data-turned" in pages[turned].text
    first = re.search(r'value="(\d)"[^>]*aria-keyshortcuts="1"', pages[turned].text)
    assert first
    assert first[1] == "5"
    for who, rater in raters.items():
        rater.rate(pages[who], {"q0r0": "5", "q1r0": "70"})
    with engine.connect() as db:
        stored = db.execute(text("SELECT DISTINCT question, number, condition FROM ratings ORDER BY 1, 3")).all()
    assert [tuple(row) for row in stored] == [
        (question, value, f"direction={level}")
        for question, value in (("close", 70), ("empathy", 5))
        for level in ("as_written", "turned")
    ]
