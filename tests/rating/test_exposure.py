"""The exposure cap: no rater gets more items with a content note than allowed, and nobody has to wait for them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from app.rating.rater_path import protocol_of
from app.rating.seats.trial_list import list_length
from tests.kit.builder import build_study
from tests.kit.builder import protocol_of as parts
from tests.kit.stored_raters import Rater

NOTED = [{"key": f"noted-{n}", "content_note": "A death."} for n in range(6)]
PLAIN = [{"key": f"plain-{n}"} for n in range(2)]
PER_RATER = """
    SELECT count(*) FILTER (WHERE i.content_note IS NOT NULL), count(*)
    FROM assignments a JOIN trials t ON t.id = a.trial_id JOIN items i ON i.id = t.item_id GROUP BY a.rater_id
"""


def open_noted(engine: Engine, **design: object) -> None:
    with engine.begin() as db:
        protocol = parts(design={"raters_per_trial": 1, **design}, flow={"exposure_cap": 2})
        build_study(db, protocol, texts=[*NOTED, *PLAIN])
        open_study(db, "study")


@pytest.mark.parametrize("design", [{}, {"order": "latin_square"}])
def test_exposure_cap_is_kept_and_every_seat_filled(engine: Engine, design: dict[str, object]) -> None:
    open_noted(engine, **design)
    stored = [Rater(engine, f"rater-{n}").go_all_the_way() for n in range(4)]
    assert stored == [4, 2, 2, 0]
    with engine.connect() as db:
        found = sorted(tuple(row) for row in db.execute(text(PER_RATER)))
        states = db.execute(text("SELECT state FROM rating_sessions ORDER BY id")).scalars().all()
    assert found == [(2, 2), (2, 2), (2, 4)]
    assert states == ["finished", "finished", "finished", "full"]


def test_concurrent_raters_keep_exposure_cap(engine: Engine) -> None:
    open_noted(engine)
    with ThreadPoolExecutor(8) as pool:
        stored = list(pool.map(lambda n: Rater(engine, f"rater-{n}").go_all_the_way(), range(8)))
    assert sum(stored) == 8
    with engine.connect() as db:
        assert max(noted for noted, _ in db.execute(text(PER_RATER))) <= 2


@pytest.mark.parametrize("wanted", [1, 2, 3, 4, 5, 8, 9])
def test_reading_part_of_the_trials_announces_the_same_length(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, wanted: int
) -> None:
    open_noted(engine, trials_per_rater=wanted)
    anna, lengths = Rater(engine, "anna"), []
    with engine.begin() as db:
        session = anna.session(db)
        for trials_read in ((1,), (2,), (1, 2), (1000,)):
            monkeypatch.setattr("app.rating.seats.trial_list.TRIALS_READ", trials_read)
            lengths.append(list_length(db, session, protocol_of(db, session)))
    assert lengths == [min(wanted, 4)] * 4


def test_announced_length_respects_exposure_cap(engine: Engine) -> None:
    open_noted(engine)
    anna = Rater(engine, "anna")
    with engine.begin() as db:
        session = anna.session(db)
        assert list_length(db, session, protocol_of(db, session)) == 4
