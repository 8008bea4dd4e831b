"""A submit that reads the next page in the same statement does what two statements do."""

import pytest
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from app.rating.rater_path import Submission, submit_rating
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from tests.kit.builder import build_study, protocol_of
from tests.kit.stored_raters import FULL, Rater


@pytest.fixture
def rater(engine: Engine) -> tuple[Rater, AssignmentView]:
    """A rater at the first of four trials."""
    with engine.begin() as db:
        build_study(db, protocol_of(design={"raters_per_trial": 2, "trials_per_rater": 4}), n_items=4)
        open_study(db, "study")
    rater = Rater(engine, "anna")
    page = rater.begin()
    assert isinstance(page, AssignmentView)
    return rater, page


def submit(rater: Rater, page: AssignmentView, before: str = "") -> Submission:
    """Submit a page; `before` is a statement that runs between loading and storing it."""
    with rater.engine.begin() as db:
        own = get_own_assignment(db, rater.slug, rater.token, page.token)
        assert own
        if before:
            db.execute(text(before))
        return submit_rating(db, *own, FULL, goes_on=True)


def states(engine: Engine) -> list[str]:
    with engine.connect() as db:
        return list(db.execute(text("SELECT state FROM assignments ORDER BY position")).scalars())


def test_next_page_is_served(engine: Engine, rater: tuple[Rater, AssignmentView]) -> None:
    anna, page = rater
    following = submit(anna, page).following
    assert following
    assert (following.position, following.place, following.previous) == (2, 2, page.token)
    assert states(engine) == ["done", "leased", "planned", "planned"]
    seen = anna.look()
    assert isinstance(seen, AssignmentView)
    assert (seen.token, seen.text, seen.responses) == (following.token, following.text, following.responses)


def test_last_page_has_none_after_it(engine: Engine, rater: tuple[Rater, AssignmentView]) -> None:
    anna, page = rater
    for _ in range(3):
        page = submit(anna, page).following or page
    last = submit(anna, page)
    assert (last.is_stored, last.following) == (True, None)
    assert states(engine) == ["done"] * 4


def test_page_sent_again_leads_to_the_open_one(rater: tuple[Rater, AssignmentView]) -> None:
    anna, page = rater
    first, again = submit(anna, page), submit(anna, page)
    assert first.following
    assert again.following
    assert again.following.token == first.following.token


def test_seat_of_another_rater_serves_nothing(engine: Engine, rater: tuple[Rater, AssignmentView]) -> None:
    anna, page = rater
    lost = submit(anna, page, before="UPDATE assignments SET state = 'skipped' WHERE position = 1")
    assert (lost.is_stored, lost.following) == (False, None)
    assert states(engine) == ["skipped", "planned", "planned", "planned"]


def test_page_of_another_browser_is_read_again(rater: tuple[Rater, AssignmentView]) -> None:
    anna, page = rater
    moved = """
        WITH m AS (INSERT INTO session_moves (study_id, rating_session_id, token_hash, parameters)
                   SELECT study_id, rating_session_id, 'x', '{}' FROM assignments WHERE position = 2
                   RETURNING study_id, id)
        UPDATE assignments SET move_id = m.id, moved_at = now() FROM m WHERE position = 2
    """
    own = submit(anna, page, before=moved)
    assert (own.is_stored, own.following) == (True, None)
    assert isinstance(anna.look(), AssignmentView)
