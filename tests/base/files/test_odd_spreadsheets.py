"""Spreadsheets as people keep them: a column is read, or a problem says why it is not. None is lost in silence."""

import io
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.base.files.spreadsheet import read_spreadsheet
from app.base.files.table import Table
from app.base.problem import Problem
from app.base.problems import Problems
from app.studies.imports.column_roles import guess_columns

LONG = "I have been awake for three nights and do not know what else to try"


def excel(*rows: Sequence[object], merged: tuple[str, ...] = ()) -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in rows:
        sheet.append(list(row))
    for cells in merged:
        sheet.merge_cells(cells)
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def read(folder: Path, name: str, data: bytes) -> tuple[Table | None, list[Problem]]:
    problems = Problems()
    (folder / name).write_bytes(data)
    table = read_spreadsheet(folder / name, problems)
    return table, problems.list_of(name)


TWO_OF_A_NAME: list[list[str]] = [["Question", "Reply", "Reply"], [LONG, "by a person", "by a model"]]
TWO_HEADERS: list[list[str | None]] = [
    ["Question", "Responses", None],
    [None, "Physician", "Chatbot"],
    [LONG, "one", "two"],
]
PROBLEMS = {
    "two of a name.xlsx": (excel(*TWO_OF_A_NAME), "2 columns with this name"),
    "two of a name.csv": (b"Question,Reply,Reply\na,b,c\n", "2 columns with this name"),
    "merged.xlsx": (excel(*TWO_HEADERS, merged=("B1:C1", "A1:A2")), "column without a name (column 3)"),
    "two headers.csv": (b"Texts,Replies,\n,Physician,Chatbot\na,b,c\n", "a column without a name (column 3)"),
    "apart.xlsx": (
        excel(["", "Material", "Answers", ""], ["Nr", LONG, "one", "two"]),
        "(columns 1 and 4) with content: Nr",
    ),
    "formulas.xlsx": (excel(["Question", "Reply"], [LONG, '=CONCATENATE("a","b")']), "formulas without saved values"),
    "empty.xlsx": (excel(), "no header"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_column_that_cannot_be_read_is_a_problem(tmp_path: Path, name: str) -> None:
    data, found = PROBLEMS[name]
    problems = read(tmp_path, name, data)[1]
    assert found in " ".join(problem.found for problem in problems)
    assert all(problem.severity == "error" and problem.allowed for problem in problems)


TITLED: list[list[str]] = [["Study 4"], [], ["Question", "Physician", "Chatbot"], [LONG, "one", "two"]]
TITLES = {
    "titled.xlsx": excel(*TITLED, merged=("A1:C1",)),
    "titled.csv": f"Study 4,,\n,,\nQuestion,Physician,Chatbot\n{LONG},one,two\n".encode(),
    "German.csv": f"Study 4\n\nQuestion;Physician;Chatbot\n{LONG};one;two\n".encode(),
}


@pytest.mark.parametrize("name", TITLES)
def test_title_above_the_names_is_left_out_with_a_note(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(TITLES[name])
    problems = Problems()
    table = read_spreadsheet(tmp_path / name, problems)
    assert table is not None
    assert list(table.columns) == ["Question", "Physician", "Chatbot"]
    assert list(table.rows) == [4]
    (note,) = problems.notes
    assert note.found == "a title above the column names (Study 4)"
    assert note.allowed.endswith("the names were taken from row 3")


def test_numbers_in_a_column_without_a_name_are_ignored(tmp_path: Path) -> None:
    for name, data in (("a.csv", b",Question\n0,a\n1,b\n"), ("a.xlsx", excel([None, "Question"], [0, "a"], [1, "b"]))):
        table, problems = read(tmp_path, name, data)
        assert table is not None
        assert list(table.columns["Question"]) == ["a", "b"]
        assert problems == []


def test_sheet_with_a_header_only_has_no_rows(tmp_path: Path) -> None:
    table, problems = read(tmp_path, "a.xlsx", excel(["Question", None, "Reply"]))
    assert table is not None
    assert list(table.columns) == ["Question", "Reply"]
    assert problems == []


def test_dates_numbers_and_every_script_are_kept_as_text(tmp_path: Path) -> None:
    family, arabic = "That is hard 😢👩‍👩‍👧", "هذا صعب جدا"
    # Excel's times have no zone.
    day, moment = datetime(2025, 3, 4), datetime(2025, 3, 4, 9, 5)  # noqa: DTZ001
    rows: list[list[object]] = [["Question", "Day", "Time", "n", "شات"], [family, day, moment, 2.0, arabic]]
    table, problems = read(tmp_path, "a.xlsx", excel(*rows))
    assert table is not None
    assert problems == []
    assert [cells[0] for cells in table.columns.values()] == [family, "2025-03-04", "2025-03-04 09:05:00", "2", arabic]


@pytest.mark.parametrize(
    ("cells", "read_as"),
    [
        (("\u22122", "0", "", "\u20133,5", "NA"), ["-2", "0", "", "-3.5", "NA"]),
        (("1,5", "2", "3.5"), ["1.5", "2", "3.5"]),
        (("1,000", "12,500"), ["1,000", "12,500"]),
        (("1.000", "2,5"), ["1.000", "2,5"]),
        (("1,5", "1,2,3"), ["1,5", "1,2,3"]),
        (("Room 2", "\u22122"), ["Room 2", "\u22122"]),
    ],
)
@pytest.mark.parametrize("name", ["sheet.xlsx", "sheet.csv"])
def test_minus_signs_and_decimal_commas_of_people_are_numbers(
    tmp_path: Path, name: str, cells: Sequence[str], read_as: Sequence[str]
) -> None:
    rows = [["Post", "Warmth"], *([LONG, cell] for cell in cells)]
    data = excel(*rows) if name.endswith(".xlsx") else "\n".join(map(";".join, rows)).encode()
    (tmp_path / name).write_bytes(data)
    problems = Problems()
    table = read_spreadsheet(tmp_path / name, problems)
    assert table is not None
    assert list(table.columns["Warmth"]) == read_as
    changed = ["decimal commas (Warmth)"] if any("." in cell and cell not in cells for cell in read_as) else []
    assert [note.found for note in problems.notes] == changed


def test_merged_cells_are_repeated_with_a_note(tmp_path: Path) -> None:
    rows: list[list[object]] = [
        ["Question", "Written by", "Reply", "Topic"],
        [LONG, "physician", "one", "sleep"],
        [None, "chatbot", "two", None],
        ["Another", "both", "three", 'work <mergeCell ref="A2:A3"/>'],
        ["Last", "physician", "four", "work"],
    ]
    data = excel(*rows, merged=("A2:A3", "D2:D3", "B4:C4", "C9:D9"))
    table, problems = read(tmp_path, "a.xlsx", data)
    assert table is not None
    assert list(table.columns["Question"]) == [LONG, LONG, "Another", "Last"]
    assert list(table.columns["Topic"])[:2] == ["sleep", "sleep"]
    assert list(table.columns["Reply"]) == ["one", "two", "both", "four"]
    assert problems == []
    notes = Problems()
    read_spreadsheet(tmp_path / "a.xlsx", notes)
    (note,) = notes.notes
    assert note.found == "merged cells (A2:A3, D2:D3, B4:C4)"


NOT_SPREADSHEETS = {
    "old.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an old Excel file (.xls), or one with a password"),
    "paper.csv": (b"%PDF-1.7\n\xe2\xe3", "a PDF file"),
    "texts.parquet": (b"question,reply\na,b\n", "text, not a Parquet file"),
    "picture.xlsx": (b"\x89PNG\r\n\x1a\n\0", "a picture"),
    "download.csv": (b"\n<!DOCTYPE html><html><h1>Sign in</h1></html>", "a web page"),
    "text.xlsx": (b"question,reply\na,b\n", "text, not an Excel file"),
    "unicode.csv": ("question,reply\na,b\n".encode("utf-16"), "text in UTF-16"),
}


@pytest.mark.parametrize("name", NOT_SPREADSHEETS)
def test_file_that_is_not_what_its_name_says_is_named_for_what_it_is(name: str, tmp_path: Path) -> None:
    data, found = NOT_SPREADSHEETS[name]
    table, (problem,) = read(tmp_path, name, data)
    assert (table, problem.found) == (None, found)
    assert problem.allowed.startswith("a spreadsheet: .csv, .tsv, .xlsx, .jsonl, .json or .parquet.")


def test_csv_named_as_json_lines_is_one_problem(tmp_path: Path) -> None:
    table, (problem,) = read(tmp_path, "texts.jsonl", b"question,reply\na,b\nc,d\n")
    assert (table, problem.row, problem.found) == (None, 1, "question,reply")
    assert problem.allowed == "one JSON object on each line; the name of a CSV file must end in .csv"


def test_json_array_of_objects_is_read_like_json_lines(tmp_path: Path) -> None:
    objects = ['{"id": 7.0, " reply ": "a"}', '{"id": null, "more": ["x"]}']
    text = "\ufeff[" + ",\n  ".join(objects) + "]"
    array, none = read(tmp_path, "texts.JSON", text.encode())
    lines, _ = read(tmp_path, "texts.jsonl", "\n".join(objects).encode())
    assert array is not None
    assert lines is not None
    assert none == []
    assert {name: list(cells) for name, cells in array.columns.items()} == {
        name: list(cells) for name, cells in lines.columns.items()
    }
    assert (list(array.columns["id"]), list(array.rows)) == (["7.0", ""], [1, 2])


@pytest.mark.parametrize(
    ("data", "row", "found"),
    [
        ('{"items": [{"text": "a"}]}', None, '{"items": [{"text": "a"}]}'),
        ("text,reply", None, "text,reply (not readable as JSON from line 1, character 1 on)"),
        ('{"text": "a"}\n{"text": "b"}', None, '{"text": "a"}\\n{"text": "b"}'),
        ('[{"text": "a"}, ["b"]]', 2, '["b"]'),
        ("[" * 100_000, None, "[[["),
    ],
    ids=["object", "CSV", "one object per line", "array in the array", "deep"],
)
def test_other_json_is_refused_by_name(data: str, row: int | None, found: str, tmp_path: Path) -> None:
    _, (problem,) = read(tmp_path, "texts.json", data.encode())
    assert (problem.file, problem.row) == ("texts.json", row)
    assert problem.found.startswith(found)
    assert problem.allowed.startswith("an array of objects, such as")


def test_line_that_is_not_json_is_named_with_the_character(tmp_path: Path) -> None:
    _, (problem,) = read(tmp_path, "texts.jsonl", b'{"question": "a"}\n{"question": "b"} more\n')
    assert (problem.row, problem.allowed) == (
        2,
        "one JSON object on each line; this one cannot be read from character 19 on",
    )


def test_short_texts_are_found_by_the_names_of_their_columns(tmp_path: Path) -> None:
    sheet = (
        b"question,physician response,chatbot reply,topic\n"
        b"What now with my dog?,Call the vet right away.,Please do call a vet.,dog and cat\n"
        b"How do I tell her?,Say it in one sentence.,Pick a quiet moment soon.,job\n"
    )
    table, _ = read(tmp_path, "short.csv", sheet)
    assert table is not None
    assert [guess.role for guess in guess_columns(table)] == ["text", "response", "response", "attribute"]


@pytest.mark.parametrize(
    ("cells", "role"),
    [(("response 1", "response 2"), "attribute"), (("not empathetic at all",) * 4, "attribute")],
    ids=["names", "words of a scale"],
)
def test_names_and_words_of_a_scale_are_no_texts(cells: tuple[str, ...], role: str, tmp_path: Path) -> None:
    table, _ = read(tmp_path, "names.csv", ("better answer,n\n" + "".join(f"{cell},1\n" for cell in cells)).encode())
    assert table is not None
    assert guess_columns(table)[0].role == role
