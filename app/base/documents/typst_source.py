"""A document as Typst source, from which the PDF is made; pictures are PDF files beside it."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap

import typst

from app.base.documents.blocks import (
    CHARTS,
    GAP,
    LETTERS,
    LONG_WORD,
    Block,
    Bullets,
    Code,
    DataTable,
    Document,
    Figure,
    Paragraph,
)

_HEAD = """\
#set document(title: {title}, date: none)
#set page(paper: "a4", margin: (x: 20mm, y: 22mm), numbering: "1 / 1", footer-descent: 40%)
#set text(font: "Libertinus Serif", size: 10.5pt, lang: "en")
#set par(leading: 0.62em, spacing: 0.9em, justify: false)
#set list(spacing: 0.7em)
#set table(stroke: none, inset: (x: 0pt, y: 3pt), column-gutter: 7pt, align: left)
#show table: set text(size: 8pt)
#show table: set par(leading: 0.5em)
#show figure.where(kind: table): set block(breakable: true)
#show figure.caption: set text(size: 9pt)
#show figure.caption: set align(left)
#show figure.caption: set block(sticky: true)
#show figure.where(kind: table): set figure.caption(position: top)
#show heading.where(level: 1): set text(size: 15pt)
#show heading.where(level: 2): set text(size: 12pt)
#show heading: set block(above: 1.5em, below: 0.8em)
#let small-list(..lines) = {{ set text(size: 8.5pt); set list(spacing: 0.6em); list(..lines) }}
"""

_WATERMARK = '#set page(background: rotate(-50deg, text(size: 52pt, weight: "bold", fill: luma(225), {words})))'

_SMALL = """\
#show table: set text(size: 6.5pt)
#set table(inset: (x: 0pt, y: 1.9pt))"""
# A row whose cells are short stays on one page.
_WHOLE_ROWS, MAX_UNBROKEN = "#set table.cell(breakable: false)", 400
_NOTE = "#block({{ set text(size: 9pt); par({}) }})"

ZERO_WIDTH_SPACE, BREAK_EVERY = "\u200b", 4
# Addresses and hashes break by themselves in a paragraph, and are copied from there.
_LETTERS, _WORD = re.compile(r"[^\W\d_]+"), re.compile(r"\S+")
# How many letters wide some are; of all others, capitals and those of scripts without small ones are `OTHERS`.
_WIDTHS, OTHERS = {**dict.fromkeys("MWmw%@—", 2), **dict.fromkeys(".,:;()-/_", 1)}, 1.5


def typst_document(document: Document) -> str:
    """The source; its pictures are PDF files in the folder `CHARTS`."""
    title = quoted(document.title)
    lines = [_HEAD.format(title=title), f'#block(below: 1em, text(size: 20pt, weight: "bold", {title}))']
    if document.watermark:
        lines.insert(1, _WATERMARK.format(words=quoted(document.watermark)))
    lines += [f'#block(text(weight: "bold", {quoted(document.warning)}))'] if document.warning else []
    lines += [f"#block(text(size: 9pt, fill: luma(90), {quoted(line)}))" for line in document.lines]
    for level, section in document.walk():
        lines += ["#pagebreak(weak: true)"] if section.starts_page else []
        lines.append(f"#heading(level: {level}, {quoted(section.title)})")
        for block, following in zip_longest(section.blocks, section.blocks[1:]):
            if isinstance(block, Paragraph) and isinstance(following, Bullets):
                # what introduces a list stays with it
                lines.append(f"#block(sticky: true, par({quoted(block.text)}))")
            else:
                lines += [*_block(block)]
    return "\n".join([*lines, ""])


def quoted(text: str) -> str:
    r"""Text as a string of Typst, in which nothing is markup.

    >>> print(quoted('a "b" #c'))
    "a \"b\" #c"
    """
    return _string(breakable(" ".join(text.split()), LONG_WORD, _LETTERS))


def _string(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'


def breakable(text: str, room: float, words: re.Pattern[str] = _WORD) -> str:
    """A text in which words of more than `room` letters can break; Typst would print them across the next column.

    >>> breakable("a short word", 24), [breakable("X" * 20, room).count(ZERO_WIDTH_SPACE) for room in (30, 29)]
    ('a short word', [0, 4])
    """
    return words.sub(lambda word: word[0] if _width(word[0]) <= room else _in_parts(word[0]), text)


def _width(word: str) -> float:
    return sum(_WIDTHS.get(one, 1 if one.islower() or one.isdigit() else OTHERS) for one in word)


def _in_parts(word: str) -> str:
    return ZERO_WIDTH_SPACE.join(wrap(word, BREAK_EVERY, break_on_hyphens=False))


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Bullets):
        if block.lines:
            yield f"#{'small-list' if block.is_small else 'list'}({', '.join(map(quoted, block.lines))})"
    elif isinstance(block, DataTable):
        yield from _table(block)
    elif isinstance(block, Figure):
        image = f"image({_string(f'{CHARTS}/{block.key}.pdf')}, width: 100%, alt: {quoted(block.alt)})"
        yield f"#figure(block(breakable: false, {image}), caption: {quoted(block.caption)})"
    elif isinstance(block, Code):
        lines = ", ".join(_string(line) for line in block.text.rstrip("\n").split("\n"))
        yield f"#block(below: 0.4em, sticky: true, strong({quoted(block.name)}))"
        yield f'#text(size: 7.5pt, raw(block: true, ({lines},).join("\\n")))'
    else:
        yield f"#par({quoted(block.text)})"


def _table(table: DataTable) -> Iterator[str]:
    shares = table.shares
    columns = ", ".join(f"{share:.5f}fr" for share in shares)
    rooms = [share * LETTERS[table.is_small] - GAP for share in shares]
    # the brackets end what is set in them
    yield "#["
    if table.is_small:
        yield _SMALL
    if all(len(cell) <= MAX_UNBROKEN for row in table.rows for cell in row):
        yield _WHOLE_ROWS
    yield f"#figure(kind: table, supplement: [Table], caption: {quoted(table.caption)}, table("
    yield f"  columns: ({columns},),"
    head = ", ".join(f"strong({cell})" for cell in _cells(table.header, rooms))
    yield f"  table.hline(stroke: 0.8pt), table.header({head}), table.hline(stroke: 0.4pt),"
    for row in table.rows:
        yield f"  {', '.join(_cells(row, rooms))},"
    yield "  table.hline(stroke: 0.8pt),"
    yield "))]"
    if table.notes:
        yield _NOTE.format(quoted(" ".join(table.notes)))


def _cells(row: Sequence[str], rooms: Sequence[float]) -> list[str]:
    return [_string(breakable(" ".join(cell.split()), room)) for cell, room in zip(row, rooms, strict=True)]


# Typst source as PDF, with bookmarks, tags and selectable text.

# a PDF of the same numbers is the same file
TIMESTAMP = 0


def pdf_of(source: str, files: Mapping[str, bytes]) -> bytes:
    """The PDF of a source with the files that it names.

    Typst embeds its fonts; letters that they lack are taken from fonts of the system where there are any.
    """
    with tempfile.TemporaryDirectory(prefix="attune-") as name:
        folder = Path(name)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        main = folder / "main.typ"
        main.write_text(source, encoding="utf-8")
        return bytes(typst.compile(str(main), root=name, timestamp=TIMESTAMP))
