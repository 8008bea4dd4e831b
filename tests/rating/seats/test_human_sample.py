"""A study whose people rate a sample of the items: their trials, the judge's, and what is stored and exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.llm.judges.judge_pages import judged_study, planned_requests
from app.llm.judges.judge_settings import JudgeSettings
from app.protocol.allocation.human_sample import IN_SAMPLE, PROBABILITY
from app.rating.checklist import get_opening
from app.rating.life_cycle import get_needs, open_study
from app.results.data.frames import study_frames
from app.studies.export import study_folder
from app.studies.protocols import get_protocol
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

DRAWN = protocol_of(design={"human_sample": {"share": 0.4}, "raters_per_trial": 2})


def test_people_rate_the_sample_and_judges_everything(db: Connection) -> None:
    study = build_study(db, DRAWN, n_items=10)
    protocol = get_protocol(db, study, 1)
    needed = get_needs(db, study, protocol)
    open_study(db, "study")
    counted = db.execute(text("SELECT count(*), count(DISTINCT trial_id) FROM seats")).one()
    of_items = db.execute(text("SELECT count(DISTINCT item_id) FROM trials")).scalar_one()
    assert tuple(counted) == (needed.n_seats, 4)
    assert of_items == 4
    own = get_study(db, "study")
    assert own
    assert list(get_opening(db, own).left_out) == []
    judged = planned_requests(db, judged_study(db, study, 1), JudgeSettings(both_sides=False))
    assert len({one.item_id for one in judged}) == 10


def test_probabilities_are_stored_once_exported_and_no_attributes_of_the_analysis(db: Connection) -> None:
    study = build_study(db, DRAWN, n_items=10)
    open_study(db, "study")
    folder = study_folder(db, study)
    assert set(folder.items[PROBABILITY]) == {"0.4"}
    assert list(folder.items[IN_SAMPLE]).count("true") == 4
    frames = study_frames(db, study)
    assert list(frames.items.columns) == ["item"]
    assert frames.sample is not None
    assert int((~frames.sample["is_out"]).sum()) == 4
    open_study(db, "study")
    assert study_folder(db, study).items.equals(folder.items)
