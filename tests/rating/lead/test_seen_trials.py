"""One rater's pages as the rater saw them, with the answers."""

import re
from html import unescape

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from tests.kit.lead_studies import rate, study_of
from tests.kit.rater_pages import form_address, times_of

FORM = {"q0": "right", "q1r0": "4", "q1r1": "2"}


def chosen(page: str) -> dict[str, str]:
    """The value of each group of options that is answered."""
    tags = [tag for tag in re.findall(r"<input[^>]*>", page) if re.search(r"\schecked\b", tag)]
    pairs = [re.findall(r'(?:name|value)="([^"]*)"', tag)[:2] for tag in tags if 'type="radio"' in tag]
    return {name: value for name, value in pairs if name.startswith("q")}


def texts(page: str) -> list[str]:
    """The texts of the page, in its order."""
    return re.findall(r'data-text="r?\w+"\s+dir="auto">(.*?)</div>', unescape(page), re.DOTALL)


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    study_id = study_of(db, lead)
    open_study(db, "small")
    return study_id


@pytest.fixture
def rated(db: Connection, study_id: int, visitor: TestClient) -> tuple[str, str]:
    """Both pages of a rater who answered the first one, as their browser got them."""
    token = db.execute(text("SELECT rater_token FROM studies WHERE id = :id"), {"id": study_id}).scalar_one()
    visitor.get(f"/s/{token}", params={"participant": "anna"}, follow_redirects=True)
    first = visitor.post(f"/s/{token}/start", follow_redirects=True)
    second = visitor.post(form_address(first), data=FORM | times_of(first), follow_redirects=True)
    return first.text, second.text


def addresses(page: str) -> list[str]:
    """The addresses of the rater's pages in the list beside the page."""
    return re.findall(r'<th.*?href="[^"]*(/studies/small/raters/\d+/answers\?at=\d+)"', page, re.DOTALL)


def test_pages_show_what_the_rater_saw_and_answered(client: TestClient, db: Connection, rated: tuple[str, str]) -> None:
    key = db.execute(text("SELECT key FROM raters")).scalar_one()
    raters = client.get("/studies/small/raters").text
    address = re.search(rf'href="[^"]*(/studies/small/raters/\d+/answers)"><bdi>{key}', raters)
    assert address, raters
    first, second = addresses(client.get(address[1]).text)
    seen = [client.get(one.replace("/answers", "/answers/page")).text for one in (first, second)]
    assert [texts(page) for page in seen] == [texts(page) for page in rated]
    assert texts(seen[0]) != texts(seen[1])
    assert chosen(seen[0]) == FORM
    assert chosen(seen[1]) == {}


def test_page_without_a_number_is_the_first(client: TestClient, db: Connection, rated: tuple[str, str]) -> None:
    rater = db.execute(text("SELECT id FROM raters")).scalar_one()
    page = client.get(f"/studies/small/raters/{rater}/answers/page").text
    assert texts(page) == texts(rated[0])


def test_trial_of_another_rater_is_not_found(client: TestClient, db: Connection, study_id: int) -> None:
    rate(db, study_id, rater="anna")
    rate(db, study_id, rater="ben")
    rate(db, study_id, rater="carl", n_trials=0)
    ids = {row.key: row.id for row in db.execute(text("SELECT key, id FROM raters"))}
    of_ben = db.execute(text("SELECT id FROM assignments WHERE rater_id = :r"), {"r": ids["ben"]}).scalar_one()
    for path in ("answers", "answers/page"):
        assert client.get(f"/studies/small/raters/{ids['anna']}/{path}?at={of_ben}").status_code == 404
        assert client.get(f"/studies/small/raters/{ids['ben']}/{path}?at={of_ben}").status_code == 200
        assert client.get(f"/studies/small/raters/{ids['carl']}/{path}").status_code == 404
        assert client.get(f"/studies/small/raters/999999/{path}").status_code == 404
