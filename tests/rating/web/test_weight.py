"""The size of the first page on a rater's phone, with all its files, in bytes transferred."""

import re
from collections.abc import Callable
from typing import Any

from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import Visitor, without_times

MAX_BYTES = 60_000
MANY = [PREFERENCE, *({**EMPATHY, "key": f"empathy-{n}"} for n in range(4))]


def bytes_of(visitor: Visitor, address: str) -> int:
    """The size of a response as transferred: its body and its headers."""
    with visitor.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as answer:
        head = sum(len(name) + len(value) + 4 for name, value in answer.headers.items())
        return head + sum(len(part) for part in answer.iter_raw())


def parts_of(page: Any) -> list[str]:  # noqa: ANN401
    return re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)


def test_first_page_is_at_most_60_kilobytes(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    texts = [{"key": "i", "text": "word " * 200, "responses": {"person": "word " * 600, "model": "text " * 600}}]
    study(questions=MANY, texts=texts)
    anna = visitor()
    page = anna.begin()
    weight = bytes_of(anna, str(page.url)) + sum(bytes_of(anna, part) for part in parts_of(page))
    assert 10_000 < weight <= MAX_BYTES


def test_unused_scripts_are_not_loaded(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    slider = {"key": "warm", "target": "response", "type": "slider", "text": "How warm?"}
    mark = {"key": "mark", "target": "response", "type": "highlight", "text": "Mark the words."}
    study(slug="plain")
    study(slug="rich", questions=[slider, mark])
    plain, rich = (" ".join(parts_of(visitor().begin("anna", slug))) for slug in ("plain", "rich"))
    assert "slider.js" not in plain
    assert "highlight.js" not in plain
    assert "slider.js" in rich
    assert "highlight.js" in rich
    start = visitor().arrive("ben", "plain")
    assert re.findall(r"<script src=\"/static/\w+/(\w+)", start.text) == ["forget"]


def test_page_without_gzip_support_is_sent_uncompressed(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    page = anna.begin()
    for address in (str(page.url), *parts_of(page)):
        plain = anna.get(address, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        small = anna.get(address, headers={"Accept-Encoding": "gzip"})
        assert "Accept-Encoding" in small.headers["vary"]
        assert without_times(small.text) == without_times(plain.text)
        assert small.headers["content-security-policy"]
