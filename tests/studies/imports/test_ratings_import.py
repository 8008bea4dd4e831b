"""Importing ratings collected elsewhere into a study with its own raters."""

from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine

from app.base.database.engine import transactions
from app.base.problem import InvalidInputError
from app.rating.arrival.invitations import get_person, list_uninvited
from app.rating.life_cycle import open_study
from app.rating.simulation.simulate import list_named_absent
from app.studies.export import study_folder
from app.studies.imports.column_meanings import NewRaters, RatingLayout
from app.studies.imports.pipeline import InStore, StudyChangedError, import_ratings
from app.studies.imports.read_ratings import Ratings
from app.studies.studies import StudyMissingError
from tests.kit.builder import build_study, protocol_of
from tests.kit.database import rows
from tests.kit.raters import rate_as

WELCOME = NewRaters(are_welcome=True, pool="crowd")


@pytest.fixture
def study(engine: Engine) -> int:
    """Two pairs, open to raters, one of whom has rated."""
    with engine.begin() as db:
        made = build_study(db, protocol_of(design={"raters_per_trial": 2}), n_items=2)
        open_study(db, "study")
        assert rate_as(db, "study", "here", 1)
    return made


def sheet(folder: Path, *raters: str) -> Path:
    """A spreadsheet with ratings of the first item by these raters."""
    path = folder / "found.csv"
    path.write_text("rater,item,person empathy\n" + "".join(f"{rater},item-0,3\n" for rater in raters))
    return path


COUNTS = "SELECT (SELECT count(*) FROM trials), (SELECT count(*) FROM seats), (SELECT count(*) FROM assignments)"


def test_imported_ratings_leave_trials_unchanged_and_mark_raters(engine: Engine, study: int, tmp_path: Path) -> None:
    before = rows(engine, COUNTS)
    read = import_ratings(
        InStore(transactions(engine), "study"), Ratings(sheet(tmp_path, "x", "y"), RatingLayout(), WELCOME)
    )
    assert len(read.ratings) == 2
    assert rows(engine, COUNTS) == before
    assert rows(engine, "SELECT key, pool, is_imported FROM raters ORDER BY key") == [
        ("here", None, False),
        ("x", "crowd", True),
        ("y", "crowd", True),
    ]
    assert rows(engine, "SELECT count(*) FROM ratings WHERE assignment_id IS NULL") == [(2,)]


def test_imported_raters_are_neither_invited_nor_simulated(engine: Engine, study: int, tmp_path: Path) -> None:
    import_ratings(InStore(transactions(engine), "study"), Ratings(sheet(tmp_path, "x"), RatingLayout(), WELCOME))
    with engine.connect() as db:
        assert list_uninvited(db, study, is_without_pools=True) == {}
        assert list_named_absent(db, study) == []
        assert get_person(db, study, "x") is None


def test_attune_rater_cannot_receive_imported_ratings(engine: Engine, study: int, tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as raised:
        import_ratings(
            InStore(transactions(engine), "study"), Ratings(sheet(tmp_path, "x", "here"), RatingLayout(), WELCOME)
        )
    assert ("rater", "here") in {(problem.column, problem.found) for problem in raised.value.problems}
    assert rows(engine, "SELECT count(*) FROM raters") == [(1,)]


def test_dry_run_saves_nothing(engine: Engine, study: int, tmp_path: Path) -> None:
    file = sheet(tmp_path, "x")
    read = import_ratings(
        InStore(transactions(engine), "study"), Ratings(file, RatingLayout(), WELCOME), is_dry_run=True
    )
    assert (len(read.ratings), rows(engine, "SELECT count(*) FROM raters")) == (1, [(1,)])


def test_concurrent_imports_of_same_raters_do_not_both_succeed(engine: Engine, study: int, tmp_path: Path) -> None:
    begin, file = transactions(engine), sheet(tmp_path, "x")
    n_begun = 0

    def begin_late() -> AbstractContextManager[Connection]:
        """Run the other import between reading and saving."""
        nonlocal n_begun
        n_begun += 1
        if n_begun == 2:
            import_ratings(InStore(begin, "study"), Ratings(file, RatingLayout(), WELCOME))
        return begin()

    with pytest.raises(StudyChangedError):
        import_ratings(InStore(begin_late, "study"), Ratings(file, RatingLayout(), WELCOME))
    assert rows(engine, "SELECT count(*) FROM ratings WHERE assignment_id IS NULL") == [(1,)]


def test_later_import_adds_answers_to_known_rater(engine: Engine, study: int, tmp_path: Path) -> None:
    begin = transactions(engine)
    import_ratings(InStore(begin, "study"), Ratings(sheet(tmp_path, "x"), RatingLayout(), WELCOME))
    other = tmp_path / "other.csv"
    other.write_text("rater,item,person empathy\nx,item-1,3\n")
    import_ratings(InStore(begin, "study"), Ratings(other, RatingLayout(), WELCOME))
    with engine.connect() as db:
        folder = study_folder(db, study)
    assert int(folder.ratings["rater"].eq("x").sum()) == 2


def test_unknown_study_is_reported(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(StudyMissingError):
        import_ratings(InStore(transactions(engine), "nobody"), Ratings(sheet(tmp_path, "x"), RatingLayout(), WELCOME))
