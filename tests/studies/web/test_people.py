"""People of a study: invited by a link, with a role that can change, removed, and helped back in."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from httpx2 import Response
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead, new_link
from app.accounts.leads import Lead, record_password
from app.accounts.passwords import check_password
from app.studies.audit import list_acts
from app.studies.members.members import list_members, record_invitation, record_member
from app.studies.studies import announce_deletion
from tests.kit.lead_studies import study_of
from tests.studies.web.test_new_study import FOLDER, parts

PAGE = "/studies/small/people"
GOOD = "four unrelated words here"


@pytest.fixture
def other(db: Connection) -> Lead:
    return add_lead(db, "other@example.org", GOOD)


def link_in(answer: Response) -> str:
    """The address that a page shows once, without its host."""
    found = re.search(r'value="http://[^/]+(/[^"]+)"', answer.text)
    assert found is not None, answer.text
    return found[1]


def invited(client: TestClient, role: str = "analyst", email: str = "new@example.org") -> str:
    return link_in(client.post(PAGE, data={"email": email, "role": role}, follow_redirects=True))


def roles(db: Connection, study_id: int) -> dict[str, str]:
    return {member.email: member.role for member in list_members(db, study_id)}


def test_invitation_creates_account_and_membership(
    client: TestClient, visitor: TestClient, db: Connection, study_id: int
) -> None:
    link = invited(client)
    assert "analyst" in visitor.get(link).text
    assert visitor.post(link, data={"password": "short"}).status_code == 422
    answer = visitor.post(link, data={"password": GOOD})
    assert answer.headers["location"] == "/studies/small"
    assert visitor.get("/studies/small").status_code == 200
    assert roles(db, study_id)["new@example.org"] == "analyst"
    assert visitor.get(link).status_code == 410


def test_link_is_shown_once_and_a_reload_leaves_it_valid(
    client: TestClient, visitor: TestClient, db: Connection, study_id: int
) -> None:
    """A reload used to send the form again, and its new invitation replaced the link that had been copied."""
    answer = client.post(PAGE, data={"email": "new@example.org", "role": "analyst"})
    assert (answer.status_code, answer.headers["location"]) == (303, PAGE)
    link = link_in(client.get(PAGE))
    assert link not in client.get(PAGE).text
    assert visitor.get(link).status_code == 200


def test_existing_account_joins_by_signing_in(
    client: TestClient, visitor: TestClient, sign_in: Callable[[Lead], TestClient], other: Lead, study_id: int
) -> None:
    link = invited(client, email=other.email)
    assert f"/sign-in?next={link}" in visitor.get(link).text
    assert visitor.post(link, data={"password": GOOD}).status_code == 422
    browser = sign_in(other)
    assert browser.post(link).headers["location"] == "/studies/small"
    assert "you are analyst" in browser.get("/studies").text
    assert browser.post(link).status_code == 410


def test_invitation_link_never_lowers_a_role(client: TestClient, db: Connection, study_id: int) -> None:
    client.post(invited(client, "monitor"))
    assert roles(db, study_id) == {"lead@example.org": "owner"}


def test_withdrawn_invitation_is_gone(client: TestClient, visitor: TestClient, db: Connection, study_id: int) -> None:
    link = invited(client)
    number = db.execute(text("SELECT id FROM study_invitations")).scalar_one()
    assert client.post(f"{PAGE}/invitations/{number}").status_code == 303
    assert visitor.get(link).status_code == 410
    assert visitor.post(link, data={"password": GOOD}).status_code == 410
    assert client.post(f"{PAGE}/invitations/{number}").status_code == 404


@pytest.mark.parametrize("email", ["", "nobody", "lead@example.org"])
def test_invitation_requires_address_of_a_non_member(client: TestClient, study_id: int, email: str) -> None:
    answer = client.post(PAGE, data={"email": email, "role": "monitor"})
    assert (answer.status_code, 'value="monitor" selected' in answer.text) == (422, True)


def test_sole_owner_cannot_leave_or_be_removed(
    client: TestClient, db: Connection, lead: Lead, other: Lead, study_id: int
) -> None:
    record_member(db, study_id, other.id, "editor")
    for address, data in (("leave", {}), (f"{lead.id}/removal", {}), (f"{lead.id}/role", {"role": "editor"})):
        answer = client.post(f"{PAGE}/{address}", data=data)
        assert (answer.status_code, "needs an owner" in answer.text) == (422, True)
    client.post(f"{PAGE}/{other.id}/role", data={"role": "owner"})
    assert client.post(f"{PAGE}/leave").headers["location"] == "/studies"
    assert client.get(PAGE).status_code == 404
    assert roles(db, study_id) == {"other@example.org": "owner"}


def test_removed_member_loses_access_immediately(
    client: TestClient, sign_in: Callable[[Lead], TestClient], db: Connection, other: Lead, study_id: int
) -> None:
    record_member(db, study_id, other.id, "editor")
    browser = sign_in(other)
    assert browser.get("/studies/small/design").status_code == 200
    assert client.post(f"{PAGE}/{other.id}/removal").status_code == 303
    assert browser.get("/studies/small/design").status_code == 404
    assert client.post(f"{PAGE}/{other.id}/removal").status_code == 422


def test_member_without_permission_is_told_their_role(
    sign_in: Callable[[Lead], TestClient], db: Connection, other: Lead, study_id: int
) -> None:
    record_member(db, study_id, other.id, "monitor")
    browser = sign_in(other)
    assert "Your role in this study, monitor" in browser.get("/studies/small/results").text
    assert "/studies/small/results" not in browser.get("/studies/small").text


def test_analyst_sees_no_forbidden_buttons(
    sign_in: Callable[[Lead], TestClient], db: Connection, other: Lead, study_id: int
) -> None:
    record_member(db, study_id, other.id, "analyst")
    browser = sign_in(other)
    for page in (
        "",
        "/raters",
        "/design",
        "/design/study",
        "/design/questions",
        "/design/text",
        "/settings",
        "/people",
    ):
        forms = re.findall(r'<form[^>]* action="([^"]+)"', browser.get(f"/studies/small{page}").text.replace("\n", " "))
        refused = [form for form in forms if browser.post(form).status_code == 403]
        assert refused == [], page


def test_owner_recovers_member_who_then_sets_a_password(
    client: TestClient, visitor: TestClient, db: Connection, other: Lead, study_id: int
) -> None:
    record_member(db, study_id, other.id, "editor")
    link = link_in(client.post(f"{PAGE}/{other.id}/recovery", follow_redirects=True))
    assert link.endswith("?next=/account")
    assert visitor.post(link.partition("?")[0], data={"next": "/account"}).headers["location"] == "/account"
    assert visitor.post("/account", data={"new": "another four plain words"}).status_code == 303
    assert check_password(db, other.email, "another four plain words") == other
    assert "Your password has been changed" in visitor.get("/account?changed=true").text


def test_session_of_a_recovery_link_ends_after_an_hour_of_an_account_without_a_password_too(
    client: TestClient, visitor: TestClient, db: Connection, other: Lead, study_id: int
) -> None:
    record_password(db, other.id, None)
    record_member(db, study_id, other.id, "editor")
    visitor.post(link_in(client.post(f"{PAGE}/{other.id}/recovery", follow_redirects=True)).partition("?")[0])
    assert visitor.get("/account").status_code == 200
    ends = "SELECT expires_at - now() <= interval '1 hour' FROM lead_sessions WHERE is_from_link"
    assert db.execute(text(ends)).scalar_one()
    assert "unless you set a new password" in visitor.get("/account").text


def test_owner_cannot_recover_account_with_wider_access(
    client: TestClient, db: Connection, lead: Lead, other: Lead, study_id: int
) -> None:
    record_member(db, study_id, other.id, "monitor")
    elsewhere = study_of(db, other, slug="theirs")
    answer = client.post(f"{PAGE}/{other.id}/recovery")
    assert (answer.status_code, "attune lead link" in answer.text) == (422, True)
    record_member(db, elsewhere, lead.id, "editor")
    assert client.post(f"{PAGE}/{other.id}/recovery").status_code == 422
    assert client.post(f"{PAGE}/{lead.id}/recovery").status_code == 422


def test_recovery_link_ends_when_member_joins_another_study(
    client: TestClient,
    visitor: TestClient,
    sign_in: Callable[[Lead], TestClient],
    db: Connection,
    other: Lead,
    study_id: int,
) -> None:
    third = add_lead(db, "third@example.org", GOOD)
    study_of(db, third, slug="theirs")
    record_member(db, study_id, other.id, "editor")
    recovery = link_in(client.post(f"{PAGE}/{other.id}/recovery", follow_redirects=True)).partition("?")[0]
    sent = {"email": other.email, "role": "editor"}
    joining = link_in(sign_in(third).post("/studies/theirs/people", data=sent, follow_redirects=True))
    assert sign_in(other).post(joining).status_code == 303
    assert visitor.post(recovery).status_code == 410


def test_recovery_link_ends_when_member_creates_a_study(
    client: TestClient,
    visitor: TestClient,
    sign_in: Callable[[Lead], TestClient],
    db: Connection,
    other: Lead,
    study_id: int,
) -> None:
    record_member(db, study_id, other.id, "editor")
    browser = sign_in(other)
    copy = ("/studies/small/settings/copy", {"data": {"title": "Mine", "slug": "mine"}})
    new = ("/studies/new", {"files": parts(FOLDER)})
    for address, sent in (copy, new):
        recovery = new_link(db, other)
        assert browser.post(address, **sent).status_code == 303
        assert visitor.post(f"/sign-in/{recovery}").status_code == 410


def test_removed_member_cannot_rejoin_by_earlier_invitation(
    client: TestClient, sign_in: Callable[[Lead], TestClient], db: Connection, lead: Lead, other: Lead, study_id: int
) -> None:
    first, second = (invited(client, "owner", other.email) for _ in range(2))
    browser = sign_in(other)
    assert browser.post(first).status_code == 410
    assert browser.post(second).status_code == 303
    client.post(PAGE, data={"email": other.email, "role": "owner"})
    record_invitation(db, study_id, "an earlier link", other.email, "owner", by=lead.id)
    assert client.post(f"{PAGE}/{other.id}/removal").status_code == 303
    assert browser.post("/invitations/an earlier link").status_code == 410
    assert other.email not in roles(db, study_id)


def test_audit_log_records_membership_changes_and_downloads(
    client: TestClient, db: Connection, other: Lead, study_id: int
) -> None:
    invited(client)
    record_member(db, study_id, other.id, "editor")
    client.post(f"{PAGE}/{other.id}/role", data={"role": "monitor"})
    client.get("/studies/small/ratings.csv")
    acts = [(act.action, act.detail) for act in reversed(list_acts(db, study_id))]
    assert acts == [
        ("person invited", {"email": "new@example.org", "role": "analyst"}),
        ("role changed", {"email": "other@example.org", "before": "editor", "after": "monitor"}),
        ("downloaded", {"file": "ratings.csv"}),
    ]


def test_expired_retention_date_is_shown(client: TestClient, db: Connection, study_id: int) -> None:
    address = "/studies/small/settings/keep-until"
    assert client.post(address, data={"keep_until": "soon"}).status_code == 422
    client.post(address, data={"keep_until": "2020-12-31"})
    assert "Kept until 2020-12-31" in client.get("/studies").text
    assert "were to be kept until 2020-12-31" in client.get("/studies/small/settings").text
    announce_deletion(db, study_id, datetime(2026, 11, 22, 3, tzinfo=UTC))
    assert "the server deletes it from 2026-11-23 03:00 UTC on" in client.get("/studies").text
    assert "(from 2026-11-23 03:00 UTC on)" in client.get("/studies/small/settings").text
    client.post(address, data={"keep_until": ""})
    assert "Kept until" not in client.get("/studies").text


@pytest.mark.parametrize("change", ["removal", "role"])
def test_invitations_end_when_their_owner_is_no_longer_one(
    client: TestClient,
    sign_in: Callable[[Lead], TestClient],
    db: Connection,
    lead: Lead,
    other: Lead,
    study_id: int,
    change: str,
) -> None:
    record_member(db, study_id, other.id, "owner")
    link = invited(sign_in(other), "owner", "friend@example.org")
    assert client.post(f"{PAGE}/{other.id}/{change}", data={"role": "analyst"}).status_code == 303
    assert sign_in(add_lead(db, "friend@example.org")).post(link).status_code == 410


@pytest.mark.usefixtures("study_id")
def test_leaving_asks_first_without_javascript(client: TestClient) -> None:
    step = client.get(PAGE).text.split("<details>", 1)[-1].split("</details>", 1)[0]
    assert "<summary>Leave this study</summary>" in step
    assert f"{PAGE}/leave" in step
    assert "You lose access at once." in step
