"""Every page of Help: it renders, its links lead somewhere, and search finds what it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from app.base.help.library import Library
from app.base.help.pages import TOPICS
from app.base.help.search import SearchIndex
from app.settings import folder

if TYPE_CHECKING:
    from starlette.testclient import TestClient

DOCS = folder("docs")
PICTURES = {path.name for path in (DOCS / "pictures").iterdir()}
LINK = re.compile(r'(?:href|src)="([^"]*)"')


def picture(name: str) -> str:
    """The address of a picture, which must exist."""
    assert name in PICTURES, f"docs/pictures/{name} is missing"
    return f"/static/{name}"


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(DOCS, picture)


def test_every_link_of_every_page_leads_to_a_heading_a_picture_or_a_script(library: Library) -> None:
    anchors = {name: {heading.anchor for heading in library.headings(name)} for name in library.names}
    broken = []
    for name in library.names:
        for target in LINK.findall(library.page(name).html):
            path, _, anchor = target.partition("#")
            there = path.removeprefix("/help").strip("/") if path else name
            is_elsewhere = "://" in target or path.startswith("/static/") or there in library.scripts
            if not is_elsewhere and anchor not in {"", *anchors.get(there or "README", set())}:
                broken.append((name, target))
            if not is_elsewhere and there not in {"", *library.names}:
                broken.append((name, target))
    assert broken == []


def test_no_page_has_raw_markup_or_loads_from_elsewhere(library: Library) -> None:
    for name in library.names:
        html = re.sub(r"<(pre|code)[^>]*>.*?</\1>", "", library.page(name).html, flags=re.DOTALL)
        assert not re.search(r"&lt;(table|img|br|div|a) ", html), name
        assert not re.search(r'src="(?!/static/)', html), name


def test_every_page_of_the_index_has_its_title_and_neighbours(library: Library) -> None:
    names = [entry.name for entry in library.entries]
    assert len(names) == len(set(names)) > 30
    assert all(library.page(name).title for name in names)
    assert library.around(names[0])[0] is None
    assert library.around(names[0])[1] == library.entries[1]
    assert library.around("README") == (None, None)


def test_every_topic_is_a_heading_and_names_a_page_of_the_lead(library: Library) -> None:
    for topic in TOPICS.values():
        name, _, anchor = topic.partition("#")
        assert name in library.names
        assert anchor in {"", *(heading.anchor for heading in library.headings(name))}, topic


def test_search_finds_sections_by_the_beginnings_of_words(library: Library) -> None:
    index = SearchIndex(library)
    best = index.find("caddy")[0]
    assert (best.section.name, best.section.anchor) == ("server", "caddy")
    assert "<mark>Caddy</mark>" in best.excerpt
    assert index.find("krippendorf alph")
    assert next(hit.section.name for hit in index.find("survey_code SONA")) == "sona"
    assert index.find("zyzzyva") == index.find("") == index.find("<script>alert") == []


def test_help_is_read_without_signing_in_and_without_a_database(visitor: TestClient) -> None:
    page = visitor.get("/help/tutorial").text
    assert "<h1>From a spreadsheet to a report</h1>" in page
    assert 'aria-current="page">From a spreadsheet to a report' in page
    assert "Sign out" not in page
    assert visitor.get("/help/search", params={"words": "bonus payment"}).text.count("<mark>") >= 2
    assert "pandas" in visitor.get("/help/clients/attune_study.py").text
    for wrong in ("nothing", "README", "../README", "draw_architecture.py", "%2e%2e/pyproject"):
        assert visitor.get(f"/help/{wrong}").status_code == 404
