"""A participant ID is not a secret: a browser with only the ID continues, but cannot see or change earlier answers."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.rating.arrival.arrivals import record_invite
from app.rating.life_cycle import close_study
from app.rating.sessions import NotHereError, get_rating_session
from app.rating.withdrawal.withdraw import withdraw
from app.studies.coverage import get_coverage
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import FULL, Visitor, form_address, heading

WHO = {"key": "who", "target": "response", "type": "category", "text": "Who wrote it?", "codes": {"p": "P", "a": "A"}}
LINKS = {
    "prolific": "PROLIFIC_PID=5f3e&STUDY_ID=st&SESSION_ID=se",
    "mturk": "workerId=A1B2&assignmentId=as&hitId=hi&turkSubmitTo=https%3A%2F%2Fwww.mturk.com",
    "sona": "survey_code=10432",
    "participant": "participant=anna",
}


def answered(page: str) -> int:
    """Number of checked controls of questions, excluding the switch between the texts."""
    controls = re.findall(r"<input[^>]*>", page)
    return sum('name="q' in control and " checked" in control for control in controls)


@pytest.fixture
def link() -> str:
    """A rater's link."""
    return f"/s/study?{LINKS['prolific']}"


def begun(visitor: Visitor, link: str) -> Any:  # noqa: ANN401 - httpx's response
    visitor.get(link)
    return visitor.post("/s/study/start")


def n_of(engine: Engine, table: str) -> int:
    with engine.connect() as db:
        return int(db.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())  # noqa: S608 - a table's name


@pytest.mark.parametrize("platform", LINKS)
def test_id_in_another_browser_continues_at_next_open_trial(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], platform: str
) -> None:
    link = f"/s/study?{LINKS[platform]}"
    study(n_items=3)
    anna, other = visitor(), visitor()
    first = begun(anna, link)
    second = anna.rate(first)
    page = other.get(link)
    assert heading(page) == "Item 2 of 3"
    assert form_address(page) == form_address(second)
    assert form_address(first) not in page.text
    # Earlier answers cannot be reached by Back, by a saved address or by a save from a script.
    assert form_address(other.get(form_address(first))) == form_address(second)
    other.post(form_address(first), data=FULL | {"q0": "right"})
    saved = other.post(f"{form_address(first)}/save", data={"slot": "q0", "q0": "right"}, follow_redirects=False)
    assert saved.status_code == 410
    with engine.connect() as db:
        sides = db.execute(text("SELECT side FROM ratings WHERE question = 'preference'")).scalars().all()
    assert sides == ["left"]
    assert n_of(engine, "rating_history") == 0


def test_drafts_are_visible_only_in_own_browser(
    study: Callable[..., int], visitor: Callable[[], Visitor], link: str
) -> None:
    study()
    anna, other = visitor(), visitor()
    page = begun(anna, link)
    anna.post(f"{form_address(page)}/save", data={"slot": "q0", "q0": "right"})
    assert answered(anna.get("/s/study/rate").text)
    seen = other.get(link)
    assert not answered(seen.text)
    other.post(f"{form_address(seen)}/save", data={"slot": "q1r0", "q1r0": "4"})
    assert answered(other.get("/s/study/rate").text) == 1


def test_first_browser_keeps_answers_and_can_take_over(
    study: Callable[..., int], visitor: Callable[[], Visitor], link: str
) -> None:
    study(n_items=4)
    anna, other = visitor(), visitor()
    first = begun(anna, link)
    anna.rate(first)
    second = other.get(link)
    third = other.rate(second)
    assert heading(third) == "Item 3 of 4"
    assert answered(anna.get(form_address(first)).text)
    assert answered(anna.get(form_address(second)).text)
    # Assignments that the first browser has taken over again are no longer available to the other.
    assert form_address(other.get(form_address(second))) == form_address(third)


def test_second_browser_can_revisit_its_own_answers(
    study: Callable[..., int], visitor: Callable[[], Visitor], link: str
) -> None:
    study(n_items=4)
    anna, other = visitor(), visitor()
    anna.rate(begun(anna, link))
    second = other.get(link)
    third = other.rate(second)
    assert form_address(second) in third.text
    assert answered(other.get(form_address(second)).text)
    assert heading(other.rate(other.get(form_address(second)), FULL | {"q0": "right"})) == "Item 3 of 4"


def test_participant_id_alone_neither_stops_nor_deletes(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], link: str
) -> None:
    study()
    anna, other = visitor(), visitor()
    anna.rate(begun(anna, link))
    other.get(link)
    page = other.get("/s/study/withdraw")
    assert 'name="withdraw"' not in page.text
    assert "cannot be deleted from this browser" in page.text
    for wish in ("stop", "delete"):
        assert 'name="withdraw"' not in other.post("/s/study/withdraw", data={"withdraw": wish}).text
    assert n_of(engine, "withdrawals") == 0
    assert n_of(engine, "ratings") == 3
    with engine.begin() as db:
        session = get_rating_session(db, "study", other.cookies["attune-rater-study"])
        assert session
        for is_deletion in (False, True):
            with pytest.raises(NotHereError):
                withdraw(db, session, is_deletion=is_deletion)
    assert 'value="delete"' in anna.get("/s/study/withdraw").text


def test_participant_id_alone_does_not_refuse_consent(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(flow={"consent": {"version": "1", "text": "Do you agree?"}})
    anna, other = visitor(), visitor()
    anna.arrive()
    other.arrive()
    refused = other.post("/s/study/consent", data={"consent": "refuse"})
    assert "Your participation cannot be ended" in refused.text
    assert n_of(engine, "rating_sessions") == 1
    assert "Do you agree?" in anna.get("/s/study/consent").text
    anna.post("/s/study/consent", data={"consent": "refuse"})
    assert n_of(engine, "rating_sessions") == 0


def test_participant_id_alone_is_not_screened_out(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    there = {"key": "there", "target": "rater", "type": "category", "text": "Are you?", "codes": {"y": "Y", "n": "N"}}
    study(questions=[PREFERENCE, EMPATHY, there], flow={"eligibility": {"accept": {"there": "y"}}})
    anna, other = visitor(), visitor()
    anna.arrive()
    other.arrive()
    stopped = other.post("/s/study/questions/eligibility", data={"q2": "n"})
    assert "Your participation cannot be ended" in stopped.text
    assert "Are you?" in anna.get("/s/study/rate").text
    anna.post("/s/study/questions/eligibility", data={"q2": "y"})
    assert heading(anna.post("/s/study/start")) == "Item 1 of 3"


def test_participant_id_alone_does_not_fail_practice(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    trials = [{"item": "try", "responses": ["try:person"], "expect": {"empathy": [4, 5]}}]
    texts = [{"key": key} for key in ("item-0", "try")]
    practice = {"trials": trials, "pass_share": 1, "attempts": 2, "on_fail": "end"}
    study(texts=texts, flow={"practice": practice}, design={"trials": "pairs"})
    anna, other = visitor(), visitor()
    anna.begin()
    other.arrive()
    for number in (1, 2):
        page = other.post(f"/s/study/practice/{number}", data={"q1r0": "1"})
        assert "Please try the practice again." in page.text
    with engine.connect() as db:
        assert db.execute(text("SELECT state FROM rating_sessions")).scalar_one() != "failed_checks"
    anna.post("/s/study/practice/3", data={"q1r0": "5"})
    assert heading(anna.get("/s/study/rate")) == "Item 1 of 1"


def test_receipt_is_shown_only_in_the_browser_that_stopped(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna, other = visitor(), visitor()
    anna.rate(begun(anna, f"/s/study?{LINKS['sona']}"))
    other.get(f"/s/study?{LINKS['sona']}")
    assert 'id="receipt"' in anna.post("/s/study/withdraw", data={"withdraw": "stop"}).text
    refused = other.get("/s/study/withdrawn")
    assert refused.status_code == 410
    assert 'id="receipt"' not in refused.text


CODES = {"code": "D0NE", "otherwise": {"full": {"code": "FU11"}, "screened_out": {"code": "N0T4U"}}}


@pytest.mark.parametrize("platform", LINKS)
def test_participant_id_alone_shows_no_completion_code(
    study: Callable[..., int], visitor: Callable[[], Visitor], platform: str
) -> None:
    link = f"/s/study?{LINKS[platform]}"
    study(n_items=2, completion=CODES)
    anna, before, after = visitor(), visitor(), visitor()
    page = begun(anna, link)
    before.get(link)
    last = anna.rate(anna.rate(page))
    assert "D0NE" in last.text
    for other, path in ((before, "/s/study/done"), (after, link)):
        seen = other.get(path)
        assert heading(seen) == "You have finished. Thank you."
        assert "D0NE" not in seen.text
        assert 'id="code-elsewhere"' in seen.text
    assert "D0NE" in anna.get(link).text


def test_participant_id_alone_shows_no_other_code(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    there = {"key": "there", "target": "rater", "type": "category", "text": "Are you?", "codes": {"y": "Y", "n": "N"}}
    eligibility = {"accept": {"there": "y"}}
    study(questions=[PREFERENCE, EMPATHY, there], completion=CODES, flow={"eligibility": eligibility})
    anna, other = visitor(), visitor()
    anna.arrive()
    assert "N0T4U" in anna.post("/s/study/questions/eligibility", data={"q2": "n"}).text
    seen = other.arrive()
    assert "Thank you for your interest" in seen.text
    assert "N0T4U" not in seen.text


def test_code_of_a_closed_study_needs_the_first_browser(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(completion=CODES)
    anna, other = visitor(), visitor()
    anna.begin()
    other.arrive()
    with engine.begin() as db:
        close_study(db, "study")
    assert "FU11" in anna.get("/s/study/rate").text
    assert "FU11" not in other.get("/s/study/rate").text


def test_personal_link_shows_the_code_on_any_device(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=2, completion=CODES)
    with engine.begin() as db:
        link = f"/s/study?invite={record_invite(db, study_id)}"
    anna, other = visitor(), visitor()
    anna.rate(anna.rate(begun(anna, link)))
    assert "D0NE" in other.get(link).text


def test_participant_id_shows_no_receipt_after_deletion(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    anna.rate(anna.begin())
    anna.post("/s/study/withdraw", data={"withdraw": "delete"})
    assert 'id="receipt"' in anna.arrive().text
    stranger = visitor().arrive()
    assert stranger.status_code == 410
    assert 'id="receipt"' not in stranger.text


def test_questionnaire_answers_are_hidden_in_another_browser(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    about = {"key": "age", "target": "rater", "type": "text", "text": "How old are you?"}
    study(questions=[PREFERENCE, EMPATHY, about], flow={"before": [{"questions": ["age"]}]})
    anna, other = visitor(), visitor()
    anna.arrive()
    anna.post("/s/study/questions/before-1/save", data={"slot": "q2", "q2": "forty-one"})
    assert "forty-one" in anna.get("/s/study/questions/before-1").text
    page = other.arrive()
    assert "How old are you?" in page.text
    assert "forty-one" not in page.text


def test_revisit_hides_answers_from_first_browser(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    who = {
        "key": "who",
        "target": "response",
        "type": "category",
        "text": "Who wrote it?",
        "codes": {"p": "P", "a": "A"},
    }
    design = {"trials": "single", "same_item": False}
    study(n_items=2, questions=[EMPATHY, who], flow={"revisit": ["who"]}, design=design)
    anna, other = visitor(), visitor()
    first = anna.rate(anna.rate(anna.begin(), {"q0r0": "4"}), {"q0r0": "4"})
    second = anna.rate(first, {"q1r0": "a"})
    seen = other.arrive()
    assert "Who wrote it?" in seen.text
    assert not answered(seen.text)
    assert form_address(first) not in seen.text
    assert form_address(seen) == form_address(second)
    assert form_address(other.get(form_address(first))) == form_address(seen)


def test_lead_sees_that_session_moved(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study()
    anna, other = visitor(), visitor()
    anna.begin()
    other.arrive()
    other.arrive()
    with engine.connect() as db:
        assert get_coverage(db, study_id).rating_sessions.n_moved == 1
        kinds = db.execute(text("SELECT kind FROM events WHERE kind = 'session_moved'")).scalars().all()
    assert len(kinds) == 1


def test_second_link_does_not_replace_first_parameters(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna, other = visitor(), visitor()
    begun(anna, "/s/study?workerId=A1&assignmentId=mine&hitId=h&turkSubmitTo=https%3A%2F%2Fwww.mturk.com")
    other.get("/s/study?workerId=A1&assignmentId=theirs&hitId=h&turkSubmitTo=https%3A%2F%2Fwww.mturk.com")
    with engine.connect() as db:
        assert db.execute(text("SELECT parameters ->> 'assignmentId' FROM platform_ids")).scalar_one() == "mine"
        assert db.execute(text("SELECT parameters ->> 'assignmentId' FROM session_moves")).scalar_one() == "theirs"


def test_concurrently_opened_link_is_not_a_move(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], link: str
) -> None:
    study()
    anna = visitor()
    held = anna.get(link, follow_redirects=False).cookies["attune-rater-study"]
    anna.cookies.clear()
    again = anna.get(link, follow_redirects=False)
    assert again.status_code == 303
    assert "set-cookie" not in again.headers
    anna.cookies.set("attune-rater-study", held)
    assert anna.get(again.headers["location"]).status_code == 200
    assert n_of(engine, "session_moves") == 0


def test_personal_link_gives_full_access_in_any_browser(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(design={"links": "personal"})
    with engine.begin() as db:
        invite = record_invite(db, study_id)
    anna, other = visitor(), visitor()
    first = begun(anna, f"/s/study?invite={invite}")
    anna.rate(first)
    assert heading(other.get(f"/s/study?invite={invite}")) == "Item 2 of 3"
    assert answered(other.get(form_address(first)).text)
    assert 'value="delete"' in other.get("/s/study/withdraw").text
    assert n_of(engine, "session_moves") == 0


def test_study_can_require_personal_links(study: Callable[..., int], visitor: Callable[[], Visitor], link: str) -> None:
    study(design={"links": "personal"})
    refused = visitor().get(link)
    assert refused.status_code == 403
    assert "personal link" in refused.text
