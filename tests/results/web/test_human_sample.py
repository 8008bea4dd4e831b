"""The page Human sample: how items were drawn, and how more are drawn where judge and people disagree."""

import re
from typing import Any

from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.studies.audit import list_acts
from tests.kit.builder import EMPATHY
from tests.kit.lead_studies import study_of

PAGE = "/studies/small/human-sample"
KEYS = tuple(f"item-{k:02}" for k in range(30))
SAMPLE = {"human_sample": {"share": 0.4}}
_RATED = text("""
    INSERT INTO ratings (study_id, question, rater_id, item_id, response_id, number)
    SELECT r.study_id, q.key, ra.id, r.item_id, r.id, 1 + (i.position * 7 + r.position) % 5
    FROM responses r JOIN items i ON i.study_id = r.study_id AND i.id = r.item_id
    JOIN questions q ON q.study_id = r.study_id JOIN raters ra ON ra.study_id = r.study_id
    WHERE r.study_id = :study AND (ra.kind = 'model' OR i.attributes ->> 'in_human_sample' = 'true')
""")
_RATERS = text("""
    INSERT INTO raters (study_id, key, kind, is_imported)
    VALUES (:study, 'p1', 'person', true), (:study, 'p2', 'person', true), (:study, 'judge', 'model', true)
""")


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def rated_study(db: Connection, lead: Lead, **parts: Any) -> int:  # noqa: ANN401 - parts of a protocol
    """An open study with a sample of 12 of 30 items that two people rated, and a judge that rated all."""
    study = study_of(db, lead, item_keys=KEYS, questions=[EMPATHY], **{"design": SAMPLE, **parts})
    open_study(db, "small")
    db.execute(_RATERS, {"study": study})
    db.execute(_RATED, {"study": study})
    return study


def test_items_are_added_and_counted_by_stage(client: TestClient, db: Connection, lead: Lead) -> None:
    study = rated_study(db, lead)
    page = words(client.get(PAGE).text)
    assert "People rate 12 of 30 items." in page
    assert "1: when the study opened 12" in page
    assert "1 to 18." in page
    answer = client.post(PAGE, data={"n": "6", "stage": "1"})
    assert (answer.status_code, answer.headers["location"].endswith(f"{PAGE}?added=2")) == (303, True)
    page = words(client.get(answer.headers["location"]).text)
    found = re.search(r"2: added later (\d+)", page)
    assert found
    assert f"{found[1]} items were added in stage 2. Raters get them from now on." in page
    assert "were added" not in words(client.get(f"{PAGE}?added=7").text)
    assert 5 <= int(found[1]) <= 8
    act = list_acts(db, study)[0]
    assert (act.action, act.detail) == ("human sample grown", {"items": int(found[1]), "stage": 2})
    # the same form again: somebody else has sent one meanwhile
    again = client.post(PAGE, data={"n": "6", "stage": "1"})
    assert again.status_code == 422
    assert "Items were added to the sample meanwhile." in words(again.text)
    assert client.post(PAGE, data={"n": "0", "stage": "2"}).status_code == 422


def test_page_offers_what_the_design_wants_to_add(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, item_keys=KEYS, questions=[EMPATHY], design={"human_sample": {"share": 0.4, "grows_to": 0.6}})
    open_study(db, "small")
    page = client.get(PAGE).text
    assert "The design says 6 more. 1 to 18." in words(page)
    assert 'value="6"' in page


def test_page_says_why_the_sample_cannot_grow(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, item_keys=KEYS, questions=[EMPATHY], design=SAMPLE)
    assert "It can grow after people have rated it." in words(client.get(PAGE).text)
    open_study(db, "small")
    few = client.post(PAGE, data={"n": "6", "stage": "1"})
    assert few.status_code == 422
    assert "At least 8 items need answers of people and of a model judge" in words(few.text)
    assert 'value="6"' in few.text
    study_of(db, lead, slug="whole")
    assert "People rate all items." in words(client.get("/studies/whole/human-sample").text)
    assert client.post("/studies/whole/human-sample", data={"n": "6", "stage": "1"}).status_code == 422


def test_hidden_estimates_stay_hidden(client: TestClient, db: Connection, lead: Lead) -> None:
    rated_study(db, lead, monitoring={"blind_interim": True})
    answer = client.post(PAGE, data={"n": "6", "stage": "1"})
    assert answer.status_code == 422
    assert "The estimates of this study are hidden until it closes" in words(answer.text)
