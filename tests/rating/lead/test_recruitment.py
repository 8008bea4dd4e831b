"""The step *Recruitment*: who comes, codes made by themselves, the platform's form, pay, and a plain link."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.rating.recruitment.recruitment import CHANNELS, new_code, with_channel
from app.studies.editor.protocol_edits import get_draft
from app.studies.members.members import record_member
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of

PAGE = "/studies/small/design/recruitment"
CONSENT = {"consent": {"version": "1", "text": "You may stop at any time."}}


@pytest.fixture
def study_id(db: Connection, lead: Lead) -> int:
    study_id = build_study(db, protocol_of("small", design={"trials": "pairs"}, flow=CONSENT), n_items=3)
    record_member(db, study_id, lead.id, "owner")
    return study_id


def draft(db: Connection, lead: Lead) -> dict[str, Any]:
    study = get_study(db, "small", lead.id)
    assert study
    edit = get_draft(db, study)
    assert not edit.problems
    return edit.data


def number_on(page: str) -> str:
    found = re.search(r'name="number"\s+value="(\d+)"', page)
    assert found
    return found[1]


def shown(page: str, label: str) -> str:
    """The value of a field of the platform's form."""
    found = re.search(rf'<label for="([^"]+)">{re.escape(label)}</label>', page)
    assert found, label
    value = re.search(rf'id="{found[1]}"[^>]*?value="([^"]*)"', page, re.DOTALL)
    assert value, label
    return value[1]


def choose(client: TestClient, key: str, **fields: str) -> str:
    page = client.get(PAGE).text
    answer = client.post(PAGE, data={"number": number_on(page), "do": f"channel {key}", **fields})
    assert answer.status_code == 303
    return client.get(PAGE).text


def test_prolific_is_one_click_and_its_form_is_filled_in(
    client: TestClient, db: Connection, lead: Lead, study_id: int
) -> None:
    page = choose(client, "prolific")
    said = draft(db, lead)
    assert said["recruitment"] == {"platform": "prolific"}
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in shown(page, "Study link").replace("&amp;", "&")
    assert shown(page, "Completed") == said["completion"]["code"]
    assert shown(page, "No consent") == said["completion"]["otherwise"]["no_consent"]["code"]
    assert ">Screened out</label>" not in page
    order = ["Study details", "Data collection", "Completion paths", "Participants", "Time and payment"]
    places = [page.index(f"{n}. {heading}") for n, heading in enumerate(order, 1)]
    assert places == sorted(places)
    assert int(shown(page, "Number of participants")) > 0


def test_codes_stay_when_prolific_is_chosen_again(
    client: TestClient, db: Connection, lead: Lead, study_id: int
) -> None:
    choose(client, "prolific", **{"completion.code": "C123"})
    code = draft(db, lead)["completion"]["code"]
    assert "?survey_code=%SURVEY_CODE%" in choose(client, "sona")
    choose(client, "prolific")
    assert draft(db, lead)["completion"]["code"] == code
    assert len({new_code() for _ in range(50)}) == 50


def test_forms_of_mechanical_turk_and_sona_are_filled_in(client: TestClient, study_id: int) -> None:
    page = choose(client, "mturk", **{"recruitment.pay": "4.50"})
    assert "&lt;ExternalURL&gt;http" in page
    assert (shown(page, "Reward per assignment"), shown(page, "Number of assignments")) == ("4.50", "3")
    assert "Prolific asks for" not in page
    page = choose(client, "sona", **{"completion.url": "https://uni.sona-systems.com/c?id=1&survey_code=XXXX"})
    assert shown(page, "Study URL").endswith("?survey_code=%SURVEY_CODE%")
    assert "On, at https://uni.sona-systems.com/c" in page


def test_pay_is_shown_beside_the_minutes(client: TestClient, db: Connection, lead: Lead, study_id: int) -> None:
    page = choose(client, "prolific", **{"recruitment.pay": "1.5", "recruitment.minutes": "20"})
    assert "£4.50 an hour" in page
    assert "Prolific asks for at least £6" in page
    assert shown(page, "Payment per participant") == "1.50"
    assert draft(db, lead)["recruitment"] == {"platform": "prolific", "pay": "1.5", "minutes": "20"}
    page = choose(client, "prolific", **{"recruitment.pay": "4", "recruitment.currency": "CHF"})
    assert "CHF 12.00 an hour" in page


def test_pay_that_is_no_number_is_said_beside_its_field(client: TestClient, study_id: int) -> None:
    page = client.get(PAGE).text
    client.post(PAGE, data={"number": number_on(page), "recruitment.pay": "much"})
    page = client.get(PAGE).text
    assert 'value="much"' in page
    assert re.search(r'data-at="recruitment.pay">[^<]+number', page)


def test_every_comer_leaves_a_valid_draft(client: TestClient, db: Connection, lead: Lead, study_id: int) -> None:
    for one in (*CHANNELS, CHANNELS[0]):
        page = choose(client, one.key)
        assert re.search(rf'value="channel {one.key}"\s+class="channel"\s+aria-pressed="true"', page)
        draft(db, lead)
    assert "links" not in draft(db, lead).get("design", {})


def test_unknown_comer_changes_nothing(client: TestClient, db: Connection, lead: Lead, study_id: int) -> None:
    before = draft(db, lead)
    choose(client, "nobody")
    assert draft(db, lead) == before


def test_plain_link_admits_each_browser_as_one_rater(
    client: TestClient, db: Connection, visit: Callable[[], TestClient], study_id: int
) -> None:
    page = choose(client, "link")
    assert "<h2>A plain link</h2>" in page
    link = shown(page, "Link for raters").partition("/s/")[2]
    open_study(db, "small")
    first, second = visit(), visit()
    for rater in (first, second, first):
        assert rater.get(f"/s/{link}").status_code == 303
    assert re.findall(r"Link for raters[^<]*", client.get("/studies/small").text) == ["Link for raters: A plain link"]
    assert "2" in re.findall(r"<dt>Raters arrived</dt>\s*<dd>\s*(\d+)", client.get("/studies/small").text)


def test_link_without_an_id_admits_nobody_else(
    client: TestClient, db: Connection, visit: Callable[[], TestClient], study_id: int
) -> None:
    choose(client, "prolific")
    open_study(db, "small")
    token = shown(client.get(PAGE).text, "Study link").partition("/s/")[2].partition("?")[0]
    assert "missing your participant ID" in visit().get(f"/s/{token}").text


def test_personal_links_replace_the_platform() -> None:
    data = with_channel({"recruitment": {"platform": "sona", "pay": 3}}, "personal")
    assert data == {"recruitment": {"pay": 3}, "design": {"links": "personal"}}
    assert with_channel(data, "mturk") == {"recruitment": {"pay": 3, "platform": "mturk"}, "design": {}}


def test_one_minute_is_in_the_singular(client: TestClient, study_id: int) -> None:
    page = choose(client, "prolific", **{"recruitment.minutes": "1"})
    assert "Raters need about 1 minute." in page
