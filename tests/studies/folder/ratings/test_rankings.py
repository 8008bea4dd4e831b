"""Rankings in ratings.csv: one row per response, and the row and column of problems with a whole ranking."""

import pytest

from app.base.problem import InvalidInputError, Problem
from app.studies.folder.read import read_files

YAML = """\
attune: 1
slug: ranked
title: Which reply comes first?
sources: {person: {kind: human}, one: {kind: model}, two: {kind: model}}
questions:
  - {key: order, type: ranking, text: Rank the replies.}
  - {key: loose, type: ranking, text: Rank the replies again., ties: true}
"""
ITEMS = "item,text\na,I lost my keys.\nb,It rained.\n"
RESPONSES = "item,source,text,response\n" + "".join(
    f"{item},{source},Oh.,{item}-{source}\n" for item in "ab" for source in ("person", "one", "two")
)
HEADER = "rater,item,response,question,value\n"
RIGHT = "r1,a,a-person,order,2\nr1,a,a-one,order,1\nr1,a,a-two,order,3\n"

WAYS_OUT = "add a response to it, delete its row, or ask about pairs or single responses instead"


def read(ratings: str, responses: str = RESPONSES) -> list[Problem]:
    files = {"study.yaml": YAML, "items.csv": ITEMS, "responses.csv": responses, "ratings.csv": HEADER + ratings}
    try:
        read_files({name: text.encode() for name, text in files.items()})
    except InvalidInputError as error:
        return [problem for problem in error.problems if problem.severity == "error"]
    return []


def test_ranks_are_read_as_numbers_per_response() -> None:
    files = {"study.yaml": YAML, "items.csv": ITEMS, "responses.csv": RESPONSES, "ratings.csv": HEADER + RIGHT}
    ratings = read_files({name: text.encode() for name, text in files.items()}).ratings
    assert dict(zip(ratings["response"], ratings["number"], strict=True)) == {"a-person": 2, "a-one": 1, "a-two": 3}


@pytest.mark.parametrize(
    ("rows", "row", "column", "words"),
    [
        (["person,order,1", "one,order,2"], 2, "response", "no rank for a-two"),
        (["person,order,1", "one,order,1", "two,order,2"], 3, "value", "each rank once (row 2 has the same rank)"),
        (["person,order,1", "one,order,2", "two,order,4"], 4, "value", "no response has rank 3"),
        (["person,loose,1", "one,loose,1", "two,loose,3"], 4, "value", "no response has rank 2"),
        (["person,order,2", "one,order,3", "two,order,4"], 4, "value", "no response has rank 1"),
        (["person,order,first", "one,order,2", "two,order,3"], 2, "value", "the rank of the response, a whole number"),
        (["person,order,1", "one,order,2", "two,order,3", "two,order,3"], 5, "value", "one answer (the first is in"),
    ],
)
def test_invalid_ranking_is_reported_by_row_and_column(rows: list[str], row: int, column: str, words: str) -> None:
    problem, *_ = read("".join(f"r1,a,a-{line}\n" for line in rows))
    assert (problem.file, problem.row, problem.column) == ("ratings.csv", row, column)
    assert words in problem.allowed


def test_rank_requires_a_response() -> None:
    (problem,) = read("r1,a,,order,1\n")
    assert (problem.row, problem.column) == (2, "response")


def test_ties_are_accepted_where_allowed() -> None:
    assert read("r1,a,a-person,loose,1\nr1,a,a-one,loose,2\nr1,a,a-two,loose,2\n") == []


def test_item_with_two_responses_cannot_be_ranked() -> None:
    two = RESPONSES.replace("b,two,Oh.,b-two\n", "")
    (problem,) = read("", two)
    assert (problem.file, problem.row, problem.column, problem.found) == ("items.csv", 3, "item", "b")
    assert problem.allowed == f"an item with at least 3 responses to rank; this item has 2: {WAYS_OUT}"
    *_, in_file = read("r1,b,b-person,order,1\nr1,b,b-one,order,2\n", two)
    assert (
        in_file.allowed
        == "an item with at least 3 responses; this item has 2: add a response to it, or delete this answer"
    )
