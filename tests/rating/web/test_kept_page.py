"""Rating pages are rendered once per structure and then filled: they are the same as pages rendered each time."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI

from app.base.rendering.pages import Hole
from app.rating.page.sheet import Sheet
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import Visitor, form_address, without_times

NASTY = "<b>\"Tom & 'Jerry'\"</b> {{ 1 }} %s"
TURNS = [{"speaker": who, "text": f"{NASTY} {who} {n}"} for n, who in enumerate(("A", "B", "A"))]
NOW = {**EMPATHY, "key": "now", "target": "turn"}
TOLD = {"kind": "shown_label", "levels": ["true", "none"], "assign": "within"}


def pairs() -> dict[str, Any]:
    profile, note = f"profile {NASTY}", f"note {NASTY}"
    texts: list[dict[str, Any]] = [
        {"key": f"i{n}", "text": f"{NASTY} {n}", "responses": {"person": f"a {NASTY} {n}", "model": f"b {n}"}}
        for n in range(4)
    ]
    texts[0] |= {"profile": profile}
    texts[1] |= {"content_note": note}
    return {"texts": texts, "flow": {"skip_reasons": ["No"]}, "design": {"profile": "shown"}}


def dialogues() -> dict[str, Any]:
    texts = [{"key": f"i{n}", "text": "Hm", "responses": {"person": TURNS}} for n in range(2)]
    return {"texts": texts, "questions": [NOW, EMPATHY], "design": {"trials": "single", "reveal": "turns"}}


def arabic() -> dict[str, Any]:
    texts = [{"key": f"i{n}", "turns": TURNS[:1], "responses": {"person": "a", "model": "b"}} for n in range(3)]
    return {"texts": texts, "language": "ar", "questions": [PREFERENCE, EMPATHY]}


def rendered() -> dict[str, Any]:
    texts = [
        {"key": f"i{n}", "responses": {"person": [{**turn, "text": f"**{n}** {NASTY}"} for turn in TURNS]}}
        for n in range(3)
    ]
    return {"render": "markdown", "texts": texts, "questions": [EMPATHY], "design": {"trials": "single"}}


def labels() -> dict[str, Any]:
    return {"n_items": 4, "questions": [EMPATHY], "design": {"trials": "single"}, "conditions": {"told": TOLD}}


@pytest.mark.parametrize("parts", [pairs, dialogues, arabic, rendered, labels])
def test_a_filled_page_is_the_page_that_would_be_rendered(
    app: FastAPI,
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    monkeypatch: pytest.MonkeyPatch,
    parts: Callable[[], dict[str, Any]],
) -> None:
    study(**parts())
    kept = app.state.pages.environment.globals["kept_page"]
    n_compared = 0
    for who in ("anna", "ben"):
        rater = visitor()
        page = rater.begin(who)
        for _ in range(3):
            address = form_address(page)
            filled = rater.get(address).text
            with monkeypatch.context() as patch:
                patch.setattr(Sheet, "as_asked", None)
                rendered = rater.get(address).text
            assert without_times(filled) == without_times(rendered)
            assert "hole-" not in filled
            n_compared += 1
            answers = dict.fromkeys(re.findall(r'type="radio"\s+name="(q[\w]+)"', page.text), "1")
            page = rater.rate(page, answers | ({"q0": "left"} if "q0-1" in page.text else {}))
            if "/rate/" not in str(page.url):
                break
    assert n_compared > 2
    assert kept._kept


def test_a_hole_is_written_like_a_text_and_has_the_hole_of_a_smaller_number() -> None:
    assert [f"{Hole('place') - 1}", (Hole("place") - 1).said] == [Hole("place_less_1"), Hole("place_less_1_said")]


def test_instructions_can_be_read_again_on_each_trial(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(instructions="Read **both** responses first.")
    study(slug="other", instructions="")
    anna = visitor()
    page = anna.begin()
    for _ in range(2):
        assert "Read <strong>both</strong> responses first." in page.text
        page = anna.rate(page)
    assert 'id="instructions"' not in visitor().begin("ben", "other").text
