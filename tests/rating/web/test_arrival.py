"""Arrival by the link of any platform, at an address without parameters and under a pseudonym."""

from collections.abc import Callable

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine, text
from starlette.testclient import TestClient

from app.base.database.keys import token_hash
from app.rating.arrival.arrivals import record_invite
from app.rating.life_cycle import close_study, pause_study
from tests.kit.rater_pages import Visitor, heading

LINKS = {
    "prolific": "PROLIFIC_PID=5f3e&STUDY_ID=st&SESSION_ID=se",
    "mturk": "workerId=A1B2&assignmentId=as&hitId=hi&turkSubmitTo=https%3A%2F%2Fwww.mturk.com",
    "sona": "survey_code=10432",
    "participant": "participant=anna",
}
UNUSABLE = [
    "",
    "PROLIFIC_PID=",
    "PROLIFIC_PID={{%25PROLIFIC_PID%25}}",
    "survey_code=%25SURVEY_CODE%25",
    "survey_code=%SURVEY_CODE%",
    "participant=%00",
    "participant=a%0Ab",
    f"participant={'x' * 201}",
]


@pytest.mark.parametrize("platform", LINKS)
def test_platform_link_redirects_to_clean_address(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], platform: str
) -> None:
    study()
    page = visitor().get(f"/s/study?{LINKS[platform]}")
    assert page.url.path == "/s/study/start"
    assert not page.url.query
    assert "You will rate 3 items, one per page (about 2 minutes)." in " ".join(page.text.split())
    with engine.connect() as db:
        stored = db.execute(text("SELECT platform, platform_id, parameters FROM platform_ids")).one()
    sent = dict(part.split("=") for part in LINKS[platform].split("&"))
    assert stored.platform == platform
    assert stored.platform_id == next(iter(sent.values()))
    # SONA grants credit for the code that it sent.
    assert set(stored.parameters) == set(list(sent)[0 if platform == "sona" else 1 :])


def test_rater_is_told_of_no_more_than_is_free(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(design={"raters_per_trial": 2})
    anna, ben, cleo = (visitor() for _ in range(3))
    page = anna.begin("anna")
    for _ in range(3):
        page = anna.rate(page)
    ben.rate(ben.begin("ben"))
    ben.post("/s/study/withdraw", data={"withdraw": "stop"})
    assert "You will rate 2 items, one per page" in cleo.arrive("cleo").text
    assert heading(cleo.post("/s/study/start")) == "Item 1 of 2"


def test_participant_id_is_stored_in_one_table_only(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1)
    anna = visitor()
    anna.rate(anna.begin("5f3e-very-own-id"))
    with engine.connect() as db:
        tables = db.execute(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).scalars().all()
        found = [
            table
            for table in tables
            if db.execute(text(f"SELECT count(*) FROM {table} AS t WHERE t::text LIKE '%very-own-id%'")).scalar()  # noqa: S608
        ]
    assert found == ["platform_ids"]


def test_pseudonyms_differ_between_studies(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(slug="one")
    study(slug="two")
    anna = visitor()
    for slug in ("one", "two"):
        assert anna.arrive("anna", slug).status_code == 200
    with engine.connect() as db:
        keys = db.execute(text("SELECT key FROM raters")).scalars().all()
    assert len(set(keys)) == 2


@pytest.mark.parametrize("query", UNUSABLE)
def test_link_without_usable_id_shows_clear_page(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor], query: str
) -> None:
    study()
    page = visitor().get(f"/s/study?{query}")
    assert page.status_code == 400
    assert heading(page) == "This link is not complete"
    with engine.connect() as db:
        assert db.execute(text("SELECT count(*) FROM raters")).scalar() == 0


def test_mturk_preview_shows_instructions_and_stores_nothing(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(instructions="Read **both**.")
    worker = visitor()
    page = worker.get("/s/study?workerId=A1&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    assert page.status_code == 200
    assert "<strong>both</strong>" in page.text
    assert not worker.cookies
    with engine.connect() as db:
        assert (
            db.execute(text("SELECT (SELECT count(*) FROM raters) + (SELECT count(*) FROM platform_ids)")).scalar() == 0
        )


def test_instructions_cannot_contain_scripts(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(instructions="<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(1)>")
    page = visitor().arrive()
    assert "<script>alert" not in page.text
    assert "<img" not in page.text
    assert 'href="javascript' not in page.text


def test_returning_rater_with_cookie_continues_without_id(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    anna.rate(anna.begin())
    assert heading(anna.get("/s/study")) == "Item 2 of 3"


@pytest.mark.parametrize(
    ("language", "direction", "words"),
    [
        ("en", "ltr", "Please open the link again where you found it."),
        ("de-AT,en;q=0.5", "ltr", "Bitte öffnen Sie den Link noch einmal dort, wo Sie ihn gefunden haben."),
        ("ar", "rtl", "يُرجى فتح الرابط مرة أخرى"),
    ],
)
def test_link_of_a_deleted_study_says_what_to_do_in_the_language_of_the_browser(
    visitor: Callable[[], Visitor], language: str, direction: str, words: str
) -> None:
    anna = visitor()
    anna.headers["accept-language"] = language
    answer = anna.arrive(slug="nothing")
    assert (answer.status_code, words in answer.text, f'dir="{direction}"' in answer.text) == (404, True, True)
    assert "have access to it" not in answer.text + anna.get("/s/nothing/privacy").text


def test_paused_study_refuses_new_raters_and_lets_others_finish(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1)
    anna, ben = visitor(), visitor()
    page = anna.begin()
    with engine.begin() as db:
        pause_study(db, "study")
    refused = ben.arrive("ben")
    assert (refused.status_code, heading(refused)) == (403, "This study is not open")
    assert heading(anna.arrive()) == "Item 1 of 1"
    assert heading(anna.rate(page)) == "You have finished. Thank you."


def test_closed_study_keeps_completion_pages(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, completion={"code": "C0DE"})
    anna, ben = visitor(), visitor()
    anna.rate(anna.begin("anna"))
    page = ben.begin("ben")
    with engine.begin() as db:
        close_study(db, "study")
    assert ben.rate(page).status_code == 410
    assert ben.arrive("carl").status_code == 410
    assert "C0DE" in anna.arrive("anna").text


def test_personal_link_works_until_revoked(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study()
    with engine.begin() as db:
        invite = record_invite(db, study_id)
        assert db.execute(text("SELECT token_hash FROM invites")).scalar_one() == token_hash(invite)
    first, second = visitor(), visitor()
    first.get(f"/s/study?invite={invite}")
    page = first.rate(first.post("/s/study/start"))
    assert heading(second.get(f"/s/study?invite={invite}")) == heading(page) == "Item 2 of 3"
    with engine.begin() as db:
        db.execute(text("UPDATE invites SET revoked_at = now()"))
    assert visitor().get(f"/s/study?invite={invite}").status_code == 403
    assert visitor().get("/s/study?invite=guessed").status_code == 403


def test_personal_link_of_a_draft_says_first_that_it_was_revoked(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study()
    with engine.begin() as db:
        address = db.execute(text("UPDATE studies SET status = 'draft' RETURNING rater_token")).scalar_one()
        link = f"/s/{address}?invite={record_invite(db, study_id)}"
    assert "has not opened yet" in visitor().get(link).text
    with engine.begin() as db:
        assert not db.execute(text("SELECT count(*) FROM raters")).scalar_one()
        db.execute(text("UPDATE invites SET revoked_at = now()"))
    page = visitor().get(link).text
    assert "no longer valid" in page
    assert "has not opened yet" not in page


def test_cookie_is_http_only_and_host_bound_over_https(app: FastAPI, study: Callable[..., int]) -> None:
    study()
    plain = TestClient(app, base_url="http://testserver", follow_redirects=False)
    secure = TestClient(app, base_url="https://testserver", follow_redirects=False)
    over_http = plain.get("/s/study?participant=a").headers["set-cookie"]
    over_https = secure.get("/s/study?participant=b").headers["set-cookie"]
    assert over_http.startswith("attune-rater-study=")
    assert "HttpOnly" in over_http
    assert "SameSite=lax" in over_http
    assert over_https.startswith("__Host-attune-rater-study=")
    assert "Secure" in over_https
    assert "Path=/" in over_https


def test_database_stores_only_token_hash(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    anna.arrive()
    token = anna.cookies["attune-rater-study"]
    assert len(token) >= 43
    with engine.connect() as db:
        assert db.execute(text("SELECT token_hash FROM rating_sessions")).scalar_one() == token_hash(token)
