"""Bytes, CSV and JSON lines as they occur in practice."""

from pathlib import Path

import pytest

from app.analysis.data.study_folder import frames_of
from app.base.files.encoding import line_not_utf8, open_text
from app.base.files.records import read_table
from app.base.problem import InvalidInputError, Problem
from app.base.problems import Problems
from app.studies.folder.read import read_files, read_folder
from tests.kit.small import ITEMS, RATINGS, RESPONSES, problems_in, read_small, small
from tests.real_data.ayers import raw_rows, write_ayers
from tests.real_data.kumar import write_kumar
from tests.real_data.pandalm import write_pandalm


def test_windows_1252_is_detected_per_file_with_note() -> None:
    items = ITEMS.replace("my keys", "my café keys “again”").encode("cp1252").replace(b"again", b"ag\x81in")
    study = read_small(items=items, responses=RESPONSES.replace("Oh", "Öh"))
    assert study.items["text"].iloc[0] == "I lost my café keys “ag\x81in”."
    assert study.responses["text"].iloc[0] == "Öh no!"
    assert [(note.file, note.severity) for note in study.notes] == [("items.csv", "warning")]


def test_byte_order_mark_is_ignored() -> None:
    assert len(read_small(items=b"\xef\xbb\xbf" + ITEMS.encode()).items) == 2


def test_utf_8_is_detected_across_chunk_boundaries() -> None:
    for shift in range(3):
        text = "x" * (2**20 - shift) + "€"
        assert line_not_utf8(text.encode()) is None
        assert line_not_utf8(text.encode()[:-1]) == 1
        assert line_not_utf8(f"a\n{text}\nb".encode()[:-1] + b"\xe9") == 3


def test_every_byte_has_a_character() -> None:
    text = open_text(bytes(range(1, 256)))[0].read()
    assert len(text) == 255
    assert all(ord(text[hole - 1]) == hole for hole in (0x81, 0x8D, 0x8F, 0x90, 0x9D))
    assert text[0x80 - 1] == "€"


def test_carriage_returns_and_quotes_in_cells_are_kept() -> None:
    study = read_small(items=ITEMS.replace("I lost my keys.", '"One\rTwo\r\nThree\n""four"""'))
    assert study.items["text"].iloc[0] == 'One\rTwo\r\nThree\n"four"'


def test_row_numbers_match_the_spreadsheet() -> None:
    items = ITEMS.replace("I lost my keys.", '"One\nTwo\nThree"').replace("\nb,", "\n\n,,,,\nb,")
    problems = problems_in(small(items=f"{items}b,Again,,,sad\n", ratings=None))
    assert [(problem.row, problem.allowed) for problem in problems] == [(6, "each item once (first in row 5)")]


def test_windows_and_old_mac_line_endings_are_read() -> None:
    expected = read_small().ratings
    for end in ("\r\n", "\r"):
        assert read_small(ratings=RATINGS.replace("\n", end)).ratings.equals(expected)


def test_items_and_responses_may_be_json_lines() -> None:
    files = small()
    files["items.jsonl"] = (
        b'{"item": "a", "text": "I lost my keys.", "feels": "sad", "n": 1.50}\n\n'
        b'{"item": "b", "turns": [{"speaker": "A", "text": "Hi"}, {"text": "Hello", "speaker": "B"}],'
        b' "profile": "A neighbour", "feels": "glad", "n": null, "is_old": true}\n'
    )
    del files["items.csv"]
    study = read_files(files)
    expected = read_small().items
    assert study.items[list(expected.columns)].equals(expected)
    assert list(study.items["n"]) == ["1.50", None]
    assert list(study.items["is_old"]) == [None, "true"]


def test_invalid_json_lines_are_reported_by_line() -> None:
    problems = Problems()
    data = b'{"item": "a"}\n[1]\n{"item": \n{"item": "x\\ud800"}\n{"a\\u0000": 1}'
    read_table("items.jsonl", data, problems)
    found = problems_of(problems)
    assert [(problem.row, problem.column) for problem in found] == [(1, "a\\x00"), (2, None), (3, None), (4, "item")]
    assert found[3].found == "U+D800"


def problems_of(problems: Problems) -> list[Problem]:
    with pytest.raises(InvalidInputError) as raised:
        problems.raise_if_any()
    return raised.value.problems


def test_table_in_two_formats_is_a_problem() -> None:
    files = small(ratings=None) | {"items.jsonl": b'{"item": "a", "text": "x"}'}
    assert [(problem.file, problem.found) for problem in problems_in(files)] == [
        ("items.jsonl", "both items.csv and items.jsonl")
    ]


def test_missing_folder_is_a_problem(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="no such folder"):
        read_folder(tmp_path / "nowhere")


def test_ayers_study_is_read_completely(tmp_path: Path, shared: Path) -> None:
    study = read_folder(write_ayers(tmp_path, shared))
    assert (len(study.items), len(study.responses), len(study.raters), len(study.ratings)) == (195, 390, 585, 2925)
    assert study.notes == ()
    preference = study.ratings[study.ratings["question"] == "preference"]
    assert preference["chosen"].str.endswith(":chatgpt").sum() == 460
    raw = raw_rows(shared)
    assert list(study.items["text"]) == [row["Question"] for row in raw]
    assert sum("\r" in row["Question"] for row in raw) > 50


def test_kumar_study_has_dialogues_and_three_rater_kinds(tmp_path: Path, shared: Path) -> None:
    study = read_folder(write_kumar(tmp_path, shared))
    assert study.items["turns"].notna().sum() == 100
    pools = study.raters.groupby(["kind", "pool"]).size().to_dict()
    assert pools == {("model", "judge"): 3, ("person", "crowd"): 116, ("person", "expert"): 3}
    assert study.ratings["question"].nunique() == 21
    assert study.ratings["rated_at"].notna().sum() == 1162


def test_pandalm_study_has_ties_and_notes_empty_responses(tmp_path: Path, shared: Path) -> None:
    study = read_folder(write_pandalm(tmp_path, shared))
    assert study.ratings["outcome"].value_counts().to_dict() == {"response": 2671, "tie": 326}
    assert ["54 responses" in note.allowed for note in study.notes] == [True]
    assert list(frames_of(study).responses.columns) == ["response", "item", "source", "text"]
