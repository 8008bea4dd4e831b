"""Search in the documentation: sections that contain all words, those with a word in a heading first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from app.base.help.library import Library, anchor_of

MAX_RESULTS, MAX_WORDS = 30, 8
_HEADING = re.compile(r"^#{1,6} (.+)$")
_MARKUP = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*`|#>_]{1,3}(?=\W|$)|(?<!\w)[*`|_]{1,3}|^\s*[-:| ]+$", re.MULTILINE)
# Words in front of the first one that was found, and in the whole excerpt.
N_BEFORE, N_EXCERPT = 12, 40
TITLE_WEIGHT, HEADING_WEIGHT, MAX_COUNT = 8, 5, 4


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of a page and the text below it."""

    name: str
    page: str
    anchor: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that was found, with the words around the first match."""

    section: Section
    excerpt: Markup


class SearchIndex:
    """The sections of all pages of the index."""

    def __init__(self, library: Library) -> None:
        """Read all pages."""
        self.sections = [
            section for entry in library.entries for section in _sections(entry.name, library.source(entry.name))
        ]

    def find(self, query: str) -> list[Hit]:
        """The best sections that contain a word beginning with each of the query's words."""
        words = re.findall(r"[\w.-]+", query.casefold())[:MAX_WORDS]
        if not words:
            return []
        scored = [(score, section) for section in self.sections if (score := _score(section, words))]
        scored.sort(key=lambda one: -one[0])
        return [Hit(section, _excerpt(section.text, words)) for _, section in scored[:MAX_RESULTS]]


def _sections(name: str, source: str) -> Iterator[Section]:
    """The sections of a page; lines in code are no headings."""
    page, heading, lines, is_code = "", "", list[str](), False
    for line in source.splitlines():
        is_code ^= line.startswith("```")
        found = None if is_code else _HEADING.match(line)
        if not found:
            lines.append(line)
            continue
        if page:
            yield _section(name, page, heading, lines)
        heading, lines = _plain(found[1]), []
        page = page or heading
    yield _section(name, page, heading, lines)


def _section(name: str, page: str, heading: str, lines: list[str]) -> Section:
    anchor = "" if heading == page else anchor_of(heading)
    return Section(name, page, anchor, heading, _plain("\n".join(lines)))


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(r"\1", text).split())


def _score(section: Section, words: list[str]) -> int:
    """0 if a word is missing."""
    score = 0
    for word in words:
        pattern = re.compile(rf"(?<!\w){re.escape(word)}", re.IGNORECASE)
        n = min(len(pattern.findall(section.text)), MAX_COUNT)
        n += HEADING_WEIGHT * bool(pattern.search(section.heading)) + TITLE_WEIGHT * bool(pattern.search(section.page))
        if not n:
            return 0
        score += n
    return score


def _excerpt(text: str, words: list[str]) -> Markup:
    """The text around the first match, with all matches marked."""
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, words))})", re.IGNORECASE)
    said = text.split()
    first = next((place for place, word in enumerate(said) if pattern.search(word)), 0)
    begin = max(first - N_BEFORE, 0)
    shown = " ".join(said[begin : begin + N_EXCERPT])
    pieces = [
        Markup("<mark>{}</mark>").format(piece) if place % 2 else escape(piece)
        for place, piece in enumerate(pattern.split(shown))
    ]
    return Markup().join(["…" if begin else "", *pieces])
