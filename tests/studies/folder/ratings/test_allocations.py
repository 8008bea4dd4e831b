"""Allocations in ratings.csv: one row per response, and the row and column of problems with a whole allocation."""

import pytest

from app.base.problem import InvalidInputError, Problem
from app.studies.folder.read import read_files

YAML = """\
attune: 1
slug: shared
title: How good is each reply?
sources: {person: {kind: human}, one: {kind: model}, two: {kind: model}}
questions:
  - {key: shares, type: allocation, text: Share 10 points., points: 10}
"""
FILES = {
    "study.yaml": YAML,
    "items.csv": "item,text\na,I lost my keys.\n",
    "responses.csv": "item,source,text,response\n" + "".join(f"a,{s},Oh.,a-{s}\n" for s in ("person", "one", "two")),
}

WAYS_OUT = "add a response to it, delete its row, or ask about pairs or single responses instead"


def read(*rows: str) -> list[Problem]:
    ratings = "rater,item,response,question,value\n" + "".join(f"r1,a,a-{row}\n" for row in rows)
    try:
        read_files({name: text.encode() for name, text in (FILES | {"ratings.csv": ratings}).items()})
    except InvalidInputError as error:
        return [problem for problem in error.problems if problem.severity == "error"]
    return []


def test_points_are_read_as_numbers_per_response() -> None:
    ratings = "rater,item,response,question,value\nr1,a,a-person,shares,6\nr1,a,a-one,shares,4\nr1,a,a-two,shares,0\n"
    files = {name: text.encode() for name, text in (FILES | {"ratings.csv": ratings}).items()}
    found = read_files(files).ratings
    assert dict(zip(found["response"], found["number"], strict=True)) == {"a-person": 6, "a-one": 4, "a-two": 0}


@pytest.mark.parametrize(
    ("rows", "row", "column", "words"),
    [
        (["person,shares,6", "one,shares,4"], 2, "response", "an allocation of all responses"),
        (["person,shares,6", "one,shares,4"], 2, "response", "there are no points for a-two"),
        (["person,shares,6", "one,shares,4", "two,shares,1"], 2, "value", "add up to 10 over the responses"),
        (["person,shares,11", "one,shares,0", "two,shares,0"], 2, "value", "a whole number from 0 to 10"),
        (["person,shares,some", "one,shares,0", "two,shares,10"], 2, "value", "a whole number from 0 to 10"),
    ],
)
def test_invalid_allocation_is_reported_by_row_and_column(rows: list[str], row: int, column: str, words: str) -> None:
    problem, *_ = read(*rows)
    assert (problem.file, problem.row, problem.column) == ("ratings.csv", row, column)
    assert words in problem.allowed


def test_item_with_two_responses_is_refused() -> None:
    files = FILES | {"responses.csv": FILES["responses.csv"].replace("a,two,Oh.,a-two\n", "")}
    with pytest.raises(InvalidInputError) as refused:
        read_files({name: text.encode() for name, text in files.items()})
    (problem,) = [one for one in refused.value.problems if one.severity == "error"]
    assert problem.allowed == f"an item with at least 3 responses to share points among; this item has 2: {WAYS_OUT}"
