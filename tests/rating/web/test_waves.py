"""Later waves: the same rater comes back, early, in time, twice, late or from another link."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, text

from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import Visitor, heading

LONELY = {"key": "lonely", "target": "rater", "type": "slider", "text": "How lonely are you?"}
WAVES = [
    {"days": 14, "earliest": 12, "latest": 16, "text": "Welcome *back*", "completion": {"code": "W2CODE"}},
    {"days": 28, "completion": {"code": "W3CODE"}},
]


def asked(**parts: Any) -> dict[str, Any]:  # noqa: ANN401 - any part of study.yaml
    return {
        "n_items": 1,
        "questions": [PREFERENCE, EMPATHY, LONELY],
        "completion": {"code": "W1CODE"},
        "waves": WAVES,
        **parts,
    }


def later(engine: Engine, days: int) -> None:
    """Let days pass: everything that happened so far happened earlier."""
    moves = (
        "UPDATE rating_sessions SET finished_at = finished_at - make_interval(days => :days)",
        "UPDATE steps SET done_at = done_at - make_interval(days => :days)",
    )
    with engine.begin() as db:
        for move in moves:
            db.execute(text(move), {"days": days})


def finish_first(anna: Visitor) -> Any:  # noqa: ANN401 - httpx's response
    anna.rate(anna.begin())
    return anna.post("/s/study/questions/about", data={"q2": "40"})


def answers(engine: Engine) -> dict[str, float]:
    with engine.connect() as db:
        rows = db.execute(text("SELECT question, number FROM ratings WHERE item_id IS NULL ORDER BY question"))
        return {row.question: row.number for row in rows}


def n_raters(engine: Engine) -> int:
    with engine.connect() as db:
        return int(db.execute(text("SELECT count(*) FROM raters")).scalar_one())


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    study(**asked())
    return visitor()


def test_rater_who_finished_reads_when_the_next_part_opens(anna: Visitor) -> None:
    done = finish_first(anna)
    first, last = (datetime.now(UTC) + timedelta(days) for days in (12, 16))
    assert heading(done) == "You have finished. Thank you."
    assert "W1CODE" in done.text
    assert f"Part 2 can be answered from {first:%B} {first.day}, {first.year} to {last:%B} {last.day}" in done.text


def test_rater_who_comes_early_reads_when_to_come_back_and_stores_nothing(engine: Engine, anna: Visitor) -> None:
    finish_first(anna)
    later(engine, 11)
    early = anna.arrive()
    assert heading(early) == "It is too early for part 2"
    assert "data-redirect" not in early.text
    assert heading(anna.post("/s/study/questions/wave2-1", data={"q3": "20"})) == "It is too early for part 2"
    assert heading(anna.post("/s/study/wave")) == "It is too early for part 2"
    assert answers(engine) == {"lonely": 40}


def test_rater_answers_the_next_part_once_and_gets_its_own_code(engine: Engine, anna: Visitor) -> None:
    finish_first(anna)
    later(engine, 13)
    welcome = anna.arrive()
    assert welcome.url.path == "/s/study/wave"
    assert "This is part 2 of the study." in welcome.text
    assert "<em>back</em>" in welcome.text
    page = anna.post("/s/study/wave")
    assert page.url.path == "/s/study/questions/wave2-1"
    assert 'name="q3"' in page.text
    assert 'value="40"' not in page.text
    assert anna.post("/s/study/questions/wave2-1", data={"q3": "101"}).status_code == 422
    done = anna.post("/s/study/questions/wave2-1", data={"q3": "20"})
    assert heading(done) == "You have finished. Thank you."
    assert ("W2CODE" in done.text, "W1CODE" in done.text) == (True, False)
    later(engine, 1)
    again = anna.arrive()
    assert heading(again) == "It is too early for part 3"
    assert "W2CODE" in again.text
    assert "W2CODE" in anna.post("/s/study/questions/wave2-1", data={"q3": "90"}).text
    assert answers(engine) == {"lonely": 40, "lonely@2": 20}
    assert n_raters(engine) == 1


def test_rater_who_is_late_reads_that_the_part_is_closed_and_may_answer_the_next(engine: Engine, anna: Visitor) -> None:
    finish_first(anna)
    later(engine, 17)
    page = anna.arrive()
    assert "Part 2 closed on" in page.text
    assert "Part 3 can be answered from" in page.text
    later(engine, 11)
    assert "This is part 3 of the study." in anna.arrive().text
    anna.post("/s/study/wave")
    assert "W3CODE" in anna.post("/s/study/questions/wave3-1", data={"q4": "10"}).text
    assert answers(engine) == {"lonely": 40, "lonely@3": 10}
    last = anna.arrive()
    assert heading(last) == "You have finished. Thank you."
    assert "can be answered" not in last.text


def test_rater_who_missed_the_last_part_reads_so_first(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(**asked(waves=WAVES[:1]))
    anna = visitor()
    finish_first(anna)
    later(engine, 17)
    late = anna.arrive()
    assert heading(late) == "It is too late for part 2"
    assert "Part 2 closed on" in late.text


def test_link_of_a_later_part_does_not_start_the_study_for_somebody_new(
    engine: Engine, anna: Visitor, visitor: Callable[[], Visitor]
) -> None:
    finish_first(anna)
    later(engine, 14)
    stranger = visitor().get("/s/study?PROLIFIC_PID=eve&STUDY_ID=s2&SESSION_ID=t&wave=2")
    assert (stranger.status_code, heading(stranger)) == (403, "This link is for people who took part before")
    assert n_raters(engine) == 1
    known = anna.get("/s/study?PROLIFIC_PID=anna&STUDY_ID=s2&SESSION_ID=t&wave=2")
    assert "This is part 2 of the study." in known.text


def test_rater_comes_back_in_another_browser_and_gets_the_code_of_the_part_answered_there(
    engine: Engine, anna: Visitor, visitor: Callable[[], Visitor]
) -> None:
    finish_first(anna)
    later(engine, 14)
    elsewhere = visitor()
    assert "This is part 2 of the study." in elsewhere.arrive().text
    elsewhere.post("/s/study/wave")
    done = elsewhere.post("/s/study/questions/wave2-1", data={"q3": "20"})
    assert "W2CODE" in done.text
    third = visitor()
    assert "W2CODE" not in third.arrive().text
    assert n_raters(engine) == 1


def test_closed_study_has_no_later_parts_and_a_paused_one_has(engine: Engine, anna: Visitor) -> None:
    finish_first(anna)
    later(engine, 14)
    with engine.begin() as db:
        db.execute(text("UPDATE studies SET status = 'closed'"))
    closed = anna.arrive()
    assert (heading(closed), "Part" in closed.text) == ("You have finished. Thank you.", False)
    with engine.begin() as db:
        db.execute(text("UPDATE studies SET status = 'paused'"))
    assert "This is part 2 of the study." in anna.arrive().text
