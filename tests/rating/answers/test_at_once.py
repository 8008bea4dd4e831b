"""Answers stored in one statement: the same rows as by two, and nothing if anything has changed meanwhile."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.base.database.engine import make_hot_connections
from app.rating.answers import at_once_page as at_once
from app.rating.answers.at_once_page import ShownPage
from app.rating.life_cycle import open_study
from app.rating.rating import protocol_of, submit_rating
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from tests.kit.builder import build_study
from tests.kit.builder import protocol_of as protocol
from tests.kit.stored_raters import FULL, Rater

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Engine

    from app.base.database.engine import HotConnections

SAVE = {"slot": ["q0"], "q0": ["right"]}
STORED = text("""
    SELECT a.position, a.state, a.served_at IS NOT NULL AS is_served, a.first_action_at IS NOT NULL AS has_begun,
      a.submitted_at IS NOT NULL AS is_submitted, a.active_ms IS NOT NULL AS has_time, r.question, r.response_id,
      r.number, r.outcome, r.side, r.chosen_response_id, r.exclude, r.left_response_id, r.right_response_id
    FROM assignments a JOIN rating_sessions s ON s.id = a.rating_session_id
    LEFT JOIN ratings r ON r.study_id = a.study_id AND r.assignment_id = a.id
    WHERE s.rater_id = :rater ORDER BY a.position, r.question, r.side
""")
MESSAGE = """
    INSERT INTO rater_messages (study_id, rater_id, batch, text)
    SELECT study_id, id, gen_random_uuid(), 'Hello' FROM raters
"""
N_TRIALS = 4


@pytest.fixture
def db(engine: Engine) -> Iterator[HotConnections]:
    connections = make_hot_connections(engine.url.render_as_string(hide_password=False))
    yield connections
    connections.close()


@pytest.fixture
def anna(engine: Engine) -> Rater:
    """A rater with four trials, who has seen the first."""
    with engine.begin() as db:
        build_study(db, protocol(design={"raters_per_trial": 2, "trials_per_rater": N_TRIALS}), n_items=N_TRIALS)
        open_study(db, "study")
    rater = Rater(engine, "anna")
    assert isinstance(rater.begin(), AssignmentView)
    return rater


def shown(rater: Rater) -> ShownPage:
    """The page that the rater sees now, and what is known about them then."""
    view = rater.look()
    assert isinstance(view, AssignmentView)
    with rater.engine.begin() as db:
        session = rater.session(db)
        return ShownPage.of(protocol_of(db, session), session, view)


def submit(db: HotConnections, page: ShownPage, form: Mapping[str, Sequence[str]] = FULL) -> ShownPage | None:
    return asyncio.run(at_once.submit_at_once(db, page, form))


def stored(rater: Rater) -> list[tuple[object, ...]]:
    with rater.engine.connect() as db:
        return [tuple(row) for row in db.execute(STORED, {"rater": rater.rater_id})]


def change(engine: Engine, statement: str) -> None:
    with engine.begin() as db:
        assert db.execute(text(statement)).rowcount


def test_page_is_stored_and_next_one_is_served(db: HotConnections, anna: Rater) -> None:
    following = submit(db, shown(anna))
    assert following
    assert (following.view.position, following.view.place) == (2, 2)
    seen = anna.look()
    assert isinstance(seen, AssignmentView)
    assert seen == replace(following.view, state="leased", served_at=seen.served_at)


def test_rows_are_those_of_two_statements(engine: Engine, db: HotConnections, anna: Rater) -> None:
    assert submit(db, shown(anna))
    at_once_rows = stored(anna)
    ben = Rater(engine, "ben")
    page = ben.begin()
    assert isinstance(page, AssignmentView)
    with engine.begin() as in_two:
        own = get_own_assignment(in_two, "study", ben.token, page.token)
        assert own
        submit_rating(in_two, *own, FULL, goes_on=True)
    # The two raters have different items.
    rows = [[(*row[:7], row[8], row[10], row[12]) for row in one] for one in (at_once_rows, stored(ben))]
    assert rows[0] == rows[1]


def test_pages_follow_each_other_without_reading_anything_again(db: HotConnections, anna: Rater) -> None:
    page = shown(anna)
    for position in range(2, N_TRIALS + 1):
        following = submit(db, page)
        assert following
        assert following.view.position == position
        page = following
    assert submit(db, page) is None, "after the last page comes something else"


def test_save_is_stored_and_then_the_page(db: HotConnections, anna: Rater) -> None:
    saved = asyncio.run(at_once.save_at_once(db, shown(anna), SAVE))
    assert saved
    assert saved[1].older == ()
    assert [row[12] for row in stored(anna) if row[6]] == ["not submitted"]
    assert submit(db, saved[0])
    assert {row[12] for row in stored(anna) if row[6]} == {None}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rating_sessions SET keys_off = true",
        "UPDATE rating_sessions SET last_seen_at = now()",
        "UPDATE studies SET status = 'paused'",
        "UPDATE studies SET status = 'closed', closed_at = now()",
        "UPDATE assignments SET state = 'returned' WHERE state = 'leased'",
        "UPDATE assignments SET state = 'skipped' WHERE state = 'leased'",
        "UPDATE rating_sessions SET state = 'withdrawn'",
        MESSAGE,
    ],
)
def test_nothing_is_stored_if_something_has_changed(
    engine: Engine, db: HotConnections, anna: Rater, statement: str
) -> None:
    page = shown(anna)
    change(engine, statement)
    before = stored(anna)
    assert submit(db, page) is None
    if statement != MESSAGE:
        assert asyncio.run(at_once.save_at_once(db, page, SAVE)) is None
    assert stored(anna) == before


def test_change_within_the_transaction_that_showed_the_page_is_noticed(
    engine: Engine, db: HotConnections, anna: Rater
) -> None:
    with engine.begin() as in_two:
        session = anna.session(in_two)
        in_two.execute(text("UPDATE rating_sessions SET state = 'expired'"))
    page = replace(shown(anna), session=session)
    assert submit(db, page) is None


def test_second_click_stores_nothing(db: HotConnections, anna: Rater) -> None:
    page = shown(anna)

    async def twice() -> list[ShownPage | None]:
        return list(await asyncio.gather(*(at_once.submit_at_once(db, page, FULL) for _ in range(2))))

    assert sorted(page is None for page in asyncio.run(twice())) == [False, True]
    assert [row[1] for row in stored(anna) if row[6] in {None, "preference"}] == [
        "done",
        "leased",
        "planned",
        "planned",
    ]


def test_page_of_another_browser_is_not_served(engine: Engine, db: HotConnections, anna: Rater) -> None:
    page = shown(anna)
    change(
        engine,
        """
        WITH m AS (INSERT INTO session_moves (study_id, rating_session_id, token_hash, parameters)
                   SELECT study_id, rating_session_id, 'x', '{}' FROM assignments WHERE position = 2
                   RETURNING study_id, id)
        UPDATE assignments SET move_id = m.id, moved_at = now() FROM m WHERE position = 2
        """,
    )
    assert submit(db, page) is None


def test_incomplete_page_is_left_to_the_transaction(db: HotConnections, anna: Rater) -> None:
    before = stored(anna)
    assert submit(db, shown(anna), {"q0": ["left"]}) is None
    assert stored(anna) == before


def test_broken_connection_is_replaced(engine: Engine, db: HotConnections, anna: Rater) -> None:
    page = submit(db, shown(anna))
    assert page
    change(engine, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'WITH me AS%'")
    assert submit(db, page) is None
    assert submit(db, shown(anna))


def test_unreachable_database_is_left_to_the_transaction(anna: Rater) -> None:
    nowhere = make_hot_connections("postgresql+psycopg://nobody@127.0.0.1:9/none")
    assert submit(nowhere, shown(anna)) is None
