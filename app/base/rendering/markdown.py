"""Markdown of leads and of responses: HTML in it is escaped, the result is sanitized, and each text rendered once."""

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
_START = {"ol": {"start"}}
_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=512)
def markdown(text: str) -> Markup:
    """Render the text as safe HTML.

    >>> str(markdown("**Read** <b>both</b>")).strip()
    '<p><strong>Read</strong> &lt;b&gt;both&lt;/b&gt;</p>'
    """
    html = nh3.clean(_markdown.render(text), tags=_TAGS, attributes={"a": {"href"}, **_START})
    return Markup(html)  # noqa: S704 - cleaned in the line above


# Responses: a line break stays one, because people do not write Markdown; no link leads away from the study, and
# nothing is loaded from elsewhere.
_of_response = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
_TEXT_TAGS = _TAGS - {"a", "h2"}
MAX_KEPT = 1024


@lru_cache(maxsize=MAX_KEPT)
def response_markdown(text: str) -> Markup:
    """Render a response as safe HTML: the words of links and images stay, and headings are below that of the response.

    >>> str(response_markdown("# Hi [you](https://example.org)")).strip()
    '<h3>Hi you</h3>'
    """
    tokens = _of_response.parse(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = "h3" if token.tag == "h1" else "h4"
        for child in token.children or ():
            if child.type == "image":
                child.type = "text"
    html = nh3.clean(_of_response.renderer.render(tokens, _of_response.options, {}), tags=_TEXT_TAGS, attributes=_START)
    return Markup(html)  # noqa: S704 - cleaned in the line above
