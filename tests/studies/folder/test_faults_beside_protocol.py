"""With problems in study.yaml or another file, those of ratings.csv that need no protocol are listed too."""

import pytest

from tests.kit.small import ITEMS, RATERS, RATINGS, RESPONSES, problems_in, small

NO_PROTOCOL = "attune: 1\nslug: small\nquestions: nonsense\n"
ROW_13 = {
    "rX,a,a:person,warmth,1,,,,,,,,": ("rater", "rX", "r1 or r2"),
    "r2,zz,,emotion,sad,,,,,,,,": ("item", "zz", "a or b"),
    "r2,a,a:nobody,warmth,1,,,,,,,,": ("response", "a:nobody", "a:person, a:model-1, b1, b2 or b3"),
    "r2,b,,preference,b1,,,b1,b9,,,,": ("right_response", "b9", "a response in responses.csv, or its source"),
    "r2,a,,why,Because,,-2,,,,,,": ("turn", "-2", "a whole number, 1 or more"),
    "r2,a,,why,Because,,,,,middle,,,": ("side", "middle", "left or right"),
    "r2,a,,why,Because,,,,,,,yesterday,": ("rated_at", "yesterday", "ISO 8601"),
    "r2,a,,why,Because,,,,,,,,soon": ("active_ms", "soon", "a whole number, 0 or more"),
}


@pytest.mark.parametrize("row", ROW_13)
def test_problems_of_ratings_are_listed_beside_those_of_study_yaml(row: str) -> None:
    problems = problems_in(small(study=NO_PROTOCOL, ratings=f"{RATINGS}{row}\n"))
    assert {problem.file for problem in problems} == {"study.yaml", "ratings.csv"}
    (found,) = (problem for problem in problems if problem.file == "ratings.csv")
    column, cell, allowed = ROW_13[row]
    assert (found.row, found.column, found.found) == (13, column, cell)
    assert allowed in found.allowed


@pytest.mark.parametrize("row", RATINGS.splitlines()[1:])
def test_correct_ratings_have_no_problem_without_a_protocol(row: str) -> None:
    ratings = f"{RATINGS.splitlines()[0]}\n{row}\n"
    assert {problem.file for problem in problems_in(small(study=NO_PROTOCOL, ratings=ratings))} == {"study.yaml"}


def test_missing_and_unknown_columns_are_listed_beside_study_yaml() -> None:
    problems = problems_in(small(study=NO_PROTOCOL, ratings="rater,item,question,valu\nr1,a,why,x\n"))
    assert [problem.sentence() for problem in problems if problem.file == "ratings.csv"] == [
        'ratings.csv, row 1, column value: found "valu"; allowed: a column named value.'
    ]


def test_tables_that_cannot_be_read_are_not_held_against_the_ratings() -> None:
    broken = {"items": ITEMS.replace("item,", "it,"), "responses": RESPONSES.replace("source", "by")}
    problems = problems_in(small(ratings=f"{RATINGS}rX,zz,zz:person,warmth,1,,,,,,,,\n", **broken))
    assert {(problem.file, problem.column) for problem in problems} == {
        ("items.csv", "item"),
        ("responses.csv", "source"),
        ("ratings.csv", "rater"),
    }


def test_checks_are_checked_without_a_protocol() -> None:
    files = small(study=NO_PROTOCOL, raters=RATERS)
    files["checks.csv"] = b"rater,check,is_passed,happened_at\nr9,c,true,2026-11-21T10:00:00Z\n"
    assert ("checks.csv", "rater") in {(problem.file, problem.column) for problem in problems_in(files)}
