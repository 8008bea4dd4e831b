"""What a document is made of. Each file format renders these blocks; none of them writes text of its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

# Letters in a line of a table, and of one in small type; and between two columns. Of so many bold ones, one fits less.
LETTERS, GAP, BOLD = (130, 160), 2, 6
# Words of up to so many letters stay whole in a column, if there is room for all columns.
LONG_WORD = 24
WHOLE_WORDS = (LONG_WORD, 16, 10, 1)
# The folder of the pictures that stand beside a document.
CHARTS = "charts"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences that are read one by one. `is_small`: as in `DataTable`."""

    lines: tuple[str, ...]
    is_small: bool = False


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table with its caption; notes stand below it.

    `is_small`: for looking things up rather than reading; printed in small type.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    is_small: bool = False

    @property
    def shares(self) -> list[float]:
        """The columns' shares of the width, as their longest cells, of which the longest ones take several lines.

        >>> DataTable("", ("No.", "Statement"), (("1", "Mean"), ("2", "SD"))).shares == [6 / 19, 13 / 19]
        True
        >>> DataTable("", ("No.", "Text"), (("1", "very " * 99),)).shares == [6 / 130, 124 / 130]
        True
        """
        widths = [width + GAP for width in self._letters()]
        return [width / sum(widths) for width in widths]

    def _letters(self) -> list[int]:
        """The letters for which each column has room, without the gap beside it."""
        columns = [*zip(*self.rows, strict=True)] or [()] * len(self.header)
        longest = [max(_bold(name), *map(len, cells), 0) for name, cells in zip(self.header, columns, strict=True)]
        words = [
            max([*map(_bold, name.split()), *(len(word) for cell in cells for word in cell.split())], default=0)
            for name, cells in zip(self.header, columns, strict=True)
        ]
        most = LETTERS[self.is_small] - GAP * len(columns)
        for whole_word in WHOLE_WORDS:
            least = [min(word, whole_word) for word in words]
            for limit in range(max(longest), 0, -1):
                widths = [min(all_of_it, max(limit, word)) for all_of_it, word in zip(longest, least, strict=True)]
                if sum(widths) <= most:
                    return widths
        return least


def _bold(words: str) -> int:
    """How many plain letters take the room of these words in bold type."""
    return len(words) + math.ceil(len(words) / BOLD)


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
