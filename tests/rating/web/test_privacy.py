"""The page about a rater's data, and their own copy of it."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine, text

from app.rating.withdrawal.rater_data import TABLES
from app.schema import metadata
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.rater_pages import Visitor

WISH = {"key": "wish", "target": "rater", "type": "text", "text": "Anything else?"}
CONSENT = {"consent": {"version": "1", "text": "We ask for your consent."}}
TOLD = {
    "controller": "Example University",
    "contact": "privacy@example.org",
    "storage": "A server in Zurich",
    "delete_at_retention": True,
}


def test_the_page_says_what_this_study_stores(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(questions=[PREFERENCE, EMPATHY, WISH], flow=CONSENT, privacy=TOLD)
    page = visitor().get("/s/study/privacy").text
    for words in ("questions about yourself", "in your own words", "you agreed", "Example University", "in Zurich"):
        assert words in page
    assert "check questions" not in page
    assert "has not set a date" in page


def test_the_page_names_the_retention_date_in_the_language_of_the_study(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(language="de", privacy=TOLD)
    with engine.begin() as db:
        db.execute(text("UPDATE studies SET keep_until = '2031-12-31' WHERE id = :id"), {"id": study_id})
    page = visitor().get("/s/study/privacy").text
    assert "bis zum 31. Dezember 2031 aufbewahrt" in page
    assert "automatisch gelöscht" in page


def test_the_consent_form_leads_to_the_page(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study(flow=CONSENT)
    anna = visitor()
    assert 'href="/s/study/privacy"' in anna.arrive().text


def test_a_study_that_is_not_there_has_no_page(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    assert visitor().get("/s/none/privacy").status_code == 404


def test_raters_get_all_their_data_and_no_one_elses_after_the_end(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=2, design={"trials_per_rater": 2, "raters_per_trial": 2})
    anna, ben = visitor(), visitor()
    anna.rate(anna.begin("anna"))
    assert anna.get("/s/study/my-data.json").status_code == 403
    anna.post("/s/study/withdraw", data={"withdraw": "stop"})
    ben.rate(ben.begin("ben"))
    answer = anna.get("/s/study/my-data.json")
    assert answer.status_code == 200
    found = answer.json()
    assert [row["platform_id"] for row in found["platform_ids"]] == ["anna"]
    assert len(found["ratings"]) == 3
    assert found["ratings"][0]["item"]
    assert "response" not in found["ratings"][0]
    assert "token_hash" not in answer.text
    assert "ben" not in answer.text


def test_an_id_alone_gives_no_data(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna, other = visitor(), visitor()
    anna.rate(anna.begin("anna"))
    anna.post("/s/study/withdraw", data={"withdraw": "stop"})
    other.arrive("anna")
    assert other.get("/s/study/my-data.json").status_code == 403


# The runs of a language model are its own; all else that refers to a rater belongs into their copy.
@pytest.mark.parametrize("column", ["rater_id", "rating_session_id", "rating_id"])
def test_the_copy_has_every_table_that_refers_to_a_rater(column: str) -> None:
    assert {table.name for table in metadata.tables.values() if column in table.columns} <= TABLES | {"model_runs"}
