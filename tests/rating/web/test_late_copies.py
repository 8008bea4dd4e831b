"""What left the browser earlier changes nothing that left later, whichever arrives first."""

import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from app.rating.seats.assignment_view import get_own_assignment
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows
from tests.kit.rater_pages import FULL, Visitor, form_address, heading, times_of

WHY = {"key": "why", "target": "item", "type": "text", "text": "Why?", "required": False}
NUMBERS = "SELECT number FROM ratings WHERE number IS NOT NULL ORDER BY side"
STATES = "SELECT state FROM assignments ORDER BY position"
HTMX = {"HX-Request": "true"}


def ms(seconds_ago: float = 0) -> str:
    return str(int((time.time() - seconds_ago) * 1000))


def send(visitor: Visitor, page: Any, fields: Mapping[str, Any], *, way: str = "") -> Any:  # noqa: ANN401
    """Submit a page, save its answers or skip it, as its scripts do."""
    return visitor.post(form_address(page) + way, data=fields, headers=HTMX)


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    study(n_items=5, questions=[PREFERENCE, EMPATHY, WHY], flow={"skip_reasons": ["Too hard"]})
    return visitor()


@pytest.mark.parametrize("n_pages_between", [0, 1, 3], ids=["next", "one_page_on", "finished"])
def test_late_copy_of_a_submit_changes_nothing(engine: Engine, anna: Visitor, n_pages_between: int) -> None:
    page = now = anna.begin()
    first, later = {**FULL, "at": ms(20), "q2": "a word"}, {**FULL, "at": ms(10), "q1r0": "1", "q2": ""}
    for fields in (first, later):
        now = send(anna, page, fields)
    for _ in range(n_pages_between):
        now = send(anna, now, {**FULL, "at": ms()})
    before = rows(engine, "SELECT question, side, number, text, rated_at FROM ratings ORDER BY id")
    late = send(anna, page, first)
    assert late.status_code in {200, 204}
    assert rows(engine, "SELECT question, side, number, text, rated_at FROM ratings ORDER BY id") == before
    assert rows(engine, "SELECT number FROM ratings WHERE position = 1 AND side = 'left' AND number > 0") == [(1.0,)]


def test_submit_that_was_overtaken_changes_nothing(engine: Engine, anna: Visitor) -> None:
    """Its connection was cut, the rater changed the page and sent it again, and another server was faster."""
    page = anna.begin()
    send(anna, page, {**FULL, "q1r0": "1", "at": ms(10)})
    send(anna, page, {**FULL, "q2": "a word", "at": ms(20)})
    assert rows(engine, NUMBERS) == [(1.0,), (2.0,)]
    assert rows(engine, "SELECT count(*) FROM ratings WHERE question = 'why'") == [(0,)]


def test_submit_that_is_older_than_a_save_changes_nothing(engine: Engine, anna: Visitor) -> None:
    page = anna.begin()
    key = str(uuid.uuid4())
    send(anna, page, {"slot": "q1r0", "q1r0": "5", "q1r0.at": ms(5), "q1r0.key": key}, way="/save")
    late = send(anna, page, {**FULL, "q1r0": "1", "at": ms(9)})
    assert late.headers["HX-Redirect"] == "/s/study/rate"
    assert rows(engine, NUMBERS) == [(5.0,)]
    assert rows(engine, STATES)[0] == ("leased",)
    assert heading(send(anna, page, {**FULL, "q1r0": "5", "at": ms()})) == "Item 2 of 5"
    assert rows(engine, NUMBERS) == [(5.0,), (2.0,)]


def test_change_after_going_back_counts(engine: Engine, anna: Visitor) -> None:
    page = anna.begin()
    send(anna, page, {**FULL, "at": ms(20)})
    assert heading(send(anna, page, {**FULL, "q1r0": "1", "at": ms(10)})) == "Item 2 of 5"
    assert rows(engine, NUMBERS) == [(1.0,), (2.0,)]
    send(anna, page, {"slot": "q1r1", "q1r1": "5", "q1r1.at": ms(5)}, way="/save")
    assert rows(engine, NUMBERS) == [(1.0,), (5.0,)]
    send(anna, page, {**FULL, "q1r0": "1", "at": ms(10)})
    assert rows(engine, NUMBERS) == [(1.0,), (5.0,)], "the copy of a submit does not undo a later save"


def test_without_scripts_the_page_that_was_shown_later_counts(engine: Engine, anna: Visitor) -> None:
    first = anna.begin()
    anna.rate(first)
    back = anna.get(form_address(first))
    assert times_of(back)["at"] > times_of(first)["at"]
    assert heading(anna.rate(back, {**FULL, "q1r0": "1"})) == "Item 2 of 5"
    anna.rate(first)
    assert rows(engine, NUMBERS) == [(1.0,), (2.0,)]


def test_late_save_is_ordered_by_the_page_and_not_by_a_clock_that_jumped(engine: Engine, anna: Visitor) -> None:
    page = anna.begin()
    with engine.begin() as db:
        db.execute(text("UPDATE assignments SET served_at = now() + interval '2 hours' WHERE served_at IS NOT NULL"))
    send(anna, page, {**FULL, "q1r0": "1", "at": ms(10)})
    late = {"slot": "q1r0", "q1r0": "5", "q1r0.key": str(uuid.uuid4()), "q1r0.at": ms(20)}
    assert send(anna, page, late, way="/save").json()["older"] == ["q1r0"]
    send(anna, page, {**FULL, "at": ms(20)})
    assert rows(engine, NUMBERS) == [(1.0,), (2.0,)]


def test_page_begins_after_what_is_stored_for_it(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    """The clock of the server is set back: what the rater changes now is later all the same."""
    study(n_items=2, questions=[PREFERENCE, EMPATHY])
    anna = visitor()
    page = anna.begin()
    send(anna, page, {**FULL, "at": ms(-7200)})
    back = anna.get(form_address(page))
    anna.rate(back, {**FULL, "q1r0": "1"})
    assert rows(engine, NUMBERS) == [(1.0,), (2.0,)]


def test_late_skip_does_not_delete_later_answers(engine: Engine, anna: Visitor) -> None:
    page = anna.begin()
    send(anna, page, {"slot": "q1r0", "q1r0": "5", "q1r0.at": ms(5)}, way="/save")
    send(anna, page, {"reason": "Too hard", "at": ms(9)}, way="/skip")
    assert (rows(engine, STATES)[0], rows(engine, NUMBERS)) == (("leased",), [(5.0,)])
    assert heading(send(anna, page, {"reason": "Too hard", "at": ms()}, way="/skip")) == "Item 2 of 5"
    assert (rows(engine, STATES)[0], rows(engine, NUMBERS)) == (("skipped",), [])


def test_later_answer_about_the_rater_stays(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    mood = {**EMPATHY, "key": "mood", "target": "rater", "text": "How are you?"}
    study(questions=[PREFERENCE, mood], flow={"before": [{"questions": ["mood"]}]})
    anna = visitor()
    anna.arrive()
    for value, at in (("4", ms(5)), ("3", ms(9))):
        fields = {"slot": "q1", "q1": value, "q1.key": str(uuid.uuid4()), "q1.at": at}
        anna.post("/s/study/questions/before-1/save", data=fields)
    assert rows(engine, NUMBERS) == [(4.0,)]
    with engine.begin() as db:
        db.execute(text("UPDATE ratings SET page_ms = page_ms + 7200000"))
    shown = anna.get("/s/study/questions/before-1").text
    assert int(shown.split('data-now="')[1].split('"')[0]) > float(ms(-7000))


def test_requests_of_one_rater_run_one_after_the_other(engine: Engine, anna: Visitor) -> None:
    """The second waits for the row of the rating session, and then still finds it."""
    token = UUID(form_address(anna.begin()).rpartition("/")[2])
    (cookie,) = (cookie.value for cookie in anna.cookies.jar if cookie.name.endswith("rater-study"))

    def read() -> bool:
        with engine.begin() as db:
            return get_own_assignment(db, "study", str(cookie), token) is not None

    with ThreadPoolExecutor(1) as pool, engine.begin() as db:
        assert get_own_assignment(db, "study", str(cookie), token)
        second = pool.submit(read)
        waiting = text("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)")
        while not second.done() and not db.execute(waiting).scalar_one():
            time.sleep(0.002)
        assert not second.done()
        db.commit()
        assert second.result(timeout=10)
