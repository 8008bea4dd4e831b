"""What a lead entered is not lost if their session ended while they wrote."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.accounts.sign_in import PASSWORD
from app.settings import folder
from app.studies.editor.protocol_edits import Edit, get_draft
from app.studies.studies import get_study

PAGE = "/studies/small/design/study"
LONG = 'Line one.\n\n"Quoted", <b>bold</b> & more: ☃\nLine four.'


def kept(page: str) -> dict[str, str]:
    return {
        unescape(name): unescape(value)
        for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page)
    }


def draft_of(db: Connection, lead: Lead) -> Edit:
    study = get_study(db, "small", lead.id)
    assert study
    return get_draft(db, study)


@pytest.mark.usefixtures("study_id")
def test_form_sent_after_the_session_ended_is_kept_and_can_be_sent_again(
    visitor: TestClient, client: TestClient, db: Connection, lead: Lead
) -> None:
    number = draft_of(db, lead).number
    answer = visitor.post(PAGE, data={"number": str(number), "title": "Small", "instructions": LONG})
    assert (answer.status_code, "Not saved yet" in answer.text) == (403, True)
    assert f'action="{PAGE}"' in answer.text
    assert draft_of(db, lead).data.get("instructions") != LONG
    assert client.post(PAGE, data=kept(answer.text)).status_code in {200, 303}
    assert draft_of(db, lead).data["instructions"].strip() == LONG


@pytest.mark.parametrize("data", [{}, {"title": " "}])
def test_empty_forms_are_not_kept(visitor: TestClient, data: dict[str, str]) -> None:
    answer = visitor.post(PAGE, data=data)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/studies")


@pytest.mark.parametrize(
    ("address", "data"),
    [
        ("/account", {"current": "secret", "new": "secret too"}),
        ("/account/sessions", {"current": "secret", "session": "0" * 64}),
        (PAGE, {"password": "secret", "title": "x"}),
    ],
)
def test_passwords_are_not_kept(visitor: TestClient, address: str, data: dict[str, str]) -> None:
    answer = visitor.post(address, data=data)
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/studies")
    assert "secret" not in answer.text


def test_password_fields_are_those_that_are_known() -> None:
    found = {
        (path.name, name)
        for path in folder("templates").rglob("*.html")
        for name in re.findall(r"""password_field\(["']\w+["'], ["'](\w+)""", path.read_text("utf-8"))
    }
    of_accounts = {("_sessions.html", "current"), ("account.html", "current"), ("sign_in.html", "password")}
    assert found == {*of_accounts, ("prolific.html", PASSWORD)}


def test_files_are_not_kept(visitor: TestClient) -> None:
    answer = visitor.post("/studies/new/small/texts", files={"sheet": ("a.csv", b"question\nx\n")})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=/studies")


def test_requests_by_scripts_get_only_a_status(visit: Callable[[], TestClient]) -> None:
    answer = visit().post(PAGE, data={"title": "Small"}, headers={"hx-request": "true"})
    assert (answer.status_code, answer.text) == (403, "")
