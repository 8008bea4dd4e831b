"""Signing in by OpenID Connect: which account opens, what is refused, and what is left of passwords."""

import logging
import re
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from httpx2 import Response
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.identities import delete_identities
from app.accounts.lead_access import add_lead, begin_session, new_link, set_password
from app.accounts.leads import Lead, get_lead, get_password_hash
from app.accounts.passwords import AccessError, check_password
from app.studies.members.changes import invite
from app.studies.members.members import list_invitations, list_members
from app.studies.studies import get_study
from tests.accounts.web.test_sign_in import RIGHT
from tests.kit.lead_studies import study_of
from tests.kit.openid_server import State, openid_server
from tests.studies.web.test_people import GOOD, invited, link_in

START, BACK, COOKIE = "/sign-in/openid/start", "/sign-in/openid/return", "attune-openid"


@pytest.fixture
def there(app: FastAPI) -> Iterator[State]:
    with openid_server() as state:
        app.state.openid = state.provider()
        yield state


@pytest.fixture
def no_passwords(app: FastAPI, there: State) -> None:
    app.state.has_local_passwords = False


def go(browser: TestClient, there: State, path: str = "/studies") -> str:
    """Sign in at the provider; the address at which the browser comes back."""
    started = browser.get(START, params={"next": path})
    assert started.status_code == 303, started.text
    return f"{BACK}?{urlencode(there.authorize(started.headers['location']))}"


def sign_in(browser: TestClient, there: State, path: str = "/studies") -> Response:
    return browser.get(go(browser, there, path))


def problem_in(answer: Response) -> str:
    """The sentence on the sign-in page; nobody was signed in."""
    found = re.search(r'role="alert">([^<]+)<', answer.text)
    assert found, answer.text
    assert "attune-lead" not in answer.headers.get("set-cookie", "")
    return found[1]


def test_lead_with_the_verified_address_signs_in_and_returns(visitor: TestClient, there: State, lead: Lead) -> None:
    page = visitor.get("/sign-in?next=/studies/new").text
    assert "Sign in with <bdi>Example University</bdi>" in page
    assert f'href="{START}?next=/studies/new"' in page
    answer = sign_in(visitor, there, "/studies/new")
    assert (answer.status_code, answer.headers["location"]) == (303, "/studies/new")
    assert visitor.get("/studies/new").status_code == 200
    assert COOKIE not in visitor.cookies


def test_outcomes_are_logged_without_addresses(
    visitor: TestClient, there: State, lead: Lead, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "attune.security")
    sign_in(visitor, there)
    there.claims |= {"sub": "person-2", "email": "nobody@example.org"}
    sign_in(visitor, there)
    assert [record.getMessage() for record in caplog.records] == [
        f"linked to an identity, earlier ways in ended: lead {lead.id}, from testclient",
        f"signed in by OpenID Connect: lead {lead.id}, from testclient",
        "sign-in by OpenID Connect failed: no account, from testclient",
        "sign-in by OpenID Connect: no account has this e-mail address",
    ]


def test_previous_session_ends_at_sign_in(visit: Callable[[], TestClient], there: State, lead: Lead) -> None:
    browser, thief = visit(), visit()
    sign_in(browser, there)
    thief.cookies.set("attune-lead", browser.cookies["attune-lead"])
    assert thief.get("/studies").status_code == 200
    sign_in(browser, there)
    assert thief.get("/studies").status_code == 303


def test_response_in_another_browser_is_refused(visit: Callable[[], TestClient], there: State, lead: Lead) -> None:
    address = go(visit(), there)
    assert "another browser" in problem_in(visit().get(address))
    other = visit()
    go(other, there)
    assert "another browser" in problem_in(other.get(address))


def test_response_works_once(visitor: TestClient, there: State, lead: Lead) -> None:
    started = visitor.get(START)
    cookie, back = visitor.cookies[COOKIE], there.authorize(started.headers["location"])
    assert visitor.get(BACK, params=back).status_code == 303
    visitor.cookies.delete("attune-lead")
    assert "expired" in problem_in(visitor.get(BACK, params=back))
    visitor.cookies.set(COOKIE, cookie)
    answer = visitor.get(BACK, params=back)
    assert (answer.status_code, "not valid" in problem_in(answer)) == (403, True)


def test_cancelled_sign_in_is_explained(visitor: TestClient, there: State) -> None:
    back = {"state": state_of(visitor), "error": "access_denied"}
    assert "did not finish" in problem_in(visitor.get(BACK, params=back))


def state_of(browser: TestClient) -> str:
    """The state that belongs to a new attempt of this browser."""
    found = re.search(r"[?&]state=([\w-]+)", browser.get(START).headers["location"])
    assert found
    return found[1]


@pytest.mark.parametrize("verified", [False, None])
def test_unverified_address_opens_no_account(
    visitor: TestClient, there: State, lead: Lead, *, verified: bool | None
) -> None:
    there.claims["email_verified"] = verified
    answer = sign_in(visitor, there)
    assert (answer.status_code, "did not confirm" in problem_in(answer)) == (403, True)


def test_unknown_address_gets_no_account(visitor: TestClient, there: State, db: Connection, lead: Lead) -> None:
    there.claims["email"] = "new@example.org"
    assert "invitation" in problem_in(sign_in(visitor, there))
    assert get_lead(db, "new@example.org") is None


def test_another_subject_with_the_same_address_is_refused(
    visit: Callable[[], TestClient], there: State, db: Connection, lead: Lead
) -> None:
    sign_in(visit(), there)
    there.claims["sub"] = "person-2"
    assert "another identity" in problem_in(sign_in(visit(), there))
    assert delete_identities(db, lead.id) == 1
    assert sign_in(visit(), there).status_code == 303


def test_changed_address_at_the_provider_opens_the_same_account(
    visit: Callable[[], TestClient], there: State, db: Connection, lead: Lead
) -> None:
    sign_in(visit(), there)
    other = add_lead(db, "other@example.org")
    there.claims["email"] = other.email
    browser = visit()
    assert sign_in(browser, there).status_code == 303
    assert lead.email in browser.get("/account").text


@pytest.fixture
def invitation(db: Connection, lead: Lead) -> str:
    study_of(db, lead)
    study = get_study(db, "small", lead.id)
    assert study
    return f"/invitations/{invite(db, study, lead, 'new@example.org', 'analyst')}"


def test_invited_person_gets_an_account_and_joins(
    visitor: TestClient, there: State, db: Connection, invitation: str
) -> None:
    assert f'href="{START}?next={invitation}"' in visitor.get(invitation).text
    there.claims |= {"sub": "person-2", "email": "new@example.org"}
    assert sign_in(visitor, there, invitation).headers["location"] == invitation
    assert visitor.post(invitation).headers["location"] == "/studies/small"
    new = get_lead(db, "new@example.org")
    assert new
    assert get_password_hash(db, new.id) is None


@pytest.mark.parametrize("is_withdrawn", [False, True])
def test_invitation_of_somebody_else_gives_no_account(
    visitor: TestClient, there: State, db: Connection, invitation: str, *, is_withdrawn: bool
) -> None:
    if is_withdrawn:
        db.execute(text("UPDATE study_invitations SET expires_at = now()"))
    email = "new@example.org" if is_withdrawn else "stranger@example.org"
    there.claims |= {"sub": "person-2", "email": email}
    assert "invitation" in problem_in(sign_in(visitor, there, invitation))
    assert get_lead(db, email) is None


DEAN = {"email": "dean@example.org", "password": GOOD}
PEOPLE, TOKENS = "/studies/small/people", "/studies/small/settings/api"


def squat(client: TestClient, squatter: TestClient) -> str:
    """The owner of a study invites the dean, opens the invitation and sets a password; the address of the member."""
    link = invited(client, role="owner", email=DEAN["email"])
    assert squatter.post(link, data={"password": DEAN["password"]}).status_code == 303
    found = re.search(rf"{PEOPLE}/\d+(?=/recovery)", client.get(PEOPLE).text)
    assert found
    return found[0]


def dean_signs_in(browser: TestClient, there: State) -> None:
    there.claims |= {"sub": "the-dean", "email": DEAN["email"]}
    assert sign_in(browser, there).status_code == 303


def test_who_opened_an_invitation_first_loses_the_account_when_its_owner_signs_in(
    client: TestClient, visit: Callable[[], TestClient], there: State, db: Connection, lead: Lead
) -> None:
    study_id = study_of(db, lead)
    squatter, dean = visit(), visit()
    member = squat(client, squatter)
    recovery = link_in(client.post(f"{member}/recovery", follow_redirects=True))
    made = squatter.post(TOKENS, data={"name": "script", "role": "analyst", "days": "90"}, follow_redirects=True)
    token = re.search(r"attune_[\w-]+", made.text)
    assert token
    bearer = {"authorization": f"Bearer {token[0]}"}
    assert visit().get("/api/v1/studies/small", headers=bearer).status_code == 200
    invited(squatter, email="friend@example.org")

    dean_signs_in(dean, there)
    assert dean.get("/studies").status_code == 200
    assert squatter.get("/studies").status_code == 303
    assert visit().post("/sign-in", data=DEAN).status_code == 422
    assert visit().post(recovery).status_code == 410
    assert visit().get("/api/v1/studies/small", headers=bearer).status_code == 401
    assert list_invitations(db, study_id) == []
    account = get_lead(db, DEAN["email"])
    assert account
    assert get_password_hash(db, account.id) is None
    assert DEAN["email"] in [one.email for one in list_members(db, study_id)]


def test_no_owner_makes_a_recovery_link_for_an_account_with_an_identity(
    client: TestClient, visit: Callable[[], TestClient], there: State, db: Connection, lead: Lead
) -> None:
    study_of(db, lead)
    member = squat(client, visit())
    dean_signs_in(visit(), there)
    answer = client.post(f"{member}/recovery")
    assert answer.status_code == 422
    assert "signs in with their institution" in answer.text
    assert "/sign-in/" not in answer.text
    assert db.execute(text("SELECT count(*) FROM sign_in_links WHERE used_at IS NULL")).scalar_one() == 0


def test_later_sign_ins_leave_sessions_and_tokens(
    visit: Callable[[], TestClient], there: State, db: Connection, lead: Lead
) -> None:
    first = visit()
    sign_in(first, there)
    set_password(db, lead, GOOD)
    sign_in(first, there)
    sign_in(visit(), there)
    assert first.get("/studies").status_code == 200
    assert get_password_hash(db, lead.id) is not None


def test_first_link_is_logged(visitor: TestClient, there: State, lead: Lead, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "attune.security")
    sign_in(visitor, there)
    assert f"linked to an identity, earlier ways in ended: lead {lead.id}, from testclient" in caplog.messages


def test_session_that_ended_meanwhile_sets_no_password(db: Connection, lead: Lead) -> None:
    token = begin_session(db, lead)
    set_password(db, lead, GOOD, session=token)
    with pytest.raises(AccessError, match="session has ended"):
        set_password(db, lead, "another four unrelated words", session=token)


def test_password_that_goes_while_it_is_checked_opens_nothing(
    db: Connection, lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashes = [None, get_password_hash(db, lead.id)]
    monkeypatch.setattr("app.accounts.leads.get_password_hash", lambda *_: hashes.pop())
    assert check_password(db, lead.email, RIGHT["password"]) is None


def test_failed_sign_ins_are_limited_with_those_by_password(
    visitor: TestClient, there: State, lead: Lead, db: Connection
) -> None:
    visitor.get(BACK)
    db.execute(text("UPDATE attempts SET n_attempts = 60"))
    assert visitor.get(START).status_code == 429
    assert visitor.get(BACK).status_code == 429
    assert visitor.post("/sign-in", data=RIGHT).status_code == 429


def test_successful_sign_ins_are_not_counted(visitor: TestClient, there: State, lead: Lead, db: Connection) -> None:
    sign_in(visitor, there)
    assert db.execute(text("SELECT max(n_attempts) FROM attempts")).scalar_one() == 0


def test_provider_that_is_down_leaves_the_password(visitor: TestClient, app: FastAPI, lead: Lead) -> None:
    with openid_server() as gone:
        app.state.openid = gone.provider()
    answer = visitor.get(START)
    assert (answer.status_code, "did not respond" in problem_in(answer)) == (503, True)
    assert visitor.post("/sign-in", data=RIGHT).status_code == 303


def test_huge_discovery_document_is_a_problem_of_the_provider(visitor: TestClient, there: State) -> None:
    there.body = b" " * 1_000_000 + b"{}"
    assert visitor.get(START).status_code == 503


def test_without_provider_there_is_no_button(visitor: TestClient) -> None:
    assert START not in visitor.get("/sign-in").text


@pytest.mark.usefixtures("no_passwords")
def test_without_local_passwords_all_forms_for_them_are_gone(
    visitor: TestClient, client: TestClient, invitation: str
) -> None:
    pages = [visitor.get("/sign-in"), client.get("/account"), visitor.get(invitation)]
    assert [('type="password"' in page.text, page.status_code) for page in pages] == [(False, 200)] * 3
    assert visitor.post("/sign-in", data=RIGHT).status_code == 403
    assert (
        client.post("/account", data={"current": RIGHT["password"], "new": "four unrelated words"}).status_code == 403
    )
    assert visitor.post(invitation, data={"password": "four unrelated words"}).status_code == 403


@pytest.mark.usefixtures("no_passwords")
def test_link_of_the_administrator_works_without_local_passwords(
    visitor: TestClient, db: Connection, lead: Lead
) -> None:
    assert visitor.post(f"/sign-in/{new_link(db, lead)}").status_code == 303
    assert visitor.get("/studies").status_code == 200


def test_account_says_whether_it_is_linked(client: TestClient, there: State, db: Connection, lead: Lead) -> None:
    before = client.get("/account").text
    assert "This account is not linked to Example University yet." in before
    there.claims["email"] = lead.email
    assert sign_in(client, there).status_code == 303
    assert "This account is linked to your account at Example University." in client.get("/account").text
    delete_identities(db, lead.id)
    assert "is not linked" in client.get("/account").text
