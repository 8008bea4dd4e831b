"""Problems in a spreadsheet of ratings are reported with row, column, what was found and what is allowed."""

from pathlib import Path

import pytest

from app.studies.imports.column_meanings import NewRaters
from tests.kit.small import read_small
from tests.studies.imports.imported import answers, only_problem, problems, read

LONG = "rater,item,source,question,value\nx,a,person,warmth,3\n"


@pytest.mark.parametrize(
    ("row", "column", "found", "allowed"),
    [
        ("x,a,person,warmth,2.5", "value", "2.5", "1, 2 or 3 (the scale of `warmth`)"),
        ("x,a,person,warmth,hot", "value", "hot", "1, 2 or 3 (the scale of `warmth`), or cannot_judge"),
        ("x,z,person,warmth,3", "item", "z", "a or b"),
        ("x,a,nobody,warmth,3", "source", "nobody", "a source in study.yaml: person or model-1"),
        (
            "x,b,person,warmth,3",
            "source",
            "person",
            "the ID or the text of a response (--response), because this source has several responses to the item",
        ),
        ("x,a,person,heat,3", "question", "heat", "preference, warmth"),
        ("x,a,person,warmth,1", "value", "a second answer of x to warmth (1)", "one answer (the first is in row 2)"),
        (",a,person,warmth,1", "rater", "", "r1, r2 or x"),
    ],
)
def test_invalid_row_is_named(tmp_path: Path, row: str, column: str, found: str, allowed: str) -> None:
    problem = only_problem(tmp_path, f"{LONG}{row}\n")
    assert problem[:3] == (3, column, found)
    assert problem[3].startswith(allowed)


def test_value_in_rater_column_is_named_by_that_column(tmp_path: Path) -> None:
    text = "item,R1 warmth person,R2 warmth person\na,3,3.5\n"
    assert only_problem(tmp_path, text)[:3] == (2, "R2 warmth person", "3.5")


def test_unknown_item_is_reported_once_per_row(tmp_path: Path) -> None:
    text = "item,R1 warmth person,R2 warmth person\nz,3,3\n"
    assert only_problem(tmp_path, text, item="item")[:3] == (2, "item", "z")


def test_unknown_raters_are_rejected_unless_new_raters_allowed(tmp_path: Path) -> None:
    _, column, found, allowed = only_problem(tmp_path, "rater,item,emotion\nr3,a,sad\n", raters=NewRaters())
    assert (column, found) == ("rater", "r3")
    assert allowed == "r1 or r2; to add new raters, use --new-raters"
    nobody = read_small(raters="rater,kind\n", ratings=None)
    assert len(read(tmp_path, "rater,item,emotion\nr3,a,sad\n", raters=NewRaters(), study=nobody).ratings) == 1


def test_imported_rater_kind_must_match_study(tmp_path: Path) -> None:
    raters = NewRaters(kind="model", are_welcome=True)
    problem = only_problem(tmp_path, "rater,item,emotion\nr1,a,sad\n", raters=raters)
    assert problem[2:] == ("r1", "a rater with the kind model; in this study the rater has another kind")


def test_imported_ratings_cannot_belong_to_attune_raters(tmp_path: Path) -> None:
    problem = only_problem(tmp_path, "rater,item,emotion\nr1,a,sad\n", rated_here=("r1",))
    assert problem[1:] == ("rater", "r1", "the ID of another rater; this rater has rated in Attune")


def test_duplicate_answers_are_rejected(tmp_path: Path) -> None:
    study = read_small()
    text = "rater,item,preference,emotion,warmth person\nr1,a,model-1,,1\nr1,b,,glad,\n"
    found = problems(tmp_path, text.replace("emotion", "emotion "), study=study)
    assert [(problem.column, problem.n) for problem in found] == [("preference, warmth person and emotion", 3)]
    assert found[0].allowed == "answers that the study does not have yet; remove this one from the file"


def test_duplicate_import_is_summarized(tmp_path: Path) -> None:
    items = "item,text,feels\n" + "".join(f"i{k},Text,sad\n" for k in range(30))
    rows = "".join(f"r1,i{k},sad\n" for k in range(30))
    before = "rater,item,response,question,value\n" + rows.replace(",sad", ",,emotion,sad")
    study = read_small(items=items, responses="item,source,text\n", ratings=before)
    found = problems(tmp_path, f"rater,item,emotion\n{rows}", study=study)
    assert [(one.row, one.n) for one in found] == [(2, 30)]
    assert found[0].found.endswith('"a second answer of r1 to emotion (sad)" (30 cells)')


def test_problems_are_grouped_by_column_with_the_option_that_helps(tmp_path: Path) -> None:
    cells = ["0.0"] * 25_000 + ["1.0", "2.5", "hot", "hot"]
    text = "rater,item,warmth person,emotion\n" + "".join(f"r{n},a,{cell},sad\n" for n, cell in enumerate(cells))
    problem, *others = problems(tmp_path, text)
    assert (others, problem.n) == ([], 25_003)
    assert problem.sentence() == (
        'found.csv, column warmth person, 25,003 cells from row 2 on: found "0.0" (25,000 cells), '
        '"hot" (2 cells) and "2.5" (1 cell); allowed: 1, 2 or 3 (the scale of `warmth`), or cannot_judge.'
    )
    assert problem.option == (
        'If it stands for an answer, use --recode "warmth:0.0=VALUE"; if it means no answer, use --missing "0.0".'
    )


@pytest.mark.parametrize("header", ["rater,item,warmth person", "rater,item,response,question,value", "a,b"])
def test_file_with_only_a_header_has_no_rows(tmp_path: Path, header: str) -> None:
    """It read: found rater, item, ...; allowed: a column of item IDs."""
    assert only_problem(tmp_path, f"{header}\n") == (
        None,
        None,
        "no rows below the column names",
        "at least one row with answers",
    )


def test_two_columns_are_called_columns_and_one_with_a_comma_is_not(tmp_path: Path) -> None:
    """It read “column warmth person and emotion”, and “columns emotion, as felt”."""
    rows = "x,a,3,sad\n" * 2
    (problem,) = problems(tmp_path, f"rater,item,warmth person,emotion\n{rows}")
    assert problem.sentence().startswith("found.csv, columns warmth person and emotion, 2 cells from row 3 on: ")
    (problem,) = problems(
        tmp_path, 'rater,item,"emotion, as felt"\nx,a,hot\ny,a,hot\n', questions={"emotion": "emotion, as felt"}
    )
    assert problem.sentence().startswith("found.csv, column emotion, as felt, 2 cells from row 2 on: ")


@pytest.mark.parametrize(("cell", "found"), [("-1", "-1"), ("\u22121", "-1"), ("\u2013 1", "\u2013 1")])
def test_minus_one_is_not_the_point_1_without_its_minus(tmp_path: Path, cell: str, found: str) -> None:
    assert only_problem(tmp_path, f"rater,item,source,warmth\nx,a,person,{cell}\n")[1:3] == ("warmth", found)


def test_option_for_another_column_is_named(tmp_path: Path) -> None:
    found = problems(tmp_path, "rater,item,source,warmth\nx,a,person,3\nx,y,person,3\nx,a,her,3\nx,a,him,3\n")
    assert [(one.column, one.n, one.option.partition("--")[2]) for one in found] == [
        ("item", 1, "item COLUMN."),
        ("source", 2, "source COLUMN."),
    ]


@pytest.mark.parametrize(
    ("text", "columns", "allowed"),
    [
        (LONG, {"item": "post"}, "a column named post"),
        (LONG, {"questions": {"warmth": "R{rater}"}}, "a column like R{rater}"),
        (LONG, {"questions": {"heat": "value"}}, "a question in study.yaml: preference"),
        (LONG, {"value": "points"}, "a column named points"),
        ("rater,item,points\nx,a,3\n", {}, "columns of answers, named with --question KEY=COLUMN or --value COLUMN"),
        ("rater,item,points\nx,a,3\n", {"value": "points"}, "a column that names the question (--question-column)"),
        ("item,emotion\na,sad\n", {}, "a column of raters (--rater), {rater} in the column names"),
        ("rater,emotion\nx,sad\n", {}, "a column of item IDs (--item) or response IDs (--response)"),
        ("rater,one,two,emotion\nx,a,a,sad\n", {}, "a single column of item IDs (--item)"),
        ("item,1 warmth him\na,3\n", {"questions": {"warmth": "{rater} warmth {source}"}}, "a source in study.yaml"),
        ("rater,item,emotion\nx,a,\n", {}, "at least one answer"),
    ],
)
def test_missing_column_names_the_option_to_set_it(
    tmp_path: Path, text: str, columns: dict[str, object], allowed: str
) -> None:
    assert only_problem(tmp_path, text, **columns)[3].startswith(allowed)


def test_mixed_encodings_are_rejected(tmp_path: Path) -> None:
    text = "rater,item,emotion\nJosé,a,sad\nZoë,b,sad\n"
    assert {rater for rater, *_ in answers(read(tmp_path, text.encode("cp1252")))} == {"José", "Zoë"}
    first, second, third = text.splitlines(keepends=True)
    mixed = first.encode() + second.encode("cp1252") + third.encode()
    assert only_problem(tmp_path, mixed)[:2] == (3, "rater")


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    found = problems(tmp_path, f"{LONG}x,z,person,warmth,9\nx,a,nobody,warmth,8\nx,a,model-1,warmth,7\n")
    assert [(problem.row, problem.column) for problem in found] == [(3, "item"), (4, "source"), (5, "value")]


def test_a_file_whose_name_cannot_be_printed_has_its_problems(tmp_path: Path) -> None:
    assert problems(tmp_path, "R", file="a\x07b.csv")[0].file == "a\\x07b.csv"
