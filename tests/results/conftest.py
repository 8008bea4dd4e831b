"""A small study whose data are committed."""

import pytest
from sqlalchemy import Engine

from app.studies.folder.read import read_files
from app.studies.load import load_study
from app.studies.studies import StudyRow, get_study
from tests.kit.small import small


@pytest.fixture
def study(engine: Engine) -> StudyRow:
    """The row of the study."""
    with engine.begin() as db:
        load_study(db, read_files(small()))
        found = get_study(db, "small")
    assert found
    return found
