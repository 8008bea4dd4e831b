"""A document as DOCX for word processors: headings, tables with repeated heads, pictures with alternative text."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt

from app.base.documents.blocks import Block, Bullets, Code, DataTable, Document, Figure

WIDTH_CM = 17.0
CELL_SIZE, SMALL_CELL_SIZE = 8, 6.5
CODE_FONT = "Courier New"
# what XML cannot hold
_UNPRINTABLE = {code: None for code in (*range(32), 0xFFFE, 0xFFFF) if chr(code) not in "\t\n\r"}


def docx_document(document: Document, pictures: Mapping[str, bytes]) -> bytes:
    """The file; `pictures` holds the PNG of each figure by its key."""
    made = docx.Document()
    made.core_properties.title, made.core_properties.author = plain(document.title)[:255], "Attune"
    made.core_properties.created = made.core_properties.modified = datetime(2000, 1, 1, tzinfo=UTC)
    for part in made.sections:
        part.page_width, part.page_height = Cm(21), Cm(29.7)
        part.left_margin = part.right_margin = Cm(2)
    made.add_heading(plain(document.title), 0)
    if document.warning:
        made.add_paragraph().add_run(plain(document.warning)).bold = True
    if document.watermark:
        for part in made.sections:
            part.header.paragraphs[0].add_run(plain(document.watermark)).bold = True
    for line in document.lines:
        made.add_paragraph(plain(line))
    for level, section in document.walk():
        made.add_heading(plain(section.title), level).paragraph_format.page_break_before = section.starts_page
        for block in section.blocks:
            _add(made, block, pictures)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def plain(text: str) -> str:
    """Text without what XML cannot hold."""
    return text.translate(_UNPRINTABLE)


def _add(made: Any, block: Block, pictures: Mapping[str, bytes]) -> None:  # noqa: ANN401 - the library's document is a factory
    if isinstance(block, Bullets):
        for line in block.lines:
            made.add_paragraph(plain(line), style="List Bullet")
    elif isinstance(block, DataTable):
        _add_table(made, block)
    elif isinstance(block, Figure):
        made.add_picture(io.BytesIO(pictures[block.key]), width=Cm(WIDTH_CM))
        properties = made.inline_shapes[-1]._inline.docPr  # noqa: SLF001 - the library has no other door to it
        properties.set("descr", plain(block.alt))
        made.add_paragraph(plain(block.caption), style="Caption")
    elif isinstance(block, Code):
        made.add_paragraph(plain(block.name), style="Caption").paragraph_format.keep_with_next = True
        run = made.add_paragraph().add_run(plain(block.text.rstrip("\n")))
        run.font.name, run.font.size = CODE_FONT, Pt(SMALL_CELL_SIZE)
    else:
        made.add_paragraph(plain(block.text))


def _add_table(made: Any, table: DataTable) -> None:  # noqa: ANN401 - as above
    made.add_paragraph(plain(table.caption), style="Caption").paragraph_format.keep_with_next = True
    grid = made.add_table(rows=1 + len(table.rows), cols=len(table.header), style="Table Grid")
    grid.autofit = False
    _repeat(grid.rows[0])
    whole = sum(table.shares)
    for place, row in enumerate((table.header, *table.rows)):
        for cell, text, share in zip(grid.rows[place].cells, row, table.shares, strict=True):
            cell.width = Cm(WIDTH_CM * share / whole)
            run = cell.paragraphs[0].add_run(plain(text))
            run.font.size, run.bold = Pt(SMALL_CELL_SIZE if table.is_small else CELL_SIZE), place == 0
    for note in table.notes:
        made.add_paragraph(plain(note))


def _repeat(row: Any) -> None:  # noqa: ANN401 - as above
    """Mark a row as one that each page repeats."""
    mark = OxmlElement("w:tblHeader")
    mark.set(qn("w:val"), "true")
    row._tr.get_or_add_trPr().append(mark)  # noqa: SLF001 - as above
