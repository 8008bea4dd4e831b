"""A retired item: nobody else gets it, raters who have it open can finish it, and its ratings stay."""

import pytest
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from app.rating.seats.assignment_view import AssignmentView
from app.results.data.frames import study_frames
from app.results.items.item_rows import bring_back_item, has_special_trials, retire_item
from app.studies.coverage import get_coverage
from tests.kit.builder import build_study, protocol_of
from tests.kit.stored_raters import Rater


@pytest.fixture
def study(engine: Engine) -> int:
    """An open study of three items, each to be rated twice."""
    with engine.begin() as db:
        study_id = build_study(db, protocol_of(design={"raters_per_trial": 2, "order": "fixed"}))
        open_study(db, "study")
    return study_id


def retire(engine: Engine, study: int, item_id: int) -> None:
    with engine.begin() as db:
        retire_item(db, study, item_id, "Names its source")


def test_open_page_of_a_retired_item_can_be_finished_and_the_rest_of_the_list_skips_it(
    engine: Engine, study: int
) -> None:
    first, second = Rater(engine, "first"), Rater(engine, "second")
    page = first.begin()
    assert isinstance(page, AssignmentView)
    second.begin()
    with engine.connect() as db:
        items = list(db.execute(text("SELECT id FROM items ORDER BY id")).scalars())
    other = next(item for item in items if item != page.item_id)
    retire(engine, study, page.item_id)
    retire(engine, study, other)
    assert first.submit(page)
    assert first.go_all_the_way() == 1
    with engine.connect() as db:
        coverage = get_coverage(db, study)
        assert (coverage.n_seats, coverage.retired.n_items) == (2 + coverage.retired.n_rated + _n_open(coverage), 2)
        assert coverage.n_seats + coverage.retired.n_not_needed == 6
        assert len(study_frames(db, study).ratings.query("rater.notna()")["item"].unique()) == 2
        assert {row.item for row in coverage.least} == {"item-" + str(items.index(_left(items, page.item_id, other)))}


def _n_open(coverage: object) -> int:
    return int(coverage.reconciliation.n_open)  # type: ignore[attr-defined]


def _left(items: list[int], *retired: int) -> int:
    return next(item for item in items if item not in retired)


def test_item_that_is_brought_back_is_rated_to_the_end(engine: Engine, study: int) -> None:
    with engine.connect() as db:
        item = db.execute(text("SELECT min(id) FROM items")).scalar_one()
    retire(engine, study, item)
    assert [Rater(engine, name).go_all_the_way() for name in ("a", "b")] == [2, 2]
    assert Rater(engine, "c").begin() == "full"
    with engine.begin() as db:
        assert get_coverage(db, study).n_seats == get_coverage(db, study).n_rated == 4
        bring_back_item(db, study, item)
        assert get_coverage(db, study).n_seats == 6
        assert not has_special_trials(db, study, item)
    assert [Rater(engine, name).go_all_the_way() for name in ("d", "e")] == [1, 1]
