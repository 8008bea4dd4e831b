"""The pages of the documentation: which there are, in which order, and each one's HTML. No page is read twice."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from app.web.help.markdown_pages import Heading, RenderedPage, render_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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

    def __init__(self, folder: Path, asset: Callable[[str], str], prefix: str = "/help") -> None:
        """Read pages below `folder`; `asset(name)` is the address of a picture, `prefix` that of the index."""
        self.folder, self.asset, self.prefix = folder, asset, prefix
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
            return f"{self.prefix}/{there}"
        page = there.removesuffix(".md")
        if page not in self.names or page == there:
            return None
        address = self.prefix if page == INDEX else f"{self.prefix}/{page}"
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
