"""What a document is made of. Each file format renders these blocks; none of them writes text of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences that are read one by one."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table with its caption. `widths` are the shares of the columns where they matter; notes stand below it.

    `is_small`: for looking things up rather than reading; printed in small type.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    widths: tuple[int, ...] = ()
    is_small: bool = False

    @property
    def shares(self) -> tuple[int, ...]:
        """How wide the columns are, in proportion."""
        return self.widths or (1,) * len(self.header)


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart by the key of its picture files, with its caption and what it says to those who do not see it."""

    key: str
    caption: str
    alt: str


@dataclass(frozen=True, slots=True)
class Code:
    """Lines of a program, with the name of their file."""

    name: str
    text: str


Block = Paragraph | Bullets | DataTable | Figure | Code


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what follows it; `parts` are the sections below it.

    `starts_page`: begins on a new page in formats that have pages.
    """

    title: str
    blocks: tuple[Block, ...] = ()
    parts: tuple[Section, ...] = ()
    starts_page: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A whole document. `lines` stand below the title.

    `warning` stands above them in strong type, and `watermark` on every page of formats that have pages; empty for
    none.
    """

    title: str
    lines: tuple[str, ...]
    sections: tuple[Section, ...]
    warning: str = ""
    watermark: str = ""

    def walk(self) -> Iterator[tuple[int, Section]]:
        """Every section with its level, from 1, in the order of reading."""
        for section in self.sections:
            yield 1, section
            for part in section.parts:
                yield 2, part

    @property
    def blocks(self) -> Iterator[Block]:
        """Every block, in the order of reading."""
        for _, section in self.walk():
            yield from section.blocks

    @property
    def figures(self) -> list[Figure]:
        """Every figure, in the order of reading."""
        return [block for block in self.blocks if isinstance(block, Figure)]
