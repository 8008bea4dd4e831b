import re

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.studies.folder.study_templates import list_templates
from tests.studies.web.test_new_study import n_studies

FORM = {"name": "four-dimensions", "title": 'Our "four" dimensions', "slug": "ours"}


def test_every_template_has_a_card_with_a_picture(client: TestClient) -> None:
    page = client.get("/studies/new").text
    assert page.count('<li class="card template-card">') == len(list_templates())
    assert all(f"/studies/new/template?name={template.name}" in page for template in list_templates())
    address = re.search(r'src="(/static/[0-9a-f]+/ayers-pair\.light\.webp)"', page)
    assert address
    picture = client.get(address[1])
    assert picture.headers["content-type"] == "image/webp"
    assert picture.content.startswith(b"RIFF")


@pytest.mark.parametrize(
    ("search", "names"),
    [
        ({"kind": "set"}, ["ranking"]),
        ({"words": "ayers JAMA"}, ["ayers-pair"]),
        ({"kind": "pools", "words": "Kumar"}, ["lend-an-ear"]),
        ({"kind": "set", "words": "Kumar"}, []),
    ],
)
def test_templates_are_found_by_kind_and_words(client: TestClient, search: dict[str, str], names: list[str]) -> None:
    page = client.get("/studies/new", params=search).text
    assert re.findall(r"template\?name=([a-z-]+)", page) == names
    assert f"{len(names)} of {len(list_templates())} templates." in page
    assert names or "No template matches" in page


def test_chosen_template_says_what_it_takes(client: TestClient) -> None:
    page = client.get("/studies/new/template", params={"name": "conjoint"}).text
    assert "Four responses per item" in page
    assert "about 10 minutes each" in page
    assert "Average marginal component effect" in page
    assert client.get("/studies/new/template", params={"name": "../demo"}).headers["location"] == "/studies/new"


def test_template_creates_draft_with_new_name(client: TestClient, db: Connection) -> None:
    answer = client.post("/studies/new/template", data=FORM)
    assert (answer.status_code, answer.headers["location"]) == (303, "/studies/new/ours/texts")
    row = db.execute(
        text(
            "SELECT s.status, p.title, (SELECT count(*) FROM responses) > 0 FROM studies s JOIN protocols p"
            " ON p.study_id = s.id"
        )
    ).one()
    assert tuple(row) == ("draft", FORM["title"], True)
    assert "This design needs at least" in client.get("/studies/ours").text


@pytest.mark.parametrize(
    ("part", "value", "allowed"),
    [
        ("name", "../demo", "one of ayers-pair, three-point"),
        ("slug", "Ours", "Lowercase letters, digits and hyphens"),
        ("slug", "ours\nsources: {}", "Lowercase letters, digits and hyphens"),
        ("title", "", "<td><bdi>title</bdi></td>"),
    ],
)
def test_invalid_template_form_keeps_input_and_shows_problem(
    client: TestClient, db: Connection, part: str, value: str, allowed: str
) -> None:
    answer = client.post("/studies/new/template", data=FORM | {part: value})
    assert answer.status_code == 422
    assert allowed in answer.text
    assert part != "slug" or "Our &#34;four&#34; dimensions" in answer.text
    assert n_studies(db) == 0


def test_taken_name_is_rejected(client: TestClient, db: Connection) -> None:
    client.post("/studies/new/template", data=FORM)
    answer = client.post("/studies/new/template", data=FORM | {"name": "ab-tie"})
    assert answer.status_code == 422
    assert "a unique slug" in answer.text
    assert n_studies(db) == 1


def test_empty_short_name_is_made_from_the_title(client: TestClient) -> None:
    form = {"name": "four-dimensions", "title": "Ärztin oder GPT?", "slug": ""}
    created = [client.post("/studies/new/template", data=form).headers["location"] for _ in range(2)]
    assert created == ["/studies/new/aerztin-oder-gpt/texts", "/studies/new/aerztin-oder-gpt-2/texts"]
