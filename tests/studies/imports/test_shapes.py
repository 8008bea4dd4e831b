"""Ratings collected elsewhere, in each common shape of spreadsheet."""

from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import Workbook

from app.studies.imports.answer_table import cell_readers
from app.studies.imports.column_meanings import NewRaters
from tests.kit.small import read_small
from tests.studies.imports.imported import answers, problems, read

WARMTH = [("x", "a", "a:person", "warmth", 3.0), ("x", "a", "a:model-1", "warmth", 1.0)]
ONE = NewRaters(rater="x", are_welcome=True)


@pytest.mark.parametrize(
    "text",
    [
        "rater,item,response,question,value\nx,a,a:person,warmth,3\nx,a,a:model-1,warmth,1\n",
        "rater,response,question,value\nx,a:person,warmth,3\nx,a:model-1,warmth,1\n",
        "Annotator,Item ID,System,Dimension,Score\nx,a,person,Warmth,warm\nx,a,Model 1,Warmth,cold\n",
        "rater,item,source,warmth\nx,a,person,3\nx,a,model-1,1\n",
        "rater_id,item,warmth_person,Warmth (model-1)\nx,a,3,1\n",
        "item,x warmth person,x warmth model-1\na,3,1\n",
        "post,x warmth person,x warmth model-1\na,3,1\n",
    ],
    ids=[
        "a row per answer",
        "a row per answer, items told by responses",
        "a row per answer, other names",
        "a row per rater and response",
        "a row per rater and item",
        "a row per item, columns per rater",
        "a row per item, the column of items told by its content",
    ],
)
def test_standard_column_names_are_guessed(tmp_path: Path, text: str) -> None:
    assert answers(read(tmp_path, text)) == WARMTH


def test_patterns_map_differently_named_columns(tmp_path: Path) -> None:
    text = "n,R1 W(person),R1 W(model-1),R2 W(person),R2 W(model-1)\na,3,1,2,\n"
    found = read(tmp_path, text, item="n", questions={"warmth": "R{rater} W({source})"})
    assert answers(found) == [
        ("1", "a", "a:person", "warmth", 3.0),
        ("1", "a", "a:model-1", "warmth", 1.0),
        ("2", "a", "a:person", "warmth", 2.0),
    ]
    assert [note.found for note in found.notes] == ["1 empty cells"]


def test_one_pattern_can_map_all_questions(tmp_path: Path) -> None:
    text = "item,1/warmth/person,1/fit/person,1/length/person\na,3,0.5,17\n"
    found = read(tmp_path, text, value="{rater}/{question}/{source}")
    assert [(question, value) for _, _, _, question, value in answers(found)] == [("warmth", 3.0), ("fit", 0.5)]


def test_a_row_per_rater_has_columns_for_each_item(tmp_path: Path) -> None:
    text = "who,a W person,a W model-1,b W model-1\nx,3,1,\ny,2,,1\n"
    found = read(tmp_path, text, rater="who", questions={"warmth": "{item} W {source}"})
    assert answers(found) == [
        *WARMTH,
        ("y", "a", "a:person", "warmth", 2.0),
        ("y", "b", "b3", "warmth", 1.0),
    ]
    (wrong,) = problems(tmp_path, "who,z W person\nx,3\n", rater="who", questions={"warmth": "{item} W {source}"})
    assert (wrong.column, wrong.found) == ("z W person", "z")


QUALTRICS = """StartDate,Status,ResponseId,Q1_a_person,Q1_a_model-1
Start Date,Response Type,Response ID,How warm is it? - Person,How warm is it? - Model
"{""ImportId"":""startDate"",""timeZone"":""UTC""}","{""ImportId"":""status""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1_1""}","{""ImportId"":""QID1_2""}"
2026-03-01 10:00:00,IP Address,x,3,1
2026-03-01 11:00:00,Survey Preview,R_2,2,2
"""


@pytest.mark.parametrize("status", ["Survey Preview", "1"])
def test_three_header_rows_of_qualtrics_and_previews_are_left_out(tmp_path: Path, status: str) -> None:
    text = QUALTRICS.replace("Survey Preview", status)
    found = read(tmp_path, text, rater="ResponseId", questions={"warmth": "Q1_{item}_{source}"})
    assert answers(found) == WARMTH
    assert "1 previews of the survey" in [note.found for note in found.notes]


def test_columns_can_be_named_explicitly(tmp_path: Path) -> None:
    text = "who,situation,reply,what,points\nx,a,a:person,warmth,3\n"
    found = read(tmp_path, text, rater="who", item="situation", response="reply", question="what", value="points")
    assert answers(found) == WARMTH[:1]


def test_single_rater_of_a_file_may_be_a_model(tmp_path: Path) -> None:
    raters = NewRaters(rater="judge", kind="model", pool="llm", are_welcome=True)
    found = read(tmp_path, "item,source,warmth\na,person,3\n", raters=raters)
    assert found.raters.to_dict("records") == [
        {"rater": "judge", "kind": "model", "pool": "llm", "is_simulated": False, "is_imported": True}
    ]


@pytest.mark.parametrize("minus", ["-", "\u2212", "\u2013", "\u2212 "])
def test_number_keeps_its_minus_however_it_is_written(minus: str) -> None:
    read_cell = cell_readers(read_small(ratings=None).protocol, {})["each"]
    assert [read_cell(cell) for cell in (f"{minus}1", f"{minus}2")] == ["-1", f"{minus}2"]


def test_labels_and_scale_words_are_converted_to_values(tmp_path: Path) -> None:
    text = (
        "rater,item,preference,emotion,does (person),does (Model 1)\nx,a,Model 1,Glad,validates|ASKS,\nx,b,TIE,sad,,\n"
    )
    with_pairs = text.replace("preference", "preference,left_response,right_response").replace(
        "Model 1,G", "Model 1,,,G"
    )
    found = read(tmp_path, with_pairs.replace("TIE,", "TIE,b1,b3,"))
    assert [(item, question, value) for _, item, _, question, value in answers(found)] == [
        ("a", "preference", "a:model-1"),
        ("a", "emotion", "glad"),
        ("a", "does", "asks|validates"),
        ("b", "preference", "tie"),
        ("b", "emotion", "sad"),
    ]


def test_values_can_be_recoded(tmp_path: Path) -> None:
    text = "item,x preference,x warmth person\na,1,1\nb,NA,NA\n"
    found = read(tmp_path, text, recoded={("preference", "1"): "model-1"}, missing=("NA",))
    assert [value for *_, value in answers(found)] == ["a:model-1", 1.0]


def test_repeated_item_and_rater_answers_count_once(tmp_path: Path) -> None:
    text = "rater,item,source,warmth,emotion,age\nx,a,person,3,sad,30\nx,a,model-1,1,sad,30\n"
    found = [(item, response, question) for _, item, response, question, _ in answers(read(tmp_path, text))]
    assert found == [
        ("a", "a:person", "warmth"),
        ("a", None, "emotion"),
        (None, None, "age"),
        ("a", "a:model-1", "warmth"),
    ]


def test_context_columns_are_imported(tmp_path: Path) -> None:
    text = "rater,item,source,warmth,rated_at,comment\nx,a,person,3,2026-01-02T03:04:05Z,why not\n"
    row = read(tmp_path, text).ratings.iloc[0]
    assert (str(row["rated_at"]), row["comment"]) == ("2026-01-02 03:04:05+00:00", "why not")


def test_unnumbered_items_are_numbered_by_row(tmp_path: Path) -> None:
    study = read_small(items="item,text,feels\n1,One,sad\n", responses="item,source,text\n1,person,Oh\n", ratings=None)
    assert answers(read(tmp_path, "x warmth person\n3\n", study=study)) == [("x", "1", "1:person", "warmth", 3.0)]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("found.tsv", "item\tsource\twarmth\na\tperson\t3\n"),
        ("found.csv", "item;source;warmth\na;person;3\n"),
        ("found.jsonl", '{"item": "a", "source": "person", "warmth": 3}\n'),
    ],
)
def test_other_table_formats_are_read(tmp_path: Path, file: str, text: str) -> None:
    assert answers(read(tmp_path, text, file=file, raters=ONE)) == WARMTH[:1]


def test_excel_file_is_read(tmp_path: Path) -> None:
    book = Workbook()
    assert book.active is not None
    for row in (("item", "source", "warmth"), ("a", "person", 3)):
        book.active.append(row)
    kept = BytesIO()
    book.save(kept)
    assert answers(read(tmp_path, kept.getvalue(), file="found.xlsx", raters=ONE)) == WARMTH[:1]


def test_parquet_file_is_read(tmp_path: Path) -> None:
    table = pd.DataFrame({"item": ["a", "b"], "source": ["person", "person"], "warmth": [3.0, None]})
    table.to_parquet(tmp_path / "made", index=False)
    assert answers(read(tmp_path, (tmp_path / "made").read_bytes(), file="found.parquet", raters=ONE)) == WARMTH[:1]


def test_declared_rater_without_answers_is_marked_as_imported(tmp_path: Path) -> None:
    study = read_small(ratings="rater,item,response,question,value\nr2,a,,emotion,sad\n")
    found = read(tmp_path, "rater,item,emotion\nr1,a,sad\nr2,b,sad\nr3,a,glad\n", study=study)
    assert (list(found.raters["rater"]), found.marked) == (["r3"], ("r1",))


def test_empty_cells_are_no_answers(tmp_path: Path) -> None:
    found = read(tmp_path, "rater,item,emotion,why\nx,a,sad,\nx,b, ,\n")
    assert [question for _, _, _, question, _ in answers(found)] == ["emotion"]
    assert isinstance(found.ratings, pd.DataFrame)
