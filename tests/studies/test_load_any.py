"""Everything that passes validation can be stored, and is exported unchanged."""

from hypothesis import HealthCheck, given, settings
from sqlalchemy import Connection

from app.analysis.data.study_folder import StudyFolder, is_same
from app.base.problem import InvalidInputError
from app.studies.export import study_folder
from app.studies.folder.read import read_files
from app.studies.load import load_study
from tests.kit.examples import examples
from tests.studies.folder.test_any_bytes import broken
from tests.studies.folder.test_round_trip import studies

# Each example leaves the database unchanged.
SHARES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def _comes_back(db: Connection, study: StudyFolder) -> None:
    place = db.begin_nested()
    try:
        assert is_same(study_folder(db, load_study(db, study)), study)
    finally:
        place.rollback()


@given(files=broken())
@settings(SHARES, max_examples=examples(25))
def test_damaged_but_valid_study_round_trips(db: Connection, files: dict[str, bytes]) -> None:
    try:
        study = read_files(files)
    except InvalidInputError:
        return
    _comes_back(db, study)


@given(study=studies())
@settings(SHARES, max_examples=examples(10))
def test_any_study_round_trips(db: Connection, study: StudyFolder) -> None:
    _comes_back(db, study)
