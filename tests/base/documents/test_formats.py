"""Every format holds every text as it is, takes none of it for markup, and needs nothing from outside."""

import io
import json
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import docx
import pytest
import vl_convert

from app.analysis.document.bibliography import REFERENCES
from app.base.documents.blocks import Block, Bullets, DataTable, Document, Paragraph, Section
from app.base.documents.docx_file import docx_document
from app.base.documents.html import html_document
from app.base.documents.latex import bibtex, latex_document, latex_tables
from app.base.documents.markdown import markdown_document
from app.base.documents.typst_source import pdf_of, typst_document
from tests.base.documents.hostile import HOSTILE, LONG, document
from tests.kit.pdf_pages import pdf_pages

SPEC = json.dumps({"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a"}}})


class Texts(HTMLParser):
    """What a page says, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.loaded: list[str] = []

    def handle_data(self, data: str) -> None:
        self.said.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - as the parser calls it
        self.loaded += [value or "" for name, value in attrs if name in {"src", "href"}]


def test_html_is_self_contained_and_escapes_texts() -> None:
    page = Texts()
    page.feed(html_document(document(), {"one": b"<svg xmlns='http://www.w3.org/2000/svg'/>"}))
    assert page.said.count(HOSTILE) >= 7
    assert {start.partition(":")[0].rstrip("1") for start in page.loaded} == {"data", "#section-"}


def test_markdown_has_one_line_per_row_and_escapes_pipes() -> None:
    text = markdown_document(document())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {3}
    assert "![" in text


def test_word_document_keeps_texts_and_describes_images() -> None:
    content = docx_document(document(), {"one": bytes(vl_convert.vegalite_to_png(SPEC))})
    made = docx.Document(io.BytesIO(content))
    # some programs read the widths of cells, some those of columns
    for table in made.tables:
        widths = [cell.width for cell in table.rows[0].cells]
        assert [column.width for column in table.columns] == pytest.approx(widths, rel=0.001)
        assert len({*widths}) > 1
    assert sum(paragraph.text == HOSTILE for paragraph in made.paragraphs) >= 4
    said = [str(paragraph._p.xpath("string()")) for paragraph in made.paragraphs]
    assert [words for words in said if words.endswith(f": {HOSTILE}")] == [
        f"Figure 1: {HOSTILE}",
        f"Table 1: {HOSTILE}",
    ]
    captions = [one for one in made.paragraphs if str(one._p.xpath("string()")).startswith("Table")]
    assert all(one.paragraph_format.space_before for one in captions)
    assert made.tables[0].rows[2].cells[1].text == LONG
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        written = archive.read("word/document.xml").decode()
    assert "descr=" in written
    assert 'w:instr=" SEQ Table \\* ARABIC "' in written


def test_code_keeps_its_lines_and_spaces_in_every_format() -> None:
    code = "\n".join([HOSTILE, "", "  indented(\"a\", 'b')"])
    page = Texts()
    page.feed(html_document(document(), {"one": b"<svg/>"}))
    assert any(said.startswith(code) for said in page.said)
    text = markdown_document(document())
    assert f"```r\n{code}" in text
    assert text.count("\n```") == 2
    assert r"~~indented(\textquotedbl{}a" in latex_document(document())
    assert r'"  indented(\"a\", \'b\')"'.replace(r"\'", "'") in typst_document(document())
    content = docx_document(document(), {"one": bytes(vl_convert.vegalite_to_png(SPEC))})
    paragraphs = [paragraph.text for paragraph in docx.Document(io.BytesIO(content)).paragraphs]
    assert any(said.startswith(code) for said in paragraphs)


def test_latex_cell_keeps_leading_asterisk() -> None:
    assert "& {*}mean" in latex_tables(document("*mean"))


def test_formats_drop_characters_invalid_in_xml() -> None:
    said = "a\x01b\ufffec\uffffd"
    pictures = {"one": bytes(vl_convert.vegalite_to_png(SPEC))}
    made = docx.Document(io.BytesIO(docx_document(document(said), pictures)))
    assert made.core_properties.title == "abcd"
    assert "\x01" not in latex_document(document(said))
    pdf_of(typst_document(document(said)), {"charts/one.pdf": bytes(vl_convert.vegalite_to_pdf(SPEC))})


def test_pdf_has_bookmarks_and_fonts_and_is_reproducible() -> None:
    files = {"charts/one.pdf": bytes(vl_convert.vegalite_to_pdf(SPEC))}
    first, second = (pdf_of(typst_document(document()), files) for _ in range(2))
    assert first.startswith(b"%PDF")
    assert b"/Outlines" in first
    assert b"/FontFile" in first
    assert first == second


def test_bibtex_braces_balance_and_keys_are_unique() -> None:
    text = bibtex(REFERENCES.values())
    assert text.count("{") == text.count("}")
    keys = re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)
    assert len(keys) == len(set(keys)) == len(REFERENCES) + 1


def test_bibtex_distinguishes_publication_types() -> None:
    by_key = {key: kind for kind, key in re.findall(r"^@(\w+)\{([^,]+),$", bibtex(REFERENCES.values()), re.MULTILINE)}
    assert by_key["holm1979"] == "article"
    assert by_key["mcdonald1999"] == "book"
    assert by_key["calderon2025"] == "inproceedings"
    assert by_key["dubois2024"] == "misc"
    assert "doi = {10.1037/h0026256}" in bibtex([REFERENCES["cohen1968"]])


def test_latex_tables_need_no_preamble() -> None:
    text = latex_tables(document())
    assert text.count(r"\begin{longtable}") == text.count(r"\end{longtable}") == 1
    assert "documentclass" not in text
    # numbered, on the first page of a long table only
    assert text.count(r"\caption{") == 1
    assert latex_document(document()).count(r"\captionof{figure}{") == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="texlive is not installed")
def test_latex_compiles(tmp_path: Path) -> None:
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "one.pdf").write_bytes(bytes(vl_convert.vegalite_to_pdf(SPEC)))
    (tmp_path / "report.tex").write_text(latex_document(document()), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


def test_a_warning_and_a_watermark_are_in_every_format() -> None:
    marked = replace(document("A text"), warning="All <ratings> are simulated.", watermark="Simulated & only")
    page = Texts()
    page.feed(html_document(marked, {"one": b"<svg/>"}))
    assert {"All <ratings> are simulated.", "Simulated & only"} <= set(page.said)
    assert "**All \\<ratings\\> are simulated.**" in markdown_document(marked)
    assert r"\textbf{All \textless{}ratings\textgreater{} are simulated.}" in latex_document(marked)
    assert r"\markright{\textbf{Simulated \& only}}" in latex_document(marked)
    typst = typst_document(marked)
    assert '"Simulated & only"' in typst[: typst.index("#block")]
    assert typst.count('"All <ratings> are simulated."') == 1
    made = docx.Document(io.BytesIO(docx_document(marked, {"one": bytes(vl_convert.vegalite_to_png(SPEC))})))
    assert "All <ratings> are simulated." in [paragraph.text for paragraph in made.paragraphs]
    assert made.sections[0].header.paragraphs[0].text == "Simulated & only"
    assert "markright" not in latex_document(document("A text"))
    assert "rotate" not in typst_document(document("A text"))


def test_only_tables_may_continue_on_the_next_page() -> None:
    """The caption of a picture at the end of a page was alone at the top of the next one."""
    may_break = re.findall(r"#show figure(.*): set block\(breakable: true\)", typst_document(document()))
    assert may_break == [".where(kind: table)"]


def test_no_letter_of_a_pdf_is_beyond_its_column_or_its_paper() -> None:
    """Words of 12 to 24 letters ran across the next column once they were no longer hyphenated."""
    names = ("Krippendorffsalphaordinal", "W" * 24, "Unwahrscheinlichkeit", "x" * 99)
    table = DataTable("A table", names, tuple(names[n:] + names[:n] for n in range(4)), ("a: a note.", "b: another."))
    for one in (table, replace(table, is_small=True)):
        (page,) = pdf_pages(pdf_of(typst_document(Document("A title", (), (Section("Tables", (one,)),))), {}))
        begun = [next(left for said, left, _ in page.runs if said and name.startswith(said)) for name in names]
        ends = [*begun[1:], page.width - begun[0]]
        assert begun == sorted(begun)
        for _, left, right in page.runs[3:-2]:
            assert right <= min((end for end in ends if end > left + 1), default=page.width), (left, right, ends)
        assert "".join(names) in page.text
        assert "a:anote.b:another." in page.text


def test_what_introduces_a_list_is_on_the_page_of_the_list() -> None:
    """A heading and *Primary contrasts:* were the last lines of a page."""
    for n_lines in range(30, 50):
        blocks: list[Block] = [Paragraph(f"Line {n}.") for n in range(n_lines)]
        blocks += [Paragraph("In a list:"), Bullets(("one " * 30, "two"))]
        section = Section("A part", tuple(blocks))
        pages = pdf_pages(pdf_of(typst_document(Document("A title", (), (section,))), {}))
        with_words = [number for number, page in enumerate(pages) if "Inalist:" in page.text]
        assert with_words == [number for number, page in enumerate(pages) if "•one" in page.text]


def test_rows_of_small_tables_stay_whole() -> None:
    rows = tuple((f"M{n}", "two lines of this method, which are long enough for that, " * 5) for n in range(80))
    table = DataTable("Methods", ("Method", "How"), rows, is_small=True)
    pages = pdf_pages(pdf_of(typst_document(Document("A title", (), (Section("Tables", (table,)),))), {}))
    assert len(pages) > 1
    for page in pages:
        numbers = re.findall(r"M\d+", page.text)
        assert page.text.count("twolinesofthismethod") == 5 * len(numbers)
