"""Markdown of the documentation as HTML: headings with the anchors that GitHub gives them, links that lead to Help."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markupsafe import Markup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from markdown_it.token import Token

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
# Headings of these levels are listed beside a page.
LISTED = ("h2", "h3")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level such as `h2`, its anchor and its words."""

    level: str
    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class RenderedPage:
    """A page as HTML without its title."""

    title: str
    html: Markup
    headings: tuple[Heading, ...]

    @property
    def contents(self) -> tuple[Heading, ...]:
        """The headings that are listed beside the page."""
        return tuple(heading for heading in self.headings if heading.level in LISTED)


def render_page(source: str, address: Callable[[str], str | None]) -> RenderedPage:
    """Render a page; `address(target)` is where a link leads, None for text without a link."""
    tokens = _markdown.parse(source)
    headings = tuple(_with_anchors(tokens))
    title = next((heading.words for heading in headings if heading.level == "h1"), "Help")
    for token in tokens:
        if token.children:
            token.children = list(_relinked(token.children, address))
    body = list(_framed_tables(_without_title(tokens)))
    html = _markdown.renderer.render(body, _markdown.options, {})
    return RenderedPage(title, Markup(html), headings)  # noqa: S704 - our own pages, whose HTML is escaped


def anchor_of(words: str) -> str:
    """The anchor of a heading, by GitHub's rule.

    >>> anchor_of("`analysis.primary` and *Plan*: what for?")
    'analysisprimary-and-plan-what-for'
    """
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


def _with_anchors(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Give each heading an anchor; a second one with the same words gets a number."""
    used: Counter[str] = Counter()
    for opening, words in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        said = "".join(child.content for child in words.children or () if child.type in {"text", "code_inline"})
        base = anchor_of(said)
        anchor = f"{base}-{used[base]}" if used[base] else base
        used[base] += 1
        opening.attrSet("id", anchor)
        yield Heading(opening.tag, anchor, said)


def _without_title(tokens: Sequence[Token]) -> Sequence[Token]:
    is_title = tokens and tokens[0].type == "heading_open" and tokens[0].tag == "h1"
    return tokens[3:] if is_title else tokens


def _framed_tables(tokens: Sequence[Token]) -> Iterator[Token]:
    """Tables wider than the page scroll by themselves, also by keyboard."""
    from_ = {"table_open": ("help_table_open", 1), "table_close": ("help_table_close", -1)}
    for token in tokens:
        frame = from_.get(token.type)
        if frame and token.type == "table_open":
            yield _frame(token, *frame)
        yield token
        if frame and token.type == "table_close":
            yield _frame(token, *frame)


def _frame(token: Token, kind: str, nesting: int) -> Token:
    frame = token.copy()
    frame.type, frame.tag, frame.nesting, frame.attrs = kind, "div", nesting, {}  # type: ignore[assignment] # -1, 0, 1
    if nesting > 0:
        frame.attrs = {"class": "table-scroll", "tabindex": "0", "role": "region", "aria-label": "Table"}
    return frame


def _relinked(tokens: Sequence[Token], address: Callable[[str], str | None]) -> Iterator[Token]:
    """Links and pictures with their addresses here. Links do not nest."""
    is_dropped = False
    for token in tokens:
        if token.type == "link_open":
            there = address(str(token.attrGet("href")))
            is_dropped = there is None
            if there is not None:
                token.attrSet("href", there)
                yield token
        elif token.type == "link_close" and is_dropped:
            is_dropped = False
        else:
            if token.type == "image":
                token.attrSet("src", address(str(token.attrGet("src"))) or "")
                token.attrSet("loading", "lazy")
            yield token
