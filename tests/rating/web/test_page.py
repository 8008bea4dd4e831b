"""What a rating page shows, and what it must not reveal."""

import re
from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import FULL, Visitor, form_address, heading, n_checked, without_times

NASTY = "<script>alert(1)</script>\n  two  spaces \u202eright\u202c & <b>bold</b>"
TURNS = [{"speaker": "Ada", "text": "It died."}, {"speaker": "Bo", "text": "Oh no."}]


def legends(page: Any) -> list[str]:  # noqa: ANN401
    found = re.findall(r"(?s)<legend.*?</legend>", page.text)
    return [" ".join(re.sub(r"<[^>]+>", " ", legend).split()) for legend in found]


def test_texts_are_shown_verbatim_and_escaped(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(texts=[{"key": "i", "text": NASTY, "responses": {"person": NASTY, "model": " "}}])
    page = visitor().begin()
    escaped = NASTY.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert page.text.count(f'dir="auto">{escaped}</div>') == 2
    assert "<script>alert" not in page.text
    assert "(empty)" in page.text


def test_blind_page_does_not_reveal_source(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(
        sources={"Zora": {"kind": "human"}, "Quux": {"kind": "model"}},
        texts=[{"key": "i", "text": "Hm", "responses": {"Zora": "one", "Quux": "two"}}],
    )
    page = visitor().begin()
    assert "Zora" not in page.text
    assert "Quux" not in page.text
    assert 'value="left"' in page.text
    assert not re.search(r'value="i:', page.text)


def test_unblinded_study_shows_and_stores_label(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(
        n_items=1,
        design={"blind": False},
        sources={"person": {"kind": "human", "shown_label": "A nurse"}, "model": {"kind": "model"}},
    )
    anna = visitor()
    page = anna.begin()
    assert "A nurse" in page.text
    anna.rate(page)
    with engine.connect() as db:
        stored = db.execute(
            text("""
            SELECT s.key, r.shown_label FROM ratings r JOIN responses p ON p.id = r.response_id
            JOIN sources s ON s.id = p.source_id ORDER BY 1
        """)
        ).all()
    assert [tuple(row) for row in stored] == [("model", "Written by an AI"), ("person", "A nurse")]


def test_dialogue_turns_can_each_have_questions(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    mood = {**EMPATHY, "key": "mood", "target": "turn", "text": "How sad?"}
    study(questions=[mood], design={"trials": "dialogue"}, texts=[{"key": "i", "turns": TURNS, "responses": {}}])
    anna = visitor()
    page = anna.begin()
    assert re.findall(r'class="speaker"[^>]*>([^<]+)', page.text) == ["Ada", "Bo"]
    assert legends(page) == ["Turn 1: How sad?", "Turn 2: How sad?"]
    anna.rate(page, {"q0t1": "4", "q0t2": "1"})
    with engine.connect() as db:
        stored = db.execute(text("SELECT turn, number, response_id FROM ratings ORDER BY turn")).all()
    assert [tuple(row) for row in stored] == [(1, 4.0, None), (2, 1.0, None)]


def test_response_dialogue_turns_can_have_questions(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    mood = {**EMPATHY, "key": "mood", "target": "turn", "text": "How warm?"}
    texts = [{"key": "i", "text": "Hm", "responses": {"person": TURNS}}]
    study(questions=[mood, EMPATHY], design={"trials": "single"}, texts=texts)
    anna = visitor()
    page = anna.begin()
    assert re.findall(r"<h2[^>]*>\s*(\w+)", page.text)[:2] == ["Situation", "Conversation"]
    assert legends(page) == ["Turn 1: How warm?", "Turn 2: How warm?", "How empathetic is it?"]
    anna.rate(page, {"q0r0t1": "4", "q0r0t2": "1", "q1r0": "3"})
    with engine.connect() as db:
        stored = db.execute(text("SELECT turn, number, response_id IS NULL FROM ratings ORDER BY turn")).all()
    assert [tuple(row) for row in stored] == [(1, 4.0, False), (2, 1.0, False), (None, 3.0, False)]


def test_choice_question_follows_protocol_order(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(slug="before", questions=[PREFERENCE, EMPATHY])
    study(slug="after", questions=[EMPATHY, PREFERENCE])
    anna = visitor()
    assert legends(anna.begin("anna", "before"))[0] == "Which response is better?"
    assert legends(anna.begin("anna", "after"))[-1] == "Which response is better?"


def test_no_answer_is_preselected(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    slider = {"key": "s", "target": "item", "type": "slider", "text": "How much?"}
    study(questions=[PREFERENCE, EMPATHY, slider])
    page = visitor().begin()
    assert n_checked(page) == 0
    assert re.search(r'type="number"[^>]*value=""', page.text)


def test_htmx_submit_returns_next_page_and_address(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    fragment = anna.post(form_address(page), data=FULL, headers={"HX-Request": "true"})
    assert fragment.text.lstrip().startswith('<div class="sheet"')
    assert "<html" not in fragment.text
    assert heading(fragment) == "Item 2 of 3"
    assert fragment.headers["HX-Push-Url"] == form_address(fragment)
    whole = anna.get(form_address(fragment))
    assert without_times(fragment.text).strip() in without_times(whole.text)


def test_page_declares_language_and_direction(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(language="ar")
    assert '<html lang="ar" dir="rtl">' in visitor().begin().text


def test_pages_have_no_inline_script_or_style(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(n_items=1, completion={"code": "C"})
    anna = visitor()
    pages = [anna.arrive(), anna.begin(), anna.rate(anna.get("/s/study/rate"))]
    for page in pages:
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page.text)
