"""Checks make a round trip: exported to checks.csv, read, loaded, and exported again."""

from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal
from sqlalchemy import Connection

from app.base.problem import InvalidInputError
from app.results.data.frames import study_frames
from app.studies.export import study_events, study_folder
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from app.studies.load import load_study
from tests.kit.small import read_small

CHECKS = """\
rater,check,is_passed,happened_at
r1,look,false,2026-11-21T10:01:00.500000Z
r1,gold-1,true,2026-11-21T10:02:00Z
"""


def test_checks_round_trip_through_database_and_export(db: Connection, tmp_path: Path) -> None:
    folder = read_small(checks=CHECKS)
    assert folder.checks is not None
    assert folder.checks["is_passed"].tolist() == [False, True]
    study_id = load_study(db, folder)
    stored = study_frames(db, study_id).checks
    assert stored is not None
    assert_frame_equal(stored, folder.checks)
    write_folder(tmp_path / "out", study_folder(db, study_id), events=study_events(db, study_id))
    read = read_folder(tmp_path / "out").checks
    assert read is not None
    assert_frame_equal(read, folder.checks)


def test_study_without_checks_has_none(db: Connection, tmp_path: Path) -> None:
    study_id = load_study(db, read_small())
    assert study_frames(db, study_id).checks is None
    write_folder(tmp_path / "out", study_folder(db, study_id), events=study_events(db, study_id))
    assert read_folder(tmp_path / "out").checks is None


def test_unrelated_checks_file_is_ignored_with_note() -> None:
    folder = read_small(checks="what,ever\n1,2\n")
    assert folder.checks is None
    assert any(note.file == "checks.csv" for note in folder.notes)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("r9,look,true,2026-11-21", "rater"),
        ("r1,look,perhaps,2026-11-21", "is_passed"),
        ("r1,look,true,soon", "happened_at"),
    ],
)
def test_invalid_check_is_a_problem(row: str, column: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        read_small(checks=f"rater,check,is_passed,happened_at\n{row}\n")
    assert [(problem.row, problem.column) for problem in error.value.problems] == [(2, column)]
