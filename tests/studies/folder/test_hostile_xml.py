"""Excel files whose XML declares entities are refused: they could read files of the server or expand without end."""

import io
import zipfile
from pathlib import Path

import openpyxl
import pytest

from app.base.files.spreadsheet import read_spreadsheet
from app.base.problem import InvalidInputError
from app.base.problems import Problems

SHEET = "xl/worksheets/sheet1.xml"


def with_entities(path: Path, entities: str) -> None:
    """An Excel file whose only text is the entity `&read;`."""
    book, buffer = openpyxl.Workbook(), io.BytesIO()
    book.worksheets[0].append(["text", "reply"])
    book.worksheets[0].append(["A situation.", "PLACE"])
    book.save(buffer)
    with zipfile.ZipFile(buffer) as archive, zipfile.ZipFile(path, "w") as written:
        for name in archive.namelist():
            content = archive.read(name)
            if name == SHEET:
                declared = f"<!DOCTYPE worksheet [{entities}]>".encode()
                content = declared + content.replace(b"PLACE", b"&read;")
            written.writestr(name, content)


def is_refused(path: Path) -> bool:
    problems = Problems()
    table = read_spreadsheet(path, problems)
    with pytest.raises(InvalidInputError, match="not readable as Excel"):
        problems.raise_if_any()
    return table is None


def test_excel_files_are_read_by_a_hardened_parser() -> None:
    assert openpyxl.DEFUSEDXML


def test_file_with_an_external_entity_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the secret of another file")
    with_entities(tmp_path / "sheet.xlsx", f'<!ENTITY read SYSTEM "file://{tmp_path}/secret">')
    assert is_refused(tmp_path / "sheet.xlsx")


def test_file_with_nested_entities_is_refused(tmp_path: Path) -> None:
    nested = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 12))
    with_entities(tmp_path / "sheet.xlsx", f'<!ENTITY e0 "{"x" * 10}">{nested}<!ENTITY read "&e11;">')
    assert is_refused(tmp_path / "sheet.xlsx")
