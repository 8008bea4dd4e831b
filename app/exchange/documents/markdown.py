"""A document as Markdown with pipe tables; pictures are files beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.analysis.document.blocks import Bullets, DataTable, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.analysis.document.blocks import Block, Document

# what begins a heading, a list, markup or a cell
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>#|~"})


def markdown_document(document: Document, *, pictures: str = "charts") -> str:
    """The document as text; `pictures` is the folder of the PNG files."""
    lines = [f"# {escaped(document.title)}", "", *(f"{escaped(line)}  " for line in document.lines), ""]
    for level, section in document.walk():
        lines += [f"{'#' * (level + 1)} {escaped(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block, pictures), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    r"""Text in which nothing is markup.

    >>> print(escaped("a_b | c"))
    a\_b \| c
    """
    return " ".join(text.translate(_MARKS).split())


def _block(block: Block, pictures: str) -> Iterator[str]:
    if isinstance(block, Bullets):
        yield from (f"- {escaped(line)}" for line in block.lines)
    elif isinstance(block, DataTable):
        yield from _table(block)
    elif isinstance(block, Figure):
        yield f"![{escaped(block.alt)}]({pictures}/{block.key}.png)"
        yield ""
        yield f"*{escaped(block.caption)}*"
    else:
        yield escaped(block.text)


def _table(table: DataTable) -> Iterator[str]:
    yield f"**{escaped(table.caption)}**"
    yield ""
    yield f"| {' | '.join(map(escaped, table.header))} |"
    yield f"|{' --- |' * len(table.header)}"
    yield from (f"| {' | '.join(map(escaped, row))} |" for row in table.rows)
    for note in table.notes:
        yield ""
        yield escaped(note)
