"""The context columns of answers in ratings.csv: read, written, and rejected if the value is not allowed."""

import pytest

from app.analysis.data.study_folder import StudyFolder
from app.base.problem import InvalidInputError
from app.studies.folder.read import read_files
from app.studies.folder.written_tables import tables_of
from tests.studies.folder.ratings.test_rankings import ITEMS, RESPONSES, YAML

HEADER = "rater,item,response,question,value,device\n"
CONDITIONS = "conditions: {told: {kind: instruction, levels: {one: Read., two: Read aloud.}}}\n"
RANKED = "r1,a,a-person,order,1,{}\nr1,a,a-one,order,2,\nr1,a,a-two,order,3,desktop\n"


def read(device: str) -> StudyFolder:
    return read_ratings(HEADER + RANKED.format(device))


def read_ratings(ratings: str, conditions: str = "") -> StudyFolder:
    files = {"study.yaml": YAML + conditions, "items.csv": ITEMS, "responses.csv": RESPONSES, "ratings.csv": ratings}
    return read_files({name: text.encode() for name, text in files.items()})


def test_device_round_trips() -> None:
    study = read("phone")
    assert sorted(study.ratings["device"].dropna()) == ["desktop", "phone"]
    assert sorted(tables_of(study)["ratings"]["device"].dropna()) == ["desktop", "phone"]


def test_unknown_device_is_reported_by_row_and_column() -> None:
    with pytest.raises(InvalidInputError) as refused:
        read("fridge")
    (problem,) = (problem for problem in refused.value.problems if problem.severity == "error")
    assert (problem.row, problem.column, problem.allowed) == (2, "device", "phone, tablet or desktop")


@pytest.mark.parametrize(
    ("conditions", "given", "allowed"),
    [
        (CONDITIONS, "told=three", "told=one or told=two"),
        (CONDITIONS, "one", "told=one or told=two"),
        ("", "told=one", "nothing, because the protocol declares no conditions"),
    ],
)
def test_undeclared_condition_is_reported_by_row_and_column(conditions: str, given: str, allowed: str) -> None:
    ratings = HEADER.replace("device", "condition") + RANKED.format("told=one" if conditions else "")
    ratings = ratings.replace("a-one,order,2,", f"a-one,order,2,{given}").replace(",3,desktop", ",3,")
    with pytest.raises(InvalidInputError) as refused:
        read_ratings(ratings, conditions)
    found = next(one for one in refused.value.problems if one.column == "condition")
    assert (found.row, found.found, found.allowed) == (3, given, allowed)


def test_declared_condition_is_kept() -> None:
    ranked = RANKED.format("told=one").replace("2,\n", "2,told=one\n").replace("desktop", "told=one")
    study = read_ratings(HEADER.replace("device", "condition") + ranked, CONDITIONS)
    assert set(study.ratings["condition"]) == {"told=one"}


def with_context(names: str, *cells: str) -> StudyFolder:
    rows = (
        f"r1,a,a-{source},order,{rank},{cells[rank - 1]}" for rank, source in enumerate(("person", "one", "two"), 1)
    )
    return read_ratings(f"rater,item,response,question,value,{names}\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize("position", ["-1", "1.5", "first"])
def test_impossible_position_is_rejected_by_row_and_column(position: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        with_context("position", "1", position, "2")
    (problem,) = (problem for problem in refused.value.problems if problem.severity == "error")
    assert (
        problem.sentence()
        == f'ratings.csv, row 3, column position: found "{position}"; allowed: a whole number, 0 or more.'
    )


def test_positions_from_0_and_answers_before_their_item_was_shown_are_read_with_a_note() -> None:
    times = "rated_at,served_at,position"
    study = with_context(
        times,
        "2026-11-21T10:00:00Z,2026-11-21T10:00:00Z,0",
        "2026-11-21T10:00:00Z,2026-11-21T12:00:01+01:00,0",
        ",2026-11-21T10:00:00Z,1",
    )
    assert [*study.ratings["position"]] == [0, 0, 1]
    said = {note.column: note.sentence() for note in study.notes if note.column in times.split(",")}
    assert said == {
        "position": (
            'ratings.csv, row 2, column position: found "0"; allowed: positions in the rater\'s order from 1; read as '
            "given in 2 rows."
        ),
        "served_at": (
            'ratings.csv, row 3, column served_at: found "2026-11-21T12:00:01+01:00"; allowed: a time that is not '
            "after rated_at, when the answer was given; read as given."
        ),
    }
