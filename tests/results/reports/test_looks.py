"""The declared looks of a stored study are computed once for the same data and the same state of the study."""

from fastapi import FastAPI
from sqlalchemy import Connection, text

from app.rating.life_cycle import close_study, open_study
from app.results.reports.looks import monitoring_lines
from app.studies.studies import get_study
from tests.kit.lead_studies import rate, study_of

PLAN = {"looks": [0.5, 1], "n_ratings": 4, "blind_interim": True}
MADE = text("SELECT begun_at FROM made_files WHERE part LIKE 'looks-%' ORDER BY begun_at")


def test_looks_are_computed_once_for_the_same_data(app: FastAPI, db: Connection) -> None:
    study_id = study_of(db, None, monitoring=PLAN, analysis={"primary": ["preference"]})
    open_study(db, "small")

    def lines() -> str:
        study = get_study(db, "small")
        assert study
        return " ".join(monitoring_lines(app.state.making, app.state.begin_reading, study))

    rate(db, study_id, rater="r1")
    first = lines()
    assert "1 of 4 planned ratings (25%)" in first
    assert "not adjusted for looks" not in first
    made = db.execute(MADE).all()
    assert lines() == first
    assert db.execute(MADE).all() == made
    rate(db, study_id, rater="r2")
    assert "Look 1 (2 ratings): the bound" in lines()
    close_study(db, "small")
    assert "not adjusted for looks" in lines()
    assert len(db.execute(MADE).all()) == 3


def test_study_without_looks_asks_for_no_job(app: FastAPI, db: Connection) -> None:
    study_of(db, None)
    study = get_study(db, "small")
    assert study
    assert monitoring_lines(app.state.making, app.state.begin_reading, study) == []
    assert db.execute(MADE).all() == []
