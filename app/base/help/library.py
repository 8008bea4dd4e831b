"""The pages of the documentation: which there are, in which order, and each one's HTML. No page is read twice."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path, PurePosixPath

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

# Markdown of the documentation as HTML: headings with the anchors that GitHub gives them, links that lead to Help.

_markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
# Headings of these levels are listed beside a page.
LISTED = ("h2", "h3")
# Parts of the names of pictures of one page, light and dark.
LIGHT, DARK = ".light.", ".dark."


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
            yield _picture(token, address) if token.type == "image" else token


def _picture(image: Token, address: Callable[[str], str | None]) -> Token:
    """A picture with its address here; one called `.light.` is `.dark.` to those who prefer dark pages."""
    source = str(image.attrGet("src"))
    image.attrSet("src", address(source) or "")
    image.attrSet("loading", "lazy")
    if LIGHT not in source:
        return image
    dark = address(source.replace(LIGHT, DARK)) or ""
    shown = _markdown.renderer.render([Token("inline", "", 0, children=[image])], _markdown.options, {})
    html = f'<picture><source media="(prefers-color-scheme: dark)" srcset="{escape(dark)}">{shown}</picture>'
    return Token("html_inline", "", 0, content=html)


INDEX = "README"
_GROUP = re.compile(r"^## (.+)$")
_ENTRY = re.compile(r"^\| \[([^\]]+)\]\(([^)#]+)\.md\) \| (.+) \|$")


@dataclass(frozen=True, slots=True)
class Entry:
    """One page in the index: its name in addresses, its title, and what it covers."""

    name: str
    title: str
    covers: str


@dataclass(frozen=True, slots=True)
class Group:
    """Pages that are listed together."""

    title: str
    entries: tuple[Entry, ...]


class Library:
    """The Markdown files below a folder. Its README.md is the index: a heading per group and a row per page."""

    def __init__(self, folder: Path, asset: Callable[[str], str]) -> None:
        """Read pages below `folder`; `asset(name)` is the address of a picture."""
        self.folder, self.asset = folder, asset
        self.names = frozenset(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md"))
        self.scripts = frozenset(
            path.relative_to(folder).as_posix() for path in (folder / "clients").glob("*") if path.is_file()
        )
        self.page = lru_cache(maxsize=None)(self._page)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The index, as README.md lists it."""
        found: list[tuple[str, list[Entry]]] = []
        for line in self.source(INDEX).splitlines():
            if group := _GROUP.match(line):
                found.append((group[1], []))
            elif found and (row := _ENTRY.match(line)):
                found[-1][1].append(Entry(row[2], row[1], row[3].replace("`", "")))
        return tuple(Group(title, tuple(entries)) for title, entries in found)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Every page of the index that is served here, in order."""
        return tuple(entry for group in self.groups for entry in group.entries if entry.name in self.names)

    def source(self, name: str) -> str:
        """The Markdown of a page."""
        return (self.folder / f"{name}.md").read_text(encoding="utf-8")

    def _page(self, name: str) -> RenderedPage:
        """A page as HTML; its links lead to pages here."""
        return render_page(self.source(name), lambda target: self.address(name, target))

    def headings(self, name: str) -> tuple[Heading, ...]:
        """The headings of a page."""
        return self.page(name).headings

    def around(self, name: str) -> tuple[Entry | None, Entry | None]:
        """The pages before and after a page of the index."""
        places = {entry.name: place for place, entry in enumerate(self.entries)}
        if name not in places:
            return None, None
        place = places[name]
        after = self.entries[place + 1] if place + 1 < len(self.entries) else None
        return (self.entries[place - 1] if place else None), after

    def address(self, name: str, target: str) -> str | None:
        """The address that a link on the page `name` leads to; None if it leaves the documentation.

        Raises:
            KeyError: a picture does not exist.
        """
        path, _, anchor = target.partition("#")
        if "://" in target or not path:
            return target
        if path.startswith("pictures/") or "/pictures/" in path:
            return self.asset(PurePosixPath(path).name)
        there = "/".join(_resolved(f"{PurePosixPath(name).parent}/{path}".split("/")))
        if there in self.scripts:
            return f"/help/{there}"
        page = there.removesuffix(".md")
        if page not in self.names or page == there:
            return None
        address = "/help" if page == INDEX else f"/help/{page}"
        return f"{address}#{anchor}" if anchor else address


def _resolved(parts: list[str]) -> Iterator[str]:
    """The parts of a path without `.` and `..`."""
    kept: list[str] = []
    for part in parts:
        if part == "..":
            # A link out of the documentation keeps its dots, so that it names no page.
            kept = kept[:-1] if kept and kept[-1] != ".." else [*kept, part]
        elif part != ".":
            kept.append(part)
    return iter(kept)
