from __future__ import annotations

import io
from typing import TYPE_CHECKING

from sqlalchemy import event

from app.exchange.folder.read import read_folder
from app.storage.results.ratings_export import copy_ratings_csv
from app.storage.studies.load import load_study
from tests.analysis.golden import HERE

if TYPE_CHECKING:
    from sqlalchemy import Connection


def test_the_ratings_are_searched_once_for_columns_that_are_filled(db: Connection) -> None:
    study = read_folder(HERE / "epitome")
    study_id = load_study(db, study)
    said: list[str] = []
    event.listen(db, "before_cursor_execute", lambda *given: said.append(given[2]))
    copy_ratings_csv(db, study_id, study.protocol, io.BytesIO())
    assert sum("bool_or" in one for one in said) == 1
