"""Every error that an answer can have: row, column, what was found, what is allowed."""

import pytest

from tests.kit.small import RATINGS, YAML, only_problem, problems_in, rated, read_small, small

# an additional row of ratings.csv (row 13), column, found, part of what is allowed
WRONG_ROWS = [
    ("rX,a,a:person,warmth,1,,,,,,,,", "rater", "rX", "r1 or r2"),
    (",a,a:person,warmth,1,,,,,,,,", "rater", "", "r1 or r2"),
    ("r2,a,a:person,warm,1,,,,,,,,", "question", "warm", "preference, warmth, fit"),
    ("r2,zz,a:person,warmth,1,,,,,,,,", "item", "zz", "a or b"),
    ("r2,a,a:nobody,warmth,1,,,,,,,,", "response", "a:nobody", "a response in responses.csv"),
    ("r2,a,b1,warmth,1,,,,,,,,", "response", "b1", "a response to the item in this row"),
    ("r2,a,,warmth,1,,,,,,,,", "response", "", "the question is about a response"),
    ("r2,,a:person,warmth,1,,,,,,,,", "item", "", "the question is about an item"),
    ("r2,b,b1,preference,b1,,,b1,b2,,,,", "response", "b1", "nothing, because the question is about the pair"),
    ("r2,a,a:person,emotion,sad,,,,,,,,", "response", "a:person", "nothing, because the question is about the item"),
    ("r1,a,,age,30,,,,,,,,", "item", "a", "nothing, because the question is about the rater"),
    ("r2,a,a:person,warmth,4,,,,,,,,", "value", "4", "1, 2 or 3 (the scale of `warmth`), or cannot_judge"),
    ("r2,a,a:person,warmth,warm,,,,,,,,", "value", "warm", "1, 2 or 3"),
    ("r2,a,a:person,warmth,,,,,,,,,", "value", "", "1, 2 or 3"),
    ("r2,a,a:person,fit,0.35,,,,,,,,", "value", "0.35", "0 to 1 in steps of 0.1"),
    ("r2,a,a:person,fit,1.1,,,,,,,,", "value", "1.1", "0 to 1 in steps of 0.1"),
    ("r2,a,a:person,fit,cannot_judge,,,,,,,,", "value", "cannot_judge", "0 to 1 in steps of 0.1"),
    ("r2,a,a:person,does,asks|sings,,,,,,,,", "value", "asks|sings", "asks, validates (several joined by |)"),
    ("r2,a,a:person,does,asks|asks,,,,,,,,", "value", "asks|asks", "asks, validates"),
    ("r2,b,,emotion,sad|glad,,,,,,,,", "value", "sad|glad", "sad, glad"),
    ("r2,b,,preference,a:person,,,b1,b2,,,,", "value", "a:person", "person or tie, or the ID of one of"),
    ("r2,b,,preference,b3,,,b1,b2,,,,", "value", "b3", "person or tie, or the ID of one of the two"),
    ("r2,b,,preference,neither,,,b1,b2,,,,", "value", "neither", "person or tie, or the ID"),
    ("r2,a,,preference,neither,,,,,,,,", "value", "neither", "person, model-1 or tie, or the ID of one of the two"),
    ("r2,b,,preference,person,,,b1,b2,,,,", "value", "person", "both responses in this pair are from that source"),
    ("r2,b,,preference,b1,,,,,,,,", "left_response", "", "the two responses compared, because the item has 3"),
    ("r2,b,,preference,b1,,,b1,,,,,", "right_response", "", "the other response of the pair"),
    ("r2,b,,preference,b1,,,,b1,,,,", "left_response", "", "the other response of the pair"),
    ("r2,b,,preference,b1,,,b1,b1,,,,", "right_response", "b1", "a response other than the left one"),
    ("r2,b,,preference,b1,,,b1,a:person,,,,", "right_response", "a:person", "a response to the item in this row"),
    ("r2,b,,preference,b1,,,b1,zz,,,,", "right_response", "zz", "a response in responses.csv, or its source"),
    ("r2,b,,preference,b3,,,person,b3,,,,", "left_response", "person", "that source has several responses"),
    ("r2,b,,preference,b1,4,,b1,b2,,,,", "strength", "4", "1, 2 or 3"),
    ("r2,b,,preference,tie,2,,b1,b2,,,,", "strength", "2", "nothing, because no response was chosen"),
    ("r2,a,a:person,warmth,2,1,,,,,,,", "strength", "1", "the question does not ask for strength"),
    ("r1,b,,each,0,,,,,,,,", "turn", "", "a turn, because the question is about a turn"),
    ("r1,b,,each,0,,3,,,,,,", "turn", "3", "a turn of the dialogue, which has 2"),
    ("r1,b,,each,0,,1.5,,,,,,", "turn", "1.5", "a whole number, 1 or more"),
    ("r1,b,,each,0,,0,,,,,,", "turn", "0", "a whole number, 1 or more"),
    ("r1,b,,each,0.5,,1,,,,,,", "value", "0.5", "-1, 0 or 1"),
    ("r2,a,a:person,warmth,2,,,,,middle,,,", "side", "middle", "left or right"),
    ("r2,b,,preference,b1,,,b1,b2,right,,,", "side", "right", "the side that left_response and right_response give"),
    ("r2,b,b1,warmth,1,,,b1,b2,right,,,", "side", "right", "the side that left_response and right_response give"),
    ("r2,a,a:person,warmth,2,,,,,,-1,,", "repeat", "-1", "a whole number, 0 or more"),
    ("r2,a,a:person,warmth,2,,,,,,99999,,", "repeat", "99999", "a whole number, 0 or more"),
    ("r2,a,a:person,warmth,2,,,,,,,yesterday,", "rated_at", "yesterday", "ISO 8601"),
    # in UTC in the year 10000 or 0
    ("r2,a,a:person,warmth,2,,,,,,,9999-12-31T23:59:59-05:00,", "rated_at", "9999-12-31T23:59:59-05:00", "ISO 8601"),
    ("r2,a,a:person,warmth,2,,,,,,,0001-01-01T00:00:00+05:00,", "rated_at", "0001-01-01T00:00:00+05:00", "ISO 8601"),
    ("r2,a,a:person,warmth,2,,,,,,,,1.5", "active_ms", "1.5", "a whole number, 0 or more"),
    (
        "r1,a,a:person,warmth,1,,,,,,,,",
        "value",
        "a second answer of r1 to warmth (1)",
        "one answer (the first is in row 3)",
    ),
    (
        "r1,b,,preference,b1,,,b2,b1,,,,",
        "value",
        "a second answer of r1 to preference (b1)",
        "one answer (the first is in row 8)",
    ),
    (
        "r2,a,,preference,model-1,,,a:person,a:model-1,,,,",
        "value",
        "a second answer of r2 to preference (model-1)",
        "one answer (the first is in row 12)",
    ),
]


@pytest.mark.parametrize(("row", "column", "found", "allowed"), WRONG_ROWS)
def test_invalid_answer_names_row_column_found_and_allowed(row: str, column: str, found: str, allowed: str) -> None:
    problem = only_problem(ratings=rated(row))
    assert (problem.file, problem.row, problem.column, problem.found) == ("ratings.csv", 13, column, found)
    assert allowed in problem.allowed


RIGHT_ROWS = [
    "r2,a,a:person,warmth, 3.0 ,,,,,,,,",
    "r1,a,a:person,warmth,2,,,,,,1,,",
    "r1,b,,preference,b1,,,b1,b3,left,,,",
    "r2,b,,preference,model-1,,,b1,model-1,,,,",
    "r2,b,b1,does,,,,,,,,,",
    "r1,b,,each,1,,2.0,,,,,,",
    "r2,a,a:person,fit,0.30000,,,,,,,,3e3",
]


@pytest.mark.parametrize("row", RIGHT_ROWS)
def test_alternative_spellings_of_answers_are_accepted(row: str) -> None:
    assert len(read_small(ratings=rated(row)).ratings) == 12


def test_every_problem_is_listed() -> None:
    rows = "rX,a,a:person,warmth,1,,,,,,,,\nr2,a,a:person,warmth,9,,,,,,,,\nr2,a,,preference,none,,,,,,1,,\n"
    problems = problems_in(small(ratings=RATINGS + rows))
    assert [(problem.row, problem.column) for problem in problems] == [(13, "rater"), (14, "value"), (15, "value")]


def test_missing_column_suggests_similar_name() -> None:
    problem = only_problem(ratings=RATINGS.replace("value,", "valeu,", 1))
    assert (problem.file, problem.row, problem.column, problem.found) == ("ratings.csv", 1, "value", "valeu")
    assert problem.allowed == "a column named value"


def test_unknown_rating_column_is_ignored_with_note() -> None:
    table = "\n".join(f"{line},{'mood' if number == 0 else 'x'}" for number, line in enumerate(RATINGS.splitlines()))
    notes = read_small(ratings=table).notes
    assert [(note.file, note.column, note.severity) for note in notes] == [("ratings.csv", "mood", "warning")]


def test_missing_raters_file_is_derived_from_ratings_with_note() -> None:
    study = read_small(raters=None)
    assert study.raters[["rater", "kind"]].to_numpy().tolist() == [["r1", "person"], ["r2", "person"]]
    assert [note.file for note in study.notes] == ["raters.csv"]
    assert study.notes[0].allowed.endswith("is treated as a person: 2 raters")
    of_one = read_small(raters=None, ratings="\n".join(one for one in RATINGS.splitlines() if not one.startswith("r2")))
    assert of_one.notes[0].allowed.endswith("is treated as a person: 1 rater")


def test_time_without_zone_is_utc() -> None:
    times = read_small().ratings["rated_at"].dropna()
    assert [time.isoformat() for time in times] == ["2026-11-21T09:00:00+00:00", "2026-11-21T09:00:01+00:00"]


def test_choice_by_source_is_read_as_its_response() -> None:
    assert read_small().ratings["chosen"].iloc[0] == "a:person"


def test_codes_are_sorted_in_protocol_order() -> None:
    assert read_small().ratings["codes"].iloc[4] == "asks|validates"


def test_repeated_problems_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.base.problems.MAX_OF_A_KIND", 2)
    rows = "".join(f"r2,a,a:person,warmth,9,,,,,,{repeat},,\n" for repeat in range(5))
    problems = problems_in(small(ratings=RATINGS + rows))
    assert [problem.found for problem in problems] == ["9", "9", "3 more rows with this problem"]


MARKED = YAML.replace(
    "  - {key: why,",
    "  - {key: words, target: item, type: highlight, text: Mark it.}\n"
    "  - {key: parts, target: turn, type: highlight, text: Mark it.}\n  - {key: why,",
)


@pytest.mark.parametrize(
    ("row", "found", "allowed"),
    [
        ("r2,a,,words,0-1|9-99,,,,,,,,", "0-1|9-99", "passages within the text, which has 15 characters"),
        ("r2,b,,words,2:0-6,,,,,,,,", "2:0-6", "passages within the turns of the text"),
        ("r2,b,,words,0-1,,,,,,,,", "0-1", "each with the number of its turn; they have 2, 5 characters"),
        ("r2,b,,parts,0-3,,1,,,,,,", "0-3", "passages within the text, which has 2 characters"),
    ],
)
def test_a_mark_beyond_the_text_is_named_with_its_row(row: str, found: str, allowed: str) -> None:
    problem = only_problem(study=MARKED, ratings=rated(row))
    assert (problem.file, problem.row, problem.column, problem.found) == ("ratings.csv", 13, "value", found)
    assert allowed in problem.allowed


@pytest.mark.parametrize(
    "row", ["r2,a,,words,0-1|9-15,,,,,,,,", "r2,b,,words,1:0-2|2:0-5,,,,,,,,", "r2,b,,parts,0-5,,2,,,,,,"]
)
def test_a_mark_within_the_text_is_read(row: str) -> None:
    assert len(read_small(study=MARKED, ratings=rated(row)).ratings) == 12


def test_a_mark_of_a_turn_that_is_not_there_is_a_wrong_turn() -> None:
    problem = only_problem(study=MARKED, ratings=rated("r2,b,,parts,0-1,,3,,,,,,"))
    assert (problem.column, problem.found) == ("turn", "3")


def test_only_the_columns_that_the_answers_need_are_required() -> None:
    choices = "rater,item,question,value\nr1,a,preference,person\nr2,a,preference,tie\n"
    assert list(read_small(ratings=choices).ratings["chosen"]) == ["a:person", None]
    assert len(read_small(ratings="rater,question,value\nr1,age,30\n").ratings) == 1


def test_missing_columns_are_named_with_those_found() -> None:
    problem = only_problem(ratings="rater,item,question,value\nr1,a,warmth,3\n")
    assert (problem.column, problem.found) == ("response", "rater, item, question and value")
    problems = problems_in(small(ratings="rater,value\nr1,3\n"))
    assert [problem.column for problem in problems] == ["item", "response", "question"]
