"""Each clause of submit.sql, in its order: what is stored of what a rater sends for a page, and what is not."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, text

from app.protocol.questions.form import PageTimes
from app.protocol.questions.saves import read_page, read_save
from app.protocol.rating_columns import GIVEN_COLUMNS
from app.rating.answers import submit
from app.rating.answers.ratings import TYPED
from app.rating.answers.submit import Sent, Stored, store
from app.rating.arrival.arrivals import get_arrival_study
from app.rating.life_cycle import open_study
from app.rating.rater_path import Arrival, arrive, begin_rating, current_page, protocol_of, slots_of
from app.rating.seats.assignment_view import AssignmentView, get_own_assignment
from app.rating.sessions import get_rating_session
from tests.kit.builder import EMPATHY, PREFERENCE, build_study
from tests.kit.builder import protocol_of as protocol

WHY = {"key": "why", "target": "item", "type": "text", "text": "Why?", "required": False}
FULL = {"q0": "left", "q1r0": "4", "q1r1": "2"}
NOW = int(time.time() * 1000)
KEYS = [str(UUID(int=n)) for n in range(3)]


@dataclass
class Page:
    """The first of a rater's three pages, and what can be sent for it; `seconds` is when it left, from now."""

    db: Connection
    token: str
    view: AssignmentView

    def own(self) -> Any:  # noqa: ANN401
        found = get_own_assignment(self.db, "study", self.token, self.view.token)
        assert found
        return found

    def submit(self, fields: Mapping[str, str] = FULL, seconds: int = 0, *, goes_on: bool = False) -> Stored:
        session, view = self.own()
        form = {name: [value] for name, value in fields.items()}
        answers = read_page(slots_of(protocol_of(self.db, session), view), form, view.response_ids)
        assert not answers.wrong
        sent = Sent("submit", PageTimes(NOW + seconds * 1000, hidden_ms=2000), answers.given)
        return store(self.db, session, view, sent, goes_on=goes_on)

    def save(self, fields: Mapping[str, str], seconds: int = 0, key: str = "", at: int | None = None) -> Stored:
        session, view = self.own()
        form = {name: [value] for name, value in fields.items()} | {"slot": list(fields)}
        form |= {f"{name}.key": [key] for name in fields if key}
        form |= {f"{name}.at": [str(NOW + at * 1000)] for name in fields if at is not None}
        answers = read_save(slots_of(protocol_of(self.db, session), view), form, view.response_ids).answers
        return store(self.db, session, view, Sent("save", PageTimes(NOW + seconds * 1000), answers))

    def skip(self, seconds: int = 0) -> Stored:
        session, view = self.own()
        return store(self.db, session, view, Sent("skip", PageTimes(NOW + seconds * 1000), reason="Too hard"))

    def change(self, statement: str) -> None:
        assert self.db.execute(text(statement)).rowcount

    def rows(self, columns: str, rest: str = "WHERE question = 'empathy' ORDER BY side") -> list[Any]:
        return [tuple(row) for row in self.db.execute(text(f"SELECT {columns} FROM ratings {rest}"))]  # noqa: S608

    def assignment(self, columns: str) -> tuple[Any, ...]:
        return tuple(self.db.execute(text(f"SELECT {columns} FROM assignments ORDER BY position")).first() or ())  # noqa: S608


@pytest.fixture
def page(db: Connection) -> Page:
    design = {"raters_per_trial": 2, "trials_per_rater": 3, "repeats": {"n": 1, "min_distance": 1}}
    build_study(db, protocol(design=design, questions=[PREFERENCE, EMPATHY, WHY]), n_items=3)
    open_study(db, "study")
    arrival_study = get_arrival_study(db, "study")
    assert arrival_study
    opened = arrive(db, arrival_study, Arrival("participant", "anna", {}))
    assert opened
    session = get_rating_session(db, "study", opened.token)
    assert session
    begin_rating(db, session)
    session = get_rating_session(db, "study", opened.token)
    assert session
    view = current_page(db, session)
    assert isinstance(view, AssignmentView)
    db.execute(text("UPDATE assignments SET served_at = now() - interval '10 seconds' WHERE served_at IS NOT NULL"))
    return Page(db, opened.token, view)


def test_columns_are_those_of_answers() -> None:
    sql = " ".join(submit._SUBMIT_SQL.split())
    assert TYPED.replace('"', "").replace("comment text", "comment text, key uuid") in sql
    names = [column.stored_as for column in GIVEN_COLUMNS]
    assert f"item_id, {', '.join(names)}, idempotency_key" in sql
    changing = [name for name in names if name not in {"question", "response_id", "turn", "shown_label"}]
    assert [name for name in changing if f" {name} = " not in sql[sql.index("DO UPDATE") :]] == []


# The statement is sent after the rating session was locked.


def test_lease_is_extended(page: Page) -> None:
    page.change("UPDATE rating_sessions SET lease_expires_at = now()")
    page.save({"q1r0": "3"})
    extended = text("SELECT lease_expires_at > now() FROM rating_sessions")
    assert page.db.execute(extended).scalar_one()


# page


@pytest.mark.parametrize("state", ["returned", "skipped"])
def test_seat_that_is_no_longer_theirs_takes_nothing(page: Page, state: str) -> None:
    page.change(f"UPDATE assignments SET state = '{state}' WHERE state = 'leased'")  # noqa: S608
    assert not page.submit().is_stored
    assert not page.save({"q1r0": "3"}).is_stored
    assert not page.skip().is_stored
    assert page.rows("count(*)", "") == [(0,)]


def test_assignment_of_another_session_takes_nothing(page: Page) -> None:
    session, view = page.own()
    page.change("UPDATE assignments SET rating_session_id = rating_session_id WHERE state = 'leased'")
    other = text("""
        WITH r AS (INSERT INTO raters (study_id, key) SELECT study_id, 'ben' FROM raters RETURNING study_id, id)
        INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, lease_expires_at)
        SELECT study_id, id, 'x', 1, now() FROM r RETURNING id
    """)
    stranger = replace(session, session_id=page.db.execute(other).scalar_one())
    assert not store(page.db, stranger, view, Sent("skip", PageTimes(NOW), reason="Too hard")).is_stored
    assert page.assignment("state") == ("leased",)


def test_page_that_left_before_the_stored_one_changes_nothing(page: Page) -> None:
    page.submit({**FULL, "q1r0": "1"}, seconds=5)
    assert not page.submit({**FULL, "q1r0": "5"}, seconds=4).is_stored
    assert page.rows("number") == [(1.0,), (2.0,)]


def test_page_and_skip_that_left_before_a_stored_answer_change_nothing(page: Page) -> None:
    page.save({"q1r0": "3"}, seconds=5)
    assert not page.submit(seconds=4).is_stored
    assert not page.skip(seconds=4).is_stored
    assert page.assignment("state") == ("leased",)
    assert page.rows("number") == [(3.0,)]


def test_submitted_page_is_not_skipped(page: Page) -> None:
    page.submit()
    assert not page.skip(seconds=1).is_stored


# active


def test_active_time_excludes_time_in_a_hidden_tab(page: Page) -> None:
    page.submit()
    assert page.assignment("active_ms, hidden_ms") == (8000, 2000)
    assert page.rows("active_ms") == [(8000,), (8000,)]


def test_active_time_excludes_a_break_which_may_be_hidden_too(page: Page) -> None:
    page.change("""
        INSERT INTO events (study_id, rater_id, assignment_id, kind, detail)
        SELECT study_id, rater_id, id, 'resume', '{"paused_ms": 3000}' FROM assignments WHERE state = 'leased'
    """)
    page.submit()
    assert page.assignment("active_ms") == (7000,)


def test_page_sent_again_does_not_add_to_its_time(page: Page) -> None:
    page.submit()
    page.change("UPDATE assignments SET served_at = now() - interval '1 hour' WHERE state = 'done'")
    page.submit(seconds=1)
    assert page.assignment("active_ms, hidden_ms") == (8000, 2000)


# a


def test_plan_advances(page: Page) -> None:
    page.save({"q1r0": "3"})
    assert page.assignment("state, first_action_at IS NULL, submitted_at IS NULL") == ("leased", False, True)
    page.submit(seconds=1)
    assert page.assignment("state, submitted_at IS NULL, page_ms") == ("done", False, NOW + 1000)


def test_submit_is_no_first_action(page: Page) -> None:
    page.submit()
    assert page.assignment("first_action_at") == (None,)


def test_answers_count_when_their_page_is_submitted(page: Page) -> None:
    page.save({"q1r0": "3"})
    assert page.rows("exclude") == [("not submitted",)]
    page.submit(seconds=1)
    assert page.rows("exclude") == [(None,), (None,)]
    page.save({"q1r0": "5"}, seconds=2)
    assert page.rows("number, exclude") == [(5.0, None), (2.0, None)]


def test_answers_to_gold_trials_never_count(page: Page) -> None:
    page.change(
        "UPDATE trials SET purpose = 'gold' WHERE id = (SELECT trial_id FROM assignments WHERE state = 'leased')"
    )
    page.save({"q1r0": "3"})
    page.submit(seconds=1)
    assert page.rows("exclude") == [("gold",), ("gold",)]


# judged


def test_answer_whose_key_is_known_is_left_out(page: Page) -> None:
    page.save({"q1r0": "3"}, key=KEYS[1])
    assert page.save({"q1r0": "5"}, seconds=1, key=KEYS[1]).older == []
    assert page.rows("number") == [(3.0,)]


def test_answer_whose_key_is_in_the_history_is_left_out(page: Page) -> None:
    page.save({"q1r0": "3"}, key=KEYS[1])
    page.save({"q1r0": "5"}, seconds=1, key=KEYS[2])
    page.save({"q1r0": "3"}, seconds=2, key=KEYS[1])
    assert page.rows("number") == [(5.0,)]


def test_older_answer_is_left_out_and_named(page: Page) -> None:
    page.save({"q1r0": "3"}, at=0)
    stored = page.save({"q1r0": "5", "q1r1": "1"}, at=-1)
    assert [answer.slot.name for answer in stored.older] == ["q1r0"]
    assert page.rows("number") == [(3.0,), (1.0,)]


def test_answer_older_than_the_submitted_page_is_left_out(page: Page) -> None:
    page.submit()
    assert [answer.slot.name for answer in page.save({"q1r0": "5"}, at=-1).older] == ["q1r0"]
    assert page.rows("number") == [(4.0,), (2.0,)]


@pytest.mark.parametrize(("at", "seconds"), [(-3600, -10), (3600, 0)], ids=["before the showing", "in the future"])
def test_time_of_an_answer_lies_between_the_showing_and_now(page: Page, at: int, seconds: int) -> None:
    page.save({"q1r0": "3"}, at=at)
    assert page.rows(f"rated_at = now() + interval '{seconds} seconds'") == [(True,)]


# stored


def test_what_was_shown_is_stored_with_the_answer(page: Page) -> None:
    page.submit()
    left, right = page.view.response_ids
    assert page.rows("left_response_id, right_response_id, position, repeat, side") == [
        (left, right, 1, 0, "left"),
        (left, right, 1, 0, "right"),
    ]
    assert page.rows("chosen_response_id", "WHERE question = 'preference'") == [(left,)]


def test_empty_text_is_stored_only_in_place_of_another(page: Page) -> None:
    page.submit({**FULL, "q2": ""})
    assert page.rows("text", "WHERE question = 'why'") == []
    page.submit({**FULL, "q2": "a word"}, seconds=1)
    page.submit({**FULL, "q2": ""}, seconds=2)
    assert page.rows("text", "WHERE question = 'why'") == [("",)]


def test_changed_answer_replaces_the_earlier_one_which_goes_to_the_history(page: Page) -> None:
    page.submit()
    page.submit({**FULL, "q1r0": "1"}, seconds=1)
    assert page.rows("number") == [(1.0,), (2.0,)]
    assert list(page.db.execute(text("SELECT number FROM rating_history")).scalars()) == [4.0]


def test_unchanged_answer_keeps_its_time_and_key(page: Page) -> None:
    page.save({"q1r0": "4"}, at=-5, key=KEYS[1])
    before = page.rows("rated_at, idempotency_key")
    page.submit(seconds=1)
    assert page.rows("rated_at, idempotency_key")[:1] == before
    page.submit({**FULL, "q1r0": "5"}, seconds=2)
    assert page.rows("idempotency_key")[0] == (None,)


def test_device_is_kept_if_it_is_not_sent_again(page: Page) -> None:
    page.submit({**FULL, "q1r0.device": "phone", "q1r1.device": "phone"})
    page.submit({**FULL, "q1r0": "5"}, seconds=1)
    assert page.rows("device") == [("phone",), ("phone",)]


def test_row_that_left_later_stays(page: Page) -> None:
    """Another page of this rater asked the same about the item, as repeats of its question about the item do."""
    page.submit()
    page.change("""
        UPDATE ratings SET page_ms = page_ms + 60000, number = 5,
          assignment_id = (SELECT id FROM assignments WHERE position = 2) WHERE side = 'right'
    """)
    assert page.submit({**FULL, "q1r0": "1"}, seconds=1).is_stored
    assert page.rows("number") == [(1.0,), (5.0,)]


# skip.sql


def test_skip_frees_the_seat_and_forgets_the_answers(page: Page) -> None:
    page.save({"q1r0": "3"})
    taken = text("SELECT count(*) FROM seats WHERE assignment_id IS NOT NULL")
    before = page.db.execute(taken).scalar_one()
    assert page.skip(seconds=1).is_stored
    assert page.assignment("state, skip_reason") == ("skipped", "Too hard")
    assert page.db.execute(taken).scalar_one() == before - 1
    assert page.rows("count(*)", "") == [(0,)]


def test_skip_is_told_once(page: Page) -> None:
    page.skip()
    assert not page.skip(seconds=1).is_stored
    told = page.db.execute(text("SELECT detail FROM events WHERE kind = 'skip'")).scalars().all()
    assert [(one["reason"], one["position"], one["repeat"]) for one in told] == [("Too hard", 1, 0)]


def test_planned_repeat_of_a_skipped_trial_is_returned(page: Page) -> None:
    repeat = "SELECT state FROM assignments WHERE repeat = 1"
    page.change("""
        UPDATE assignments SET trial_id = (SELECT trial_id FROM assignments WHERE state = 'leased') WHERE repeat = 1
    """)
    page.skip()
    assert page.db.execute(text(repeat)).scalar_one() == "returned"
