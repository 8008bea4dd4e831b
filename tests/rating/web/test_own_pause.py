"""A rater's own break: started by a button, ended when they continue, and excluded from all times."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from app.studies.export import study_rating_sessions
from tests.kit.database import rows
from tests.kit.rater_pages import Visitor, form_address, heading

MINUTE_MS = 60_000


def minutes_pass(engine: Engine, n: int) -> None:
    """Shift all recorded times into the past by n minutes."""
    with engine.begin() as db:
        for table, column in (
            ("assignments", "served_at"),
            ("assignments", "revisit_served_at"),
            ("rating_sessions", "paused_at"),
            ("events", "happened_at"),
        ):
            db.execute(text(f"UPDATE {table} SET {column} = {column} - make_interval(mins => :n)"), {"n": n})  # noqa: S608


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    study(n_items=2, design={"lease_minutes": 45})
    anna = visitor()
    anna.begin()
    return anna


@pytest.mark.parametrize("hidden_minutes", [0, 31])
def test_break_is_excluded_from_all_times(engine: Engine, anna: Visitor, hidden_minutes: int) -> None:
    page = anna.get("/s/study/rate")
    minutes_pass(engine, 2)
    paused = anna.post("/s/study/pause")
    assert (paused.url.path, heading(paused)) == ("/s/study/paused", "You are taking a break")
    assert "45 minutes" in paused.text
    minutes_pass(engine, 30)
    back = anna.arrive()
    assert form_address(back) == form_address(page)
    minutes_pass(engine, 1)
    form = {"q0": "left", "q1r0": "4", "q1r1": "2", "hidden_ms": str(hidden_minutes * MINUTE_MS)}
    anna.rate(back, form)
    ((active_ms,),) = rows(engine, "SELECT active_ms FROM assignments WHERE state = 'done'")
    assert active_ms == pytest.approx((33 - max(30, hidden_minutes)) * MINUTE_MS, abs=MINUTE_MS / 4)
    kinds = rows(engine, "SELECT kind, assignment_id IS NOT NULL, (detail ->> 'paused_ms')::int / 60000 FROM events")
    assert kinds == [("pause", True, None), ("resume", True, 30)]
    with engine.connect() as db:
        assert study_rating_sessions(db, 1)["rating_sessions"]["paused_ms"].tolist() == [
            pytest.approx(30 * MINUTE_MS, abs=MINUTE_MS / 4)
        ]


def test_second_click_or_reload_keeps_same_break(engine: Engine, anna: Visitor) -> None:
    for _ in range(2):
        assert heading(anna.post("/s/study/pause")) == "You are taking a break"
    assert heading(anna.get("/s/study/paused")) == "You are taking a break"
    address = rows(engine, "SELECT token FROM assignments WHERE state = 'leased'")[0][0]
    anna.post(f"/s/study/rate/{address}/save", json={"slot": "q0", "q0": "left"})
    assert rows(engine, "SELECT kind FROM events") == [("pause",)]
    assert heading(anna.get(f"/s/study/rate/{address}")) == "Item 1 of 2"
    assert rows(engine, "SELECT kind FROM events ORDER BY id") == [("pause",), ("resume",)]
    assert heading(anna.get("/s/study/paused")) == "Item 1 of 2"


def test_break_is_unavailable_before_start_and_after_end(
    engine: Engine, anna: Visitor, visitor: Callable[[], Visitor]
) -> None:
    ben = visitor()
    assert ">Pause<" not in ben.arrive("ben").text
    assert heading(ben.post("/s/study/pause")) == "A study"
    page = anna.get("/s/study/rate")
    assert ">Pause<" in page.text
    for _ in range(2):
        page = anna.rate(page)
    assert ">Pause<" not in page.text
    assert heading(anna.post("/s/study/pause")) == "You have finished. Thank you."
    assert rows(engine, "SELECT count(*) FROM events") == [(0,)]


def test_break_beyond_lease_regains_free_seats(engine: Engine, anna: Visitor, visitor: Callable[[], Visitor]) -> None:
    anna.post("/s/study/pause")
    with engine.begin() as db:
        db.execute(text("UPDATE rating_sessions SET lease_expires_at = now() - interval '1 minute'"))
    visitor().begin("ben")
    assert rows(engine, "SELECT state FROM rating_sessions ORDER BY id")[0] == ("expired",)
    assert heading(anna.get("/s/study/rate")) == "Item 1 of 2"
