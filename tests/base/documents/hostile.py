"""A document whose texts hold what each format takes for markup."""

from app.base.documents.blocks import Bullets, Code, DataTable, Document, Figure, Paragraph, Section

HOSTILE = 'a_b #c $d$ <b>&amp; "e" \\f{g} %h ^i ~j | k * [l] @m // n -- o − χ² ≥ é ربما 中 1/2'
LONG = "Emotional_understanding" * 9


def document(text: str = HOSTILE) -> Document:
    table = DataTable(text, ("No.", text), (("1", text), ("2", LONG)), (text,))
    code = Code("models.R", f"{text}\n\n  indented(\"a\", 'b')\n```\n")
    part = Section(text, (code, Bullets((text, "= heading", "- list", "+ 1. x")), table, Bullets(())))
    return Document(text, (text,), (Section(text, (Paragraph(text), Figure("one", text, text)), (part,)),))
