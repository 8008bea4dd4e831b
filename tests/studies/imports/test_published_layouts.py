"""What published data sets look like: texts instead of IDs, common names for other things, lists in cells."""

from pathlib import Path
from typing import Any

import pytest

from app.studies.imports.column_meanings import NewRaters
from tests.kit.small import RESPONSES, read_small
from tests.studies.imports.imported import answers, only_problem, problems, read

ONE = NewRaters(rater="x", are_welcome=True)


def test_raters_may_be_named_in_a_column_for_each_source(tmp_path: Path) -> None:
    text = "item,rating_person,rating_model-1,annotator_person,annotator_model-1\na,3,1,ann,bea\na,2,2,cem,ann\n"
    found = read(tmp_path, text, rater="annotator_{source}", questions={"warmth": "rating_{source}"})
    assert answers(found) == answers(read(tmp_path, text, questions={"warmth": "rating_{source}"}))
    assert answers(found) == [
        ("ann", "a", "a:person", "warmth", 3.0),
        ("bea", "a", "a:model-1", "warmth", 1.0),
        ("cem", "a", "a:person", "warmth", 2.0),
        ("ann", "a", "a:model-1", "warmth", 2.0),
    ]


def test_column_without_its_own_raters_is_named(tmp_path: Path) -> None:
    text = "item,rating_person,rating_model-1,annotator_person\na,3,1,ann\n"
    named: dict[str, Any] = {"rater": "annotator_{source}", "questions": {"warmth": "rating_{source}"}}
    problem = only_problem(tmp_path, text, **named)
    assert problem == (
        1,
        "rating_model-1",
        "none",
        "one column of raters like annotator_{source} for the answers in rating_model-1",
    )
    nobody = only_problem(tmp_path, text.replace("annotator", "who"), **named)
    assert nobody[3] == "a column like annotator_{source}"


def test_columns_named_for_another_part_are_not_guessed(tmp_path: Path) -> None:
    """A column called `response` that holds the ratings, `item` the rater and `source` the question."""
    text = "item,post,source,who wrote,response\nx,a,warmth,person,3\nx,a,warmth,model-1,1\n"
    named: dict[str, Any] = {
        "rater": "item",
        "item": "post",
        "question": "source",
        "source": "who wrote",
        "value": "response",
    }
    assert answers(read(tmp_path, text, **named)) == [
        ("x", "a", "a:person", "warmth", 3.0),
        ("x", "a", "a:model-1", "warmth", 1.0),
    ]


def test_common_names_with_other_contents_are_ignored(tmp_path: Path) -> None:
    text = "item,source,response,post,warmth person\n17,Reddit,Dear patient,a,3\n"
    found = read(tmp_path, text, raters=ONE)
    assert answers(found) == [("x", "a", "a:person", "warmth", 3.0)]
    assert [note.column for note in found.notes] == ["item", "response", "source"]
    assert found.notes[2].allowed == "sources of the study in a column of this name; it was ignored"


def test_items_and_responses_are_found_by_their_texts(tmp_path: Path) -> None:
    text = 'item,response,warmth\n"I lost  my keys.","I am sorry",1\nI lost my keys.,Oh no!,3\n'
    assert answers(read(tmp_path, text, raters=ONE)) == [
        ("x", "a", "a:model-1", "warmth", 1.0),
        ("x", "a", "a:person", "warmth", 3.0),
    ]


def test_two_responses_of_one_source_are_told_apart_by_their_texts(tmp_path: Path) -> None:
    text = "item,source,response,warmth\nb,person,Better.,3\nb,person,Good.,1\n"
    assert [(response, value) for _, _, response, _, value in answers(read(tmp_path, text, raters=ONE))] == [
        ("b2", 3.0),
        ("b1", 1.0),
    ]
    same = read_small(responses=RESPONSES.replace("Better.", "Good."), ratings=None)
    found = problems(tmp_path, text, study=same, raters=ONE)
    assert ("Good.", "the ID of a response, because several responses have this text") in {
        (one.found, one.allowed) for one in found
    }


@pytest.mark.parametrize("cell", ['["validates", "asks"]', "['asks', 'validates']", '["Asks","validates"]'])
def test_list_of_codes_in_a_cell_is_read(tmp_path: Path, cell: str) -> None:
    quoted = cell.replace('"', '""')
    found = read(tmp_path, f'item,source,does\na,person,"{quoted}"\n', raters=ONE)
    assert [value for *_, value in answers(found)] == ["asks|validates"]


def test_list_of_one_answer_is_read_and_of_several_refused_by_name(tmp_path: Path) -> None:
    assert [value for *_, value in answers(read(tmp_path, "item,source,warmth\na,person,[3]\n", raters=ONE))] == [3.0]
    row, column, found, allowed = only_problem(tmp_path, 'item,source,warmth\na,person,"[3, 2, 2]"\n', raters=ONE)
    assert (row, column, found) == (2, "warmth", "[3, 2, 2]")
    assert allowed.startswith("one answer in each cell, not a JSON array of several")
    assert only_problem(tmp_path, "item,source,warmth\na,person,[hot\n", raters=ONE)[2] == "[hot"


def test_recoded_number_is_recognized_in_every_spelling(tmp_path: Path) -> None:
    text = "item,source,warmth,does\na,person,0.0,0\na,model-1,00,1.0\n"
    recoded = {("warmth", "0"): "1", ("does", "0.0"): "asks", ("does", "1"): ""}
    found = read(tmp_path, text, raters=ONE, recoded=recoded)
    assert [value for *_, value in answers(found)] == [1.0, "asks", 1.0]
