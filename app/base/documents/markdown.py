"""A document as Markdown with pipe tables; pictures are files beside it."""

import re
from collections.abc import Iterator

from app.base.documents.blocks import CHARTS, Block, Bullets, Code, DataTable, Document, Figure

# what begins a heading, a list, markup or a cell
_MARKS = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]<>#|~&"})
# What begins a list, or is a line below a heading: put a backslash before its last character.
_BEGINS = re.compile(r"(\+|=+|-+|\d{1,9}[.)])(?= |$)")


def markdown_document(document: Document) -> str:
    """The document as text; its pictures are PNG files in the folder `CHARTS`."""
    warning = [f"**{escaped(document.warning)}**", ""] if document.warning else []
    lines = [f"# {escaped(document.title)}", "", *warning, *(f"{escaped(line)}  " for line in document.lines), ""]
    for level, section in document.walk():
        lines += [f"{'#' * (level + 1)} {escaped(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    r"""Text in which nothing is markup.

    >>> print(escaped("a_b | c"))
    a\_b \| c
    >>> print(escaped("- one"), escaped("1. one"), escaped("-0.5"), escaped("&lt;"))
    \- one 1\. one -0.5 \&lt;
    """
    line = " ".join(text.translate(_MARKS).split())
    begins = _BEGINS.match(line)
    return f"{line[: begins.end() - 1]}\\{line[begins.end() - 1 :]}" if begins else line


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Bullets):
        yield from (f"- {escaped(line)}" for line in block.lines)
    elif isinstance(block, DataTable):
        yield from _table(block)
    elif isinstance(block, Figure):
        yield f"![{escaped(block.alt)}]({CHARTS}/{block.key}.png)"
        yield ""
        yield f"*{escaped(block.caption)}*"
    elif isinstance(block, Code):
        yield from (f"**{escaped(block.name)}**", "", f"```{block.name.rpartition('.')[2].lower()}")
        yield from block.text.rstrip("\n").replace("```", "` ` `").split("\n")
        yield "```"
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
