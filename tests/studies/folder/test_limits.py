"""Small files with far too much content are rejected with a sentence before they are parsed."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from app.base.files.records import read_table
from app.base.files.spreadsheet import read_spreadsheet
from app.base.files.yaml_tree import read_yaml
from app.base.limits import Limits
from app.base.problem import InvalidInputError
from app.base.problems import Problems
from app.studies.creation.read_new_study import read_upload
from app.studies.folder.read import read_folder
from tests.kit.small import small
from tests.studies.creation.test_uploads import zipped

FEW = Limits(cells=100, columns=10)


def sentences(problems: Problems) -> str:
    """Return the problems as they are shown."""
    with pytest.raises(InvalidInputError) as caught:
        problems.raise_if_any()
    return "\n".join(problem.sentence() for problem in caught.value.problems)


def excel(sheet: bytes) -> bytes:
    """Return a zip file with one large member, like an Excel file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return buffer.getvalue()


def test_csv_with_too_many_columns_is_rejected() -> None:
    problems = Problems(FEW)
    assert read_table("items.csv", b",".join(b"c%d" % n for n in range(11)), problems) is None
    assert sentences(problems) == 'items.csv, row 1: found "11 columns"; allowed: at most 10 columns.'


@pytest.mark.parametrize("name", ["items.csv", "items.jsonl"])
def test_table_with_too_many_cells_is_rejected(name: str) -> None:
    problems = Problems(FEW)
    lines = [b"a,b"] + [b"1,2"] * 51 if name.endswith("csv") else [b'{"a": 1, "b": 2}'] * 51
    assert read_table(name, b"\n".join(lines), problems) is None
    assert "more than 100 cells (2 columns)" in sentences(problems)


def test_table_at_cell_limit_is_accepted() -> None:
    problems = Problems(FEW)
    table = read_table("items.csv", b"\n".join([b"a,b"] + [b"1,2"] * 49), problems)
    assert table is not None
    assert len(table) == 49
    problems.raise_if_any()


def test_json_lines_with_too_many_keys_are_rejected() -> None:
    problems = Problems(FEW)
    lines = "\n".join(json.dumps({f"key-{n}": 1}) for n in range(100_000))
    assert read_table("items.jsonl", lines.encode(), problems) is None
    assert 'found "11 columns"' in sentences(problems)


def test_recursive_yaml_aliases_are_rejected() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    problems = Problems()
    assert read_yaml("study.yaml", "\n".join(rows), problems) is None
    assert "aliases that expand without end" in sentences(problems)


def test_yaml_with_too_many_values_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.base.files.yaml_tree._value", None)
    problems = Problems()
    assert read_yaml("study.yaml", f"[{'1,' * 30_000}]", problems) is None
    assert "more than 20,000 values" in sentences(problems)


def test_oversized_protocol_is_not_parsed() -> None:
    problems = Problems()
    assert read_yaml("study.yaml", "#" * 3_000_000, problems) is None
    assert 'found "2.9 MiB"; allowed: a protocol of at most 2 MiB' in sentences(problems)


def test_highly_compressed_excel_sheet_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(excel(b"<row/>" * 5_000_000))
    assert path.stat().st_size < 1_000_000
    problems = Problems(Limits())
    assert read_spreadsheet(path, problems) is None
    assert "times larger than its compressed form" in sentences(problems)


def test_excel_file_exceeding_unpacked_limit_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    path.write_bytes(excel(b"<row/>" * 1_000_000))
    problems = Problems(Limits(sheet_mb=5))
    assert read_spreadsheet(path, problems) is None
    assert 'found "5.7 MiB unpacked"; allowed: at most 5 MiB unpacked' in sentences(problems)


def test_excel_file_with_too_many_cells_is_rejected(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    for _ in range(60):
        book.worksheets[0].append(["a", "b"])
    book.save(tmp_path / "wide.xlsx")
    problems = Problems(FEW)
    assert read_spreadsheet(tmp_path / "wide.xlsx", problems) is None
    assert "more than 100 cells (2 columns)" in sentences(problems)


def test_zip_with_highly_compressed_file_is_rejected() -> None:
    with pytest.raises(InvalidInputError, match=r"responses\.csv, [\d,]+ times larger .* at most 100 times larger"):
        read_upload(zipped(small() | {"responses.csv": b"0" * 50_000_000}), limits=Limits())


def test_zip_with_too_many_files_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.base.files.input_limits.MAX_ZIP_MEMBERS", 3)
    with pytest.raises(InvalidInputError, match="5 files in one zip"):
        read_upload(zipped(small()))


def test_oversized_folder_is_rejected(tmp_path: Path) -> None:
    with (tmp_path / "items.csv").open("wb") as file:
        file.truncate(3_000_000)
    with pytest.raises(InvalidInputError, match='found "3 MiB"; allowed: a folder of at most 2 MiB'):
        read_folder(tmp_path, limits=Limits(unpacked_mb=2))
