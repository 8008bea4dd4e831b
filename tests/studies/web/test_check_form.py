"""Checks in forms: answers are words, the right one is clicked, and no more failures are asked for than can happen."""

import re
from html import unescape
from typing import Any

from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from tests.kit.builder import PREFERENCE
from tests.kit.lead_studies import study_of
from tests.rating.lead.test_question_editor import form_on

CHECKS = "/studies/small/design/checks"
PRACTICE = "/studies/small/design/practice"
FIRST = "checks.attention.0"


def checks(db: Connection) -> dict[str, Any]:
    found: dict[str, Any] = db.execute(text("SELECT document -> 'checks' FROM protocols")).scalar_one()
    return found


def save(client: TestClient, address: str = CHECKS, **fields: list[str]) -> str:
    form = form_on(client, address) | {name.replace("__", "."): value for name, value in fields.items()}
    return unescape(client.post(address, data=form, follow_redirects=True).text)


def test_one_click_adds_a_check_that_is_ready(client: TestClient, db: Connection, study_id: int) -> None:
    page = save(client, do=["add checks.attention"])
    (check,) = checks(db)["attention"]
    assert check["text"] == "This question checks your attention. Please choose “Often”."
    assert check["codes"][check["correct"]] == "Often"
    assert "of this kind" not in page
    assert f'name="{FIRST}.key"' not in page
    assert 'type="radio"' in page


def test_the_text_follows_the_right_answer_that_is_clicked(client: TestClient, db: Connection, study_id: int) -> None:
    save(client, do=["add checks.attention"])
    form = form_on(client, CHECKS) | {f"{FIRST}.correct": ["1"]}
    page = client.post(CHECKS, data=form, headers={"hx-request": "true"}).text
    assert checks(db)["attention"][0]["text"].endswith("Please choose “Never”.")
    assert f"outerHTML:[id='{FIRST}.text-field']" in unescape(page)


def test_answers_are_lines_and_keep_their_codes(client: TestClient, db: Connection, study_id: int) -> None:
    save(client, do=["add checks.attention"])
    save(client, checks__attention__0__codes=["Never\nRarely\nOften\nAlways"])
    check = checks(db)["attention"][0]
    assert (check["codes"], check["correct"]) == ({"1": "Never", "2": "Rarely", "4": "Often", "5": "Always"}, "4")
    page = save(client, checks__attention__0__codes=["Never\nRarely"])
    assert "1 problem in this draft" in page
    assert checks(db)["attention"][0]["codes"]["4"] == "Often", "raters get the last version without problems"


def test_flag_at_is_chosen_among_the_checks_that_there_are(client: TestClient, db: Connection, study_id: int) -> None:
    assert "No checks yet" in client.get(CHECKS).text
    for _ in range(3):
        save(client, do=["add checks.attention"])
    options = re.search(r'name="checks.flag_at".*?</select>', client.get(CHECKS).text, re.DOTALL)
    assert options
    assert re.findall(r'value="(\d*)"', options[0]) == ["", "1", "2", "3"]
    save(client, checks__flag_at=["3"])
    save(client, do=[f"remove {FIRST}"])
    assert checks(db)["flag_at"] == 2
    assert [one["key"] for one in checks(db)["attention"]] == ["attention_2", "attention_3"]
    save(client, do=[f"remove {FIRST}"])
    save(client, do=[f"remove {FIRST}"])
    assert checks(db)["flag_at"] is None


def test_a_check_of_another_language_waits_for_its_words(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, language="ar")
    save(client, do=["add checks.attention"])
    assert checks(db)["attention"][0]["text"].startswith("[This question")


def test_comprehension_checks_wait_for_their_words(client: TestClient, db: Connection, study_id: int) -> None:
    page = save(client, PRACTICE, do=["add checks.comprehension"])
    assert "[The right answer]" in page
    save(client, PRACTICE, checks__comprehension__0__codes=["You\nSomebody else"])
    (check,) = checks(db)["comprehension"]
    assert (check["codes"], check["correct"]) == ({"right": "You", "wrong": "Somebody else"}, "right")


def test_questionnaires_and_eligibility_are_ticked(client: TestClient, db: Connection, lead: Lead) -> None:
    age = {
        "key": "age",
        "target": "rater",
        "type": "category",
        "text": "How old are you?",
        "codes": ["18 to 29", "older"],
    }
    study_of(db, lead, questions=[PREFERENCE, age, age | {"key": "grown", "text": "Are you of age?"}])
    address = "/studies/small/design/questionnaires"
    page = client.get(f"{address}?add=flow.before").text
    assert re.search(r'type="checkbox"\s+name="flow.before.0.questions"\s+value="age"', page)
    client.post(address, data={"number": "0", "flow.before.0.questions": ["", "age"]})
    address = "/studies/small/design/consent"
    form = {"number": "1", "flow.eligibility.accept.0:key": "grown", "flow.eligibility.accept.0": ["", "18 to 29"]}
    client.post(address, data=form)
    flow = db.execute(text("SELECT document -> 'flow' FROM protocols")).scalar_one()
    assert flow["before"][0]["questions"] == ["age"]
    assert flow["eligibility"]["accept"] == {"grown": ["18 to 29"]}
    page = client.get(address).text
    assert re.search(r'value="18 to 29"\s+checked', page)


def test_the_item_of_a_gold_trial_is_chosen_by_its_first_words(
    client: TestClient, db: Connection, study_id: int
) -> None:
    page = client.get(f"{CHECKS}?add=checks.gold").text
    select = re.search(r'<select id="checks.gold.0.item".*?</select>', page, re.DOTALL)
    assert select
    assert "Choose an item" in select[0]
    keys = db.execute(text("SELECT key FROM items ORDER BY position")).scalars().all()
    assert re.findall(r'value="([^"]+)"', select[0]) == keys
