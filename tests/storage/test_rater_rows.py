from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.exchange.folder.read import read_files
from app.storage.results.rater_rows import list_rater_rows
from app.storage.studies.load import load_study
from tests.web.lead.folder import N_ITEMS, rated_folder

if TYPE_CHECKING:
    from sqlalchemy import Connection


def test_side_counts_include_only_choices(db: Connection) -> None:
    study_id = load_study(db, read_files(rated_folder()))
    # Each response of a pair is on one side; this rater always chose the left one.
    db.execute(
        text("""
            UPDATE ratings
            SET side = CASE WHEN response_id IS NULL OR response_id % 2 = 0 THEN 'left' ELSE 'right' END
        """)
    )
    assert {(row.n_sides, row.n_left) for row in list_rater_rows(db, study_id)} == {(N_ITEMS, N_ITEMS)}
