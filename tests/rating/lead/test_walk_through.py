"""A lead walks through a draft as a rater: every page, skipping, starting again, and what is left of it afterwards."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.checklist import get_opening
from app.rating.life_cycle import open_study
from app.studies.editor.protocol_edits import Change, save_change
from app.studies.members.members import record_member
from app.studies.studies import delete_study, get_study, list_studies
from app.studies.walk_throughs import forget_old_walk_throughs, forget_walk_throughs
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of

ABOUT = {"target": "rater", "type": "category"}
YES_NO = {"yes": "Yes", "no": "No"}
FLOW = {
    "consent": {"version": "1", "text": "You may stop at any time."},
    "eligibility": {"accept": {"adult": ["yes"]}},
    "practice": {"trials": [{"item": "item-0", "expect": {"empathy": ["4"]}, "feedback": "It shows care."}]},
    "before": [{"title": "About you", "questions": ["job", "where"]}],
    "revisit": ["guess"],
    "debrief": {"text": "The study compared people with a model.", "show_sources": True},
}
CHECKS = {
    "attention": [{"key": "look", "text": "Choose no.", "codes": YES_NO, "correct": "no", "after": 1}],
    "comprehension": [
        {"key": "task", "text": "What do you do?", "codes": {"rate": "Rate", "run": "Run"}, "correct": "rate",
         "explanation": "You rate."}
    ],
}  # fmt: skip
WHOLE = protocol_of(
    "small",
    questions=[
        PREFERENCE,
        EMPATHY,
        {"key": "guess", "target": "response", "type": "category", "text": "Who wrote it?",
         "codes": {"person": "A person", "model": "A model"}},
        {"key": "adult", "text": "Are you 18 or older?", "codes": YES_NO, **ABOUT},
        {"key": "job", "text": "Do you work in care?", "codes": YES_NO, **ABOUT},
        {"key": "where", "target": "rater", "type": "text", "text": "Where do you work?",
         "show_if": {"question": "job", "equals": "yes"}},
    ],
    flow=FLOW,
    checks=CHECKS,
    design={"trials": "pairs", "trials_per_rater": 3},
    recruitment={"platform": "prolific"},
    completion={"code": "C0DE42"},
)  # fmt: skip


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    study_id = build_study(db, WHOLE, n_items=4)
    record_member(db, study_id, lead.id, "owner")
    return study_id


@pytest.fixture
def client(client: TestClient) -> TestClient:
    client.follow_redirects = True
    return client


def start(client: TestClient) -> Any:  # noqa: ANN401 - httpx's response
    return client.post("/studies/small/walk-through")


def address(page: Any) -> str:  # noqa: ANN401
    found = re.search(r"/s/(walk_through_[0-9a-f]+)/walk-through/again", page.text)
    assert found, page.text
    return f"/s/{found[1]}"


def skip(client: TestClient, page: Any, step: str) -> Any:  # noqa: ANN401
    return client.post(f"{address(page)}/walk-through/skip", data={"to": step})


def submit(client: TestClient, page: Any, *chosen: str, **fields: str) -> Any:  # noqa: ANN401
    """Send the main form of a page with its hidden fields; `chosen` are values of radio buttons."""
    forms = re.split("(?=<form)", page.text[page.text.index("<main") :])
    form = next(one for one in forms if one.startswith("<form") and '/keys"' not in one)
    action = re.search(r'action="([^"]+)"', form)
    assert action, form
    hidden = dict(re.findall(r'<input type="hidden"\s+name="([^"]+)"\s+value="([^"]*)">', form))
    for value in chosen:
        name = re.search(rf'name="([^"]+)"[^>]*value="{value}"', form)
        assert name, form
        hidden[name[1]] = value
    return client.post(action[1], data=hidden | fields)


def walk(db: Connection, lead: Lead) -> tuple[str, str]:
    study = get_study(db, "small", lead.id)
    assert study
    (line,) = [one for one in get_opening(db, study).checklist() if one.title == "Walk-through"]
    return line.state, line.words


def n_copies(db: Connection) -> int:
    return int(db.execute(text("SELECT count(*) FROM studies WHERE slug <> 'small'")).scalar_one())


def test_whole_session_is_walked_and_nothing_is_stored_in_the_study(
    db: Connection, client: TestClient, lead: Lead, study_id: int
) -> None:
    assert walk(db, lead)[0] == "look"
    page = start(client)
    seen = []

    def go(words: str, *chosen: str, **fields: str) -> None:
        nonlocal page
        assert "Walk-through: nothing is stored" in page.text
        assert words in page.text, page.text
        seen.append(words)
        page = submit(client, page, *chosen, **fields)

    go("You may stop at any time.", consent="agree")
    go("Are you 18 or older?", "yes")
    go("Do you work in care?", "yes", asked="q4")
    # The question that follows from the answer is asked before the page is passed.
    go("Please answer this question too", "yes", asked="q5", q5="In a ward")
    go("Begin")
    go("What do you do?", "run")
    go("You rate.", "rate")
    page = skip(client, page, "rating")
    for _ in range(3):
        if "Choose no." in page.text:
            go("Choose no.", "no")
        go("Which response is better?", q0="left", q1r0="4", q1r1="2")
    for _ in range(3):
        go("Who wrote it?", q2r0="person", q2r1="model")
    go("The study compared people with a model.")
    assert "C0DE42" in page.text
    assert "https://app.prolific.com/submissions/complete?cc=C0DE42" in page.text
    # Nobody is taken away from a walk-through.
    assert "data-redirect" not in page.text
    of_study = (
        "SELECT (SELECT count(*) FROM raters WHERE study_id = :s) + (SELECT count(*) FROM ratings WHERE study_id = :s)"
    )
    assert db.execute(text(of_study), {"s": study_id}).scalar_one() == 0
    assert walk(db, lead) == ("look", "It reached the last page, but skipped: Practice trials.")
    assert (
        client.get(f"{address(page)}/walk-through", follow_redirects=False)
        .headers["location"]
        .endswith("/studies/small#run")
    )


def test_skipping_answers_what_is_between_and_starting_again_forgets_it(
    db: Connection, client: TestClient, lead: Lead, study_id: int
) -> None:
    page = skip(client, start(client), "done")
    assert "C0DE42" in page.text
    assert "Skip to</label>" not in page.text
    state, words = walk(db, lead)
    assert state == "look"
    assert "Consent form" in words
    first = address(page)
    again = client.post(f"{first}/walk-through/again")
    assert "You may stop at any time." in again.text
    assert address(again) != first
    assert client.get(f"{first}/walk-through").status_code == 404
    assert n_copies(db) == 1
    # A step that lies behind is not gone to.
    assert "You may stop at any time." in skip(client, again, "consent").text


def test_later_waves_are_walked_too_as_if_their_days_had_passed(db: Connection, client: TestClient, lead: Lead) -> None:
    lonely = {"key": "lonely", "target": "rater", "type": "slider", "text": "How lonely are you?"}
    waves = [{"days": 14, "text": "Good to see you again"}, {"days": 40, "completion": {"code": "W3CODE"}}]
    simple = protocol_of(
        "small", questions=[PREFERENCE, EMPATHY, lonely], waves=waves, recruitment={"platform": "prolific"}
    )
    record_member(db, build_study(db, simple, n_items=1), lead.id, "owner")
    page = skip(client, start(client), "done")
    assert "You have finished." in page.text
    assert "Last page (Wave 3)" in page.text
    assert walk(db, lead)[1].startswith("Nobody has gone through")
    page = skip(client, page, "wave2")
    assert "Good to see you again" in page.text
    page = submit(client, page)
    assert "How lonely are you?" in page.text
    page = submit(client, page, q3="40")
    assert "You have finished." in page.text
    page = skip(client, page, "wave3-1")
    assert "How lonely are you?" in page.text
    page = submit(client, page, q4="50")
    assert "W3CODE" in page.text
    assert "Skip to</label>" not in page.text
    state, words = walk(db, lead)
    assert (state, "First page (Wave 3)" in words, "Wave 2" in words) == ("look", True, False)
    again = skip(client, client.post(f"{address(page)}/walk-through/again"), "wave3-1")
    assert "How lonely are you?" in again.text
    assert "First page (Wave 2)" not in again.text


def test_walk_counts_for_the_protocol_that_was_walked(
    db: Connection, client: TestClient, lead: Lead, study_id: int
) -> None:
    simple = {key: value for key, value in WHOLE.items() if key not in {"flow", "checks"}} | {
        "questions": [PREFERENCE, EMPATHY], "slug": "brief", "design": {"trials": "pairs", "trials_per_rater": 1}
    }  # fmt: skip
    record_member(db, build_study(db, simple, n_items=1), lead.id, "owner")
    page = submit(client, client.post("/studies/brief/walk-through"))
    page = submit(client, page, q0="left", q1r0="4", q1r1="2")
    study = get_study(db, "brief", lead.id)
    assert study
    assert "C0DE42" in page.text
    found = {one.title: one.state for one in get_opening(db, study).checklist()}
    assert found["Walk-through"] == "good"
    save_change(db, study, lead, 0, Change(lambda data: data["title"], lambda data: {**data, "title": "Another"}))
    found = {one.title: one.state for one in get_opening(db, study).checklist()}
    assert found["Walk-through"] == "look"


def test_walk_is_in_the_condition_that_the_lead_chooses(db: Connection, client: TestClient, lead: Lead) -> None:
    about = {"short": "In short: rate.", "long": "At length: rate with care.", "none": "Rate."}
    told = {"kind": "instruction", "levels": about, "assign": "between"}
    varied = protocol_of(
        "small",
        questions=[EMPATHY],
        design={"trials": "single"},
        conditions={"told": told},
        flow={"consent": FLOW["consent"]},
    )
    record_member(db, build_study(db, varied, n_items=4), lead.id, "owner")
    page = start(client)
    assert "Drawn, as for raters" in page.text
    for level, words in about.items():
        page = client.post(f"{address(page)}/walk-through/again", data={"condition": f"told={level}"})
        assert re.search(rf'value="told={level}"\s+selected', page.text), page.text
        page = submit(client, submit(client, page, consent="agree"))
        assert words in page.text
        assert re.search(rf'value="told={level}"\s+selected', page.text)
    page = client.post(f"{address(page)}/walk-through/again", data={"condition": "told=x"})
    assert "Drawn, as for raters" in page.text


def test_copies_are_in_no_list_and_go_with_the_draft(
    db: Connection, client: TestClient, lead: Lead, study_id: int
) -> None:
    page = start(client)
    assert [study.slug for study in list_studies(db)] == ["small"]
    assert client.get(f"/studies/{address(page).removeprefix('/s/')}").status_code == 404
    db.execute(text("UPDATE walk_throughs SET started_at = now() - interval '25 hours'"))
    forget_old_walk_throughs(db)
    assert n_copies(db) == 0
    start(client)
    forget_walk_throughs(db, study_id)
    assert n_copies(db) == 0
    start(client)
    delete_study(db, study_id)
    assert db.execute(text("SELECT count(*) FROM studies")).scalar_one() == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("DELETE FROM responses", "can be made from its responses. Add texts"),
        ("UPDATE protocols SET yaml = 'attune: 1'", "The design has"),
    ],
)
def test_draft_that_cannot_be_walked_says_why(
    change: str, words: str, db: Connection, client: TestClient, study_id: int
) -> None:
    db.execute(text(change))
    page = start(client)
    assert page.status_code == 409
    assert words in page.text
    assert n_copies(db) == 0


def test_only_people_of_the_study_walk_through_it_also_once_it_is_open(
    db: Connection, client: TestClient, visit: Callable[[], TestClient], study_id: int
) -> None:
    page = start(client)
    stranger = visit()
    assert stranger.get(address(page)).status_code == 400
    stranger.follow_redirects = True
    assert "Walk-through" not in stranger.post(f"{address(page)}/walk-through/again").text
    assert n_copies(db) == 1
    assert client.post("/s/small/walk-through/again").status_code == 404
    open_study(db, "small")
    assert "Walk through as a rater" in client.get("/studies/small").text
    assert "Walk-through: nothing is stored" in start(client).text
    assert db.execute(text("SELECT count(*) FROM raters WHERE study_id = :study"), {"study": study_id}).scalar() == 0


def test_pages_of_a_walk_can_be_framed_by_our_own_pages_only(client: TestClient, study_id: int) -> None:
    """The frame is as wide as a phone. Pages of raters, and those of leads, still forbid any frame."""
    page = start(client)
    assert ">Desktop<" not in page.text
    phone = client.get(f"{address(page)}/walk-through/phone")
    assert f'src="{address(page)}/rate"' in phone.text
    assert "frame-src 'self'" in phone.headers["content-security-policy"]
    framed = client.get(f"{address(page)}/rate", headers={"Sec-Fetch-Dest": "iframe"})
    assert "frame-ancestors 'self';" in framed.headers["content-security-policy"]
    assert ">Desktop<" in framed.text
    for other in ("/s/small", "/studies/small"):
        assert "frame-ancestors 'none';" in client.get(other).headers["content-security-policy"]
    again = client.post(f"{address(page)}/walk-through/again", data={"view": "phone"})
    assert again.url.path.endswith("/walk-through/phone")
    assert client.get(phone.url.path).status_code == 404
