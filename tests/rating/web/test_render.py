"""Responses with Markdown: sanitized, the same for all sources, and nothing in them leads away from the study."""

import re
from collections.abc import Callable

from app.base.rendering.markdown import response_markdown
from tests.kit.builder import EMPATHY
from tests.kit.rater_pages import Visitor

SAID = """\
# Plan

I hear you.
It **hurts**.

| day | do |
|---|---|
| 1 | rest |

<script>alert(1)</script> [read this](https://example.org) [no](javascript:alert(2)) ![a lake](https://example.org/a.png)
"""


def texts(text: str) -> list[dict[str, object]]:
    return [{"key": "i", "text": "**As written**", "responses": {"person": text, "model": text}}]


def test_html_links_and_images_of_a_response_are_words() -> None:
    html = str(response_markdown(SAID))
    assert not re.findall(r"<(?!/?(?:h3|p|br|strong|table|thead|tbody|tr|th|td)>)[^>]*>", html)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; read this [no](javascript:alert(2)) a lake" in html
    assert "I hear you.<br>" in html


def test_responses_of_all_sources_are_rendered_and_situation_is_not(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(render="markdown", texts=texts(SAID))
    page = visitor().begin()
    shown = re.findall(r'data-text="(\w+)"\s+dir="auto">(.*?)</div>', page.text, re.DOTALL)
    assert shown == [("item", "**As written**"), *((name, str(response_markdown(SAID))) for name in ("r0", "r1"))]


def test_turns_of_a_response_are_rendered(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    turns = [{"speaker": "A", "text": "*one*"}, {"speaker": "B", "text": "<i>two</i>"}]
    told = [{"key": "i", "responses": {"person": turns}}]
    study(render="markdown", texts=told, questions=[EMPATHY], design={"trials": "single"})
    page = visitor().begin()
    assert "<p><em>one</em></p>" in page.text
    assert "<p>&lt;i&gt;two&lt;/i&gt;</p>" in page.text


def test_plain_is_the_default(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(texts=texts("It **hurts**."))
    assert visitor().begin().text.count("It **hurts**.") == 2
