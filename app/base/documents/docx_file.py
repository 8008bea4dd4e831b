"""A document as DOCX for word processors: headings, tables with repeated heads, pictures with alternative text."""

import io
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import docx
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt

from app.base.documents.blocks import Block, Bullets, Code, DataTable, Document, Figure

WIDTH_CM = 17.0
# above the caption of a table, in points: another table may stand there
SPACE_BEFORE = 9
CELL_SIZE, SMALL_CELL_SIZE = 8, 6.5
# The rules of a table, and their widths in eighths of a point; 0 for none.
RULES = (("top", 8), ("left", 0), ("bottom", 8), ("right", 0), ("insideH", 2), ("insideV", 0))
# Beside the words of a cell, in twentieths of a point.
MARGIN = "60"
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
    placed: Counter[str] = Counter()
    for level, section in document.walk():
        made.add_heading(plain(section.title), level).paragraph_format.page_break_before = section.starts_page
        for block in section.blocks:
            _add(made, block, pictures, placed)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def plain(text: str) -> str:
    """Text without what XML cannot hold."""
    return text.translate(_UNPRINTABLE)


def _add(made: Any, block: Block, pictures: Mapping[str, bytes], placed: Counter[str]) -> None:  # noqa: ANN401 - the library's document is a factory
    """Add a block; `placed` counts the tables and the figures."""
    if isinstance(block, Bullets):
        for line in block.lines:
            run = made.add_paragraph(style="List Bullet").add_run(plain(line))
            run.font.size = Pt(CELL_SIZE) if block.is_small else None
    elif isinstance(block, DataTable):
        _add_table(made, block, placed)
    elif isinstance(block, Figure):
        made.add_picture(io.BytesIO(pictures[block.key]), width=Cm(WIDTH_CM))
        made.paragraphs[-1].paragraph_format.keep_with_next = True
        properties = made.inline_shapes[-1]._inline.docPr  # noqa: SLF001 - the library has no other door to it
        properties.set("descr", plain(block.alt))
        _add_caption(made, "Figure", block.caption, placed)
    elif isinstance(block, Code):
        made.add_paragraph(plain(block.name), style="Caption").paragraph_format.keep_with_next = True
        run = made.add_paragraph().add_run(plain(block.text.rstrip("\n")))
        run.font.name, run.font.size = CODE_FONT, Pt(SMALL_CELL_SIZE)
    else:
        made.add_paragraph(plain(block.text))


def _add_caption(made: Any, kind: str, words: str, placed: Counter[str]) -> Any:  # noqa: ANN401 - as above
    """Add a caption with its number, a field that Word counts again after changes, and return the paragraph."""
    placed[kind] += 1
    said = made.add_paragraph(f"{kind} ", style="Caption")
    number = _element("w:t")
    number.text = str(placed[kind])
    field = _element("w:fldSimple", _element("w:r", number), instr=rf" SEQ {kind} \* ARABIC ")
    said._p.append(field)  # noqa: SLF001 - as above
    said.add_run(f": {plain(words)}")
    return said


def _add_table(made: Any, table: DataTable, placed: Counter[str]) -> None:  # noqa: ANN401 - as above
    caption = _add_caption(made, "Table", table.caption, placed).paragraph_format
    caption.keep_with_next, caption.space_before = True, Pt(SPACE_BEFORE)
    grid = made.add_table(rows=1 + len(table.rows), cols=len(table.header), style="Table Grid")
    grid.autofit = False
    margins = (_element(f"w:{edge}", w=MARGIN, type="dxa") for edge in ("left", "right"))
    looks = grid._tbl.tblPr  # noqa: SLF001 - as above
    looks.find(qn("w:tblLayout")).addprevious(_element("w:tblBorders", *(_line(*edge) for edge in RULES)))
    looks.find(qn("w:tblLook")).addprevious(_element("w:tblCellMar", *margins))
    size = Pt(SMALL_CELL_SIZE if table.is_small else CELL_SIZE)
    # Word reads the widths of cells, other programs those of columns
    for column, share in zip(grid.columns, table.shares, strict=True):
        column.width = Cm(WIDTH_CM * share)
    for place, (row, words) in enumerate(zip(grid.rows, (table.header, *table.rows), strict=True)):
        marks = ("w:cantSplit", "w:tblHeader") if place == 0 else ("w:cantSplit",)
        row._tr.get_or_add_trPr().extend(_element(mark) for mark in marks)  # noqa: SLF001 - as above
        for cell, column, text in zip(row.cells, grid.columns, words, strict=True):
            cell.width = column.width
            run = cell.paragraphs[0].add_run(plain(text))
            run.font.size, run.bold = size, place == 0
    for note in table.notes:
        said = made.add_paragraph()
        said.add_run(plain(note)).font.size = Pt(CELL_SIZE)
        said.paragraph_format.space_after = Pt(2)


def _line(edge: str, width: int) -> Any:  # noqa: ANN401 - as above
    """A rule of a table; `width` in eighths of a point."""
    return _element(f"w:{edge}", val="single" if width else "nil", sz=str(width), color="808080")


def _element(name: str, *children: Any, **attributes: str) -> Any:  # noqa: ANN401 - as above
    made = OxmlElement(name)
    for key, value in attributes.items():
        made.set(qn(f"w:{key}"), value)
    made.extend(children)
    return made
