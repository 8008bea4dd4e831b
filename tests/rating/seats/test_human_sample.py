"""A study whose people rate a sample of the items: their trials, the judge's, and what is stored and exported."""

import pytest
from sqlalchemy import Connection, text

from app.llm.judges.judge_pages import judged_study, planned_requests
from app.llm.judges.judge_settings import JudgeSettings
from app.protocol.allocation.human_sample import IN_SAMPLE, PROBABILITY, STAGE, last_stage, outside
from app.protocol.allocation.trials import PlannedItem
from app.rating.checklist import get_opening
from app.rating.life_cycle import OpeningError, close_study, get_needs, grow_sample, open_study, pause_study
from app.rating.seats.trials import list_items
from app.results.data.frames import study_frames
from app.studies.export import study_folder
from app.studies.protocols import get_protocol
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of

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


def test_sample_grows_with_trials_seats_and_columns(db: Connection) -> None:
    study = build_study(db, DRAWN, n_items=10)
    open_study(db, "study")
    before = study_folder(db, study).items.set_index("item")
    pause_study(db, "study")
    added = grow_sample(db, "study", {"item-3": 4.0}, 3, stage=1)
    after = study_folder(db, study).items.set_index("item")
    is_new = (before[IN_SAMPLE] == "false") & (after[IN_SAMPLE] == "true")
    assert int(is_new.sum()) == added
    assert 2 <= added <= 4
    assert set(after.loc[is_new, STAGE]) == {"2"}
    assert set(after.loc[before[IN_SAMPLE] == "true", STAGE]) == {"1"}
    assert after[PROBABILITY].astype(float).min() >= 0.4
    own = get_study(db, "study")
    assert own
    assert own.status == "paused"
    counted = db.execute(text("SELECT count(*), count(DISTINCT trial_id) FROM seats")).one()
    of_items = db.execute(text("SELECT count(DISTINCT item_id) FROM trials")).scalar_one()
    assert tuple(counted) == (get_needs(db, study, get_protocol(db, study, 1)).n_seats, of_items)
    assert of_items == 4 + added
    # opening again changes nothing
    open_study(db, "study")
    assert study_folder(db, study).items.set_index("item").equals(after)


def test_growth_is_refused_with_the_reason(db: Connection) -> None:
    build_study(db, DRAWN, n_items=10)
    with pytest.raises(OpeningError, match="drawn when you open"):
        grow_sample(db, "study", {}, 1, stage=0)
    open_study(db, "study")
    with pytest.raises(OpeningError, match="1 to 6 items; found 7"):
        grow_sample(db, "study", {}, 7, stage=1)
    grow_sample(db, "study", {}, 1, stage=1)
    with pytest.raises(OpeningError, match="added to the sample meanwhile"):
        grow_sample(db, "study", {}, 1, stage=1)
    rest = get_study(db, "study")
    assert rest
    while (left := len(outside_of(db, rest.id))) > 0:
        grow_sample(db, "study", {}, left, stage=stage_of(db, rest.id))
    with pytest.raises(OpeningError, match="All items are in the sample"):
        grow_sample(db, "study", {}, 1, stage=2)
    close_study(db, "study")
    with pytest.raises(OpeningError, match="closed"):
        grow_sample(db, "study", {}, 1, stage=2)
    build_study(db, protocol_of("whole"))
    open_study(db, "whole")
    with pytest.raises(OpeningError, match="People rate all items"):
        grow_sample(db, "whole", {}, 1, stage=1)


def outside_of(db: Connection, study: int) -> list[PlannedItem]:
    return outside(get_protocol(db, study, 1), list_items(db, study))


def stage_of(db: Connection, study: int) -> int:
    return last_stage(list_items(db, study))
