"""Simulated results of a draft: the summary and the first page of the report, watermarked, and nothing is stored."""

import time

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.results.rehearsal import rehearsal
from app.results.rehearsal.rehearsal import rehearse
from app.studies.creation.read_new_study import read_template, store_study
from app.studies.members.members import record_member
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of
from tests.kit.lead_studies import study_of

MAX_CPU_S = 2
TABLES = ("studies", "items", "raters", "ratings", "assignments", "walk_throughs")


def n_rows(db: Connection) -> dict[str, int]:
    return {name: db.execute(text(f"SELECT count(*) FROM {name}")).scalar_one() for name in TABLES}  # noqa: S608


def test_draft_shows_summary_and_first_page_of_simulated_answers(
    client: TestClient, db: Connection, lead: Lead
) -> None:
    store_study(db, read_template("ayers-pair", "Physicians and a chatbot", "draft"), lead.id)
    before, began = n_rows(db), time.process_time()
    page = client.get("/studies/draft/rehearsal").text
    assert time.process_time() - began < MAX_CPU_S
    assert n_rows(db) == before
    assert "This is the kind of answer you will get." in page
    assert "3 simulated raters answered" in page
    assert "<h4>Summary</h4>" in page
    assert "<h4>Primary contrasts</h4>" in page
    assert page.count('class="rehearsed') == 2
    assert "Simulate again" in page
    assert page != client.get("/studies/draft/rehearsal?seed=2").text
    assert "No ratings yet" not in page


def test_contrasts_that_are_rows_of_a_table_are_shown(client: TestClient, db: Connection, lead: Lead) -> None:
    """Three sources have more contrasts than cards; their table was called with the arguments of an older one."""
    store_study(db, read_template("ab-tie", "Three sources", "draft"), lead.id)
    page = client.get("/studies/draft/rehearsal")
    assert page.status_code == 200
    assert 'class="primary-answer"' in page.text or 'class="study-answer"' in page.text
    assert "<table" in page.text
    assert "Summary(" not in page.text


def test_results_of_a_draft_lead_to_simulated_ones(client: TestClient, study_id: int) -> None:
    assert 'href="/studies/small/rehearsal"' in client.get("/studies/small/results").text


def test_large_design_is_rehearsed_with_fewer_raters(
    db: Connection, lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rehearsal, "MAX_TRIALS", 12)
    monkeypatch.setattr(rehearsal, "MIN_RATERS", 2)
    design = {"trials": "pairs", "raters_per_trial": 30}
    record_member(db, build_study(db, protocol_of("small", design=design), n_items=4), lead.id, "owner")
    study = get_study(db, "small", lead.id)
    assert study
    rehearsed = rehearse(db, study, 1)
    assert rehearsed.n_raters == 3
    assert rehearsed.n_needed == 30
    assert not rehearsed.frames.ratings.empty


def test_draft_that_nobody_could_rate_says_why(client: TestClient, db: Connection, lead: Lead) -> None:
    study_of(db, lead, item_keys=())
    page = client.get("/studies/small/rehearsal")
    assert page.status_code == 409
    assert "has nothing to rate" in page.text
