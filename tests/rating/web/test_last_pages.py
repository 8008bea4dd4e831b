"""The end: questions about the rater, waiting, no free seats, and the completion code."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from app.rating.life_cycle import close_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import FULL, Visitor, heading

AGE = {"key": "age", "target": "rater", "type": "slider", "text": "Your age", "min": 18, "max": 99}
WISH = {"key": "wish", "target": "rater", "type": "text", "text": "Anything else?"}


def test_rater_questions_come_after_last_item_and_before_code(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, questions=[PREFERENCE, EMPATHY, AGE, WISH], completion={"code": "C0DE"})
    anna = visitor()
    page = anna.rate(anna.begin())
    assert heading(page) == "About you"
    assert heading(anna.get("/s/study/done")) == "About you"
    wrong = anna.post("/s/study/questions/about", data={"q2": "7"})
    assert wrong.status_code == 422
    assert "Enter a number from 18 to 99" in wrong.text
    assert 'value="7"' in wrong.text
    done = anna.post("/s/study/questions/about", data={"q2": "44"})
    assert "C0DE" in done.text
    assert heading(anna.get("/s/study/questions/about")) == "You have finished. Thank you."
    with engine.connect() as db:
        about = db.execute(text("SELECT question, number, item_id, assignment_id FROM ratings WHERE item_id IS NULL"))
        assert [tuple(row) for row in about] == [("age", 44.0, None, None)]


def test_completion_code_is_hidden_until_earned(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(n_items=2, completion={"code": "C0DE", "text": "Well done"})
    anna = visitor()
    pages = [anna.arrive(), anna.begin(), anna.get("/s/study/done"), anna.rate(anna.get("/s/study/rate"))]
    assert not any("C0DE" in page.text or "Well done" in page.text for page in pages)
    assert "C0DE" in anna.rate(pages[-1]).text


def test_only_prolific_raters_are_redirected_to_prolific(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, completion={"code": "C0DE"})
    anna, ben = visitor(), visitor()
    ben.get("/s/study?participant=ben")
    from_prolific, from_elsewhere = anna.rate(anna.begin()), ben.rate(ben.post("/s/study/start"))
    assert 'data-redirect="https://app.prolific.com/submissions/complete?cc=C0DE"' in from_prolific.text
    assert "data-redirect" not in from_elsewhere.text
    assert "prolific" not in from_elsewhere.text
    assert "C0DE" in from_elsewhere.text


def test_completion_url_of_study_is_used(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(slug="good", n_items=1, completion={"url": "https://example.org/done?x=1&y=2"})
    anna = visitor()
    assert 'href="https://example.org/done?x=1&amp;y=2"' in anna.rate(anna.begin("anna", "good")).text


def test_sona_grants_credit_by_each_participants_own_code(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, completion={"url": "https://uni.sona-systems.com/c?id=7&survey_code=XXXX"})
    anna, ben = visitor(), visitor()
    anna.get("/s/study?survey_code=47%2F11")
    ben.get("/s/study?participant=ben")
    from_sona, from_elsewhere = (one.rate(one.post("/s/study/start")) for one in (anna, ben))
    assert 'data-redirect="https://uni.sona-systems.com/c?id=7&amp;survey_code=47%2F11"' in from_sona.text
    assert "You will be taken to SONA." in from_sona.text
    assert 'survey_code=XXXX"' in from_elsewhere.text


def test_sona_gets_the_code_of_who_declines_or_finds_the_study_closed(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    address = {"url": "https://uni.sona-systems.com/c?id=7&survey_code=XXXX"}
    flow = {"consent": {"version": "1", "text": "You may stop."}}
    study(n_items=1, flow=flow, completion={"otherwise": {"no_consent": address, "full": address}})
    anna, ben = visitor(), visitor()
    for who, code in ((anna, "4711"), (ben, "4712")):
        who.get(f"/s/study?survey_code={code}")
    declined = anna.post("/s/study/consent", data={"consent": "refuse"})
    assert heading(declined) == "You are not taking part"
    assert 'href="https://uni.sona-systems.com/c?id=7&amp;survey_code=4711"' in declined.text
    with engine.begin() as db:
        close_study(db, "study")
    for late, code in ((ben.get("/s/study/consent"), "4712"), (visitor().get("/s/study?survey_code=4713"), "4713")):
        assert late.status_code == 410
        assert f'href="https://uni.sona-systems.com/c?id=7&amp;survey_code={code}"' in late.text


def test_script_completion_url_is_rejected(study: Callable[..., int]) -> None:
    with pytest.raises(ValueError, match=r"completion\.url"):
        study(slug="bad", n_items=1, completion={"url": "javascript:alert(1)"})


def test_waiting_rater_gets_a_released_seat(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, design={"raters_per_trial": 1})
    anna, ben = visitor(), visitor()
    anna.begin("anna")
    page = ben.begin("ben")
    assert (page.url.path, heading(page)) == ("/s/study/wait", "All places are taken right now")
    assert '<meta http-equiv="refresh"' in page.text
    poll = ben.get("/s/study/wait", headers={"HX-Request": "true"})
    assert poll.text.lstrip().startswith('<div id="wait"')
    with engine.begin() as db:
        db.execute(text("UPDATE rating_sessions SET lease_expires_at = now() - interval '1 s' WHERE state = 'active'"))
    let_in = ben.get("/s/study/wait", headers={"HX-Request": "true"})
    assert (let_in.status_code, let_in.headers["HX-Redirect"]) == (204, "/s/study/rate")
    assert heading(ben.get("/s/study/rate")) == "Item 1 of 1"


def test_late_rater_is_told_study_is_full_without_code(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, design={"raters_per_trial": 1}, completion={"code": "C0DE"})
    anna, ben = visitor(), visitor()
    anna.rate(anna.begin("anna"))
    page = ben.begin("ben")
    assert heading(page) == "All places are taken"
    assert "C0DE" not in page.text
    assert heading(ben.get("/s/study/done")) == "All places are taken"


def test_keyboard_shortcuts_stay_disabled(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna = visitor()
    assert 'data-keys="on"' in anna.begin().text
    assert 'data-keys="off"' in anna.post("/s/study/keys", data={"keys": "off"}).text
    assert 'data-keys="off"' in anna.rate(anna.get("/s/study/rate"), FULL).text
    assert 'data-keys="on"' in anna.post("/s/study/keys", data={"keys": "on"}).text
