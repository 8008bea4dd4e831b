"""Markdown written by leads: HTML in it is escaped, and the result is sanitized. Each text is rendered once."""

from __future__ import annotations

from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_TAGS = {
    "p",
    "br",
    "strong",
    "em",
    "ul",
    "ol",
    "li",
    "a",
    "h2",
    "h3",
    "h4",
    "blockquote",
    "code",
    "pre",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=512)
def markdown(text: str) -> Markup:
    """Render the text as safe HTML.

    >>> str(markdown("**Read** <b>both</b>")).strip()
    '<p><strong>Read</strong> &lt;b&gt;both&lt;/b&gt;</p>'
    """
    html = nh3.clean(_markdown.render(text), tags=_TAGS, attributes={"a": {"href"}, "ol": {"start"}})
    return Markup(html)  # noqa: S704 - cleaned in the line above
