"""rating_sessions.csv of an export tells the report of a folder how far raters got."""

import pytest

from app.base.problem import InvalidInputError
from tests.kit.small import read_small

HEADER = "rater,state,condition,arrived_at\n"


def test_exported_rating_sessions_are_read() -> None:
    folder = read_small(rating_sessions=f"{HEADER}r2,finished,told=a,\nr1,expired,,\n,refused,,\n")
    assert folder.arrivals is not None
    assert folder.arrivals.to_numpy().tolist() == [
        ["r1", "expired", None, None, None],
        ["r2", "finished", "told=a", None, None],
        [None, "refused", None, None, None],
    ]
    folder = read_small(rating_sessions="rater,state,condition,version,reworded\nr1,expired,,1,warmth|fit\n")
    assert folder.arrivals is not None
    assert folder.arrivals.to_numpy().tolist() == [["r1", "expired", None, "1", "warmth|fit"]]
    assert read_small().arrivals is None
    assert read_small(rating_sessions=HEADER).arrivals is None


def test_other_file_of_this_name_is_ignored_with_a_note() -> None:
    folder = read_small(rating_sessions="what,ever\n1,2\n")
    assert folder.arrivals is None
    assert any(note.file == "rating_sessions.csv" for note in folder.notes)


@pytest.mark.parametrize(
    ("row", "column"),
    [("r9,finished,", "rater"), ("r1,gone,", "state"), ("r1,refused,", "rater"), (",finished,", "rater")],
)
def test_unknown_rater_or_state_is_a_problem(row: str, column: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        read_small(rating_sessions=f"rater,state,condition\n{row}\n")
    assert [(problem.row, problem.column) for problem in error.value.problems] == [(2, column)]
